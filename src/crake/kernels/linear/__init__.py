"""Compiled loops of linear and logistic regression."""
