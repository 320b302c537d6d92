"""What would change an answer: the smallest change of a single value that makes it another."""

from crake.learners.changes.change import Change, Changes
from crake.learners.changes.finding import find_changes

__all__ = ["Change", "Changes", "find_changes"]
