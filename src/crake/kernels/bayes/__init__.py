"""Compiled loops of naive Bayes."""
