"""Predicting with a tree: routing rows to leaves."""
