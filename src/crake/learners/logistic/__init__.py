"""Logistic regression."""

from crake.learners.logistic.learner import LogisticClassifier

__all__ = ["LogisticClassifier"]
