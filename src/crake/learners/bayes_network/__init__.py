"""Bayesian network classifiers: a structure that is given or searched, and tables of counted families."""
