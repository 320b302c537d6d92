"""The state of a fitted learner in a model file, and its reader."""

from crake.learners.base.state.reader import Labels, State, StateReader

__all__ = ["Labels", "State", "StateReader"]
