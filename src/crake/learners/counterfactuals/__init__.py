"""Counterfactuals: the smallest change of a single value that changes the prediction."""

from crake.learners.counterfactuals.change import Change, Changes
from crake.learners.counterfactuals.search import find_changes

__all__ = ["Change", "Changes", "find_changes"]
