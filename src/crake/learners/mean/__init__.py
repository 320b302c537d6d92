"""The mean: the baseline of regressors."""

from crake.learners.mean.learner import MeanRegressor

__all__ = ["MeanRegressor"]
