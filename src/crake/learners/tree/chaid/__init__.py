"""Chaid."""
