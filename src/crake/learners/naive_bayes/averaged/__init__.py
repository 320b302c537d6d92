"""Naive Bayes averaged over all sets of columns that may depend on the class."""
