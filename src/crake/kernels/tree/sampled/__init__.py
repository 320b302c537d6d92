"""Whole trees of bootstrap samples, each grown by one call."""
