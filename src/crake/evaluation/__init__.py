"""Honest numbers: evaluate, compare."""
