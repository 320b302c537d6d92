"""Majority."""
