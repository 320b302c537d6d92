"""Predicting."""
