"""AODE: the average of one-dependence estimators."""
