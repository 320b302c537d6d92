"""Linear regression."""

from crake.learners.linear.learner import LinearRegressor

__all__ = ["LinearRegressor"]
