"""What a fitted learner hands to a model file, and how it takes it back."""

from crake.learners.base.state.reader import Given, Labels, State

__all__ = ["Given", "Labels", "State"]
