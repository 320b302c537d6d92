"""Bayes."""
