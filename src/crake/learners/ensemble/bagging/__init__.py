"""Bagging: members of bootstrap samples, averaged."""
