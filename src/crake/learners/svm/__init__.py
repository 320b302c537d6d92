"""Support vector machines: the widest margin between two classes."""

from crake.learners.svm.learner import SVMClassifier

__all__ = ["SVMClassifier"]
