"""A learner that is fitted to balanced rows, with its probabilities put back."""

from crake.learners.meta.balance.learner import Balanced

__all__ = ["Balanced"]
