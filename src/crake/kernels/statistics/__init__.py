"""Compiled loops that gather counts, moments and distinct values."""
