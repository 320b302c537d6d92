"""A learner that answers by a cutoff instead of by the most probable class."""

from crake.learners.cutoff.learner import WithCutoff

__all__ = ["WithCutoff"]
