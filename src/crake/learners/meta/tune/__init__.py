"""Parameters chosen by how well each candidate does on rows held out."""

from crake.learners.meta.tune.learner import Tuned

__all__ = ["Tuned"]
