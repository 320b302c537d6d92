"""Fitting each family of learners beside its peers."""
