"""Nearest neighbours: a row is like the training rows that lie nearest to it."""

from crake.learners.neighbors.classifier import NeighborsClassifier
from crake.learners.neighbors.regressor import NeighborsRegressor

__all__ = ["NeighborsClassifier", "NeighborsRegressor"]
