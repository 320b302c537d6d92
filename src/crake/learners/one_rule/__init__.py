"""1R: one rule for each value of the one best attribute."""

from crake.learners.one_rule.learner import OneRuleClassifier

__all__ = ["OneRuleClassifier"]
