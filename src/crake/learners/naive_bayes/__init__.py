"""Naive Bayes: nominal and numeric columns in one model."""

from crake.learners.naive_bayes.learner import NaiveBayesClassifier

__all__ = ["NaiveBayesClassifier"]
