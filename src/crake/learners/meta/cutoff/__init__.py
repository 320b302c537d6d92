"""A learner that answers by a cutoff instead of by the most probable class."""

from crake.learners.meta.cutoff.learner import WithCutoff

__all__ = ["WithCutoff"]
