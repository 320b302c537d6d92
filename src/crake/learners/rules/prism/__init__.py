"""Prism: rules for each class in turn, each grown until it is pure."""
