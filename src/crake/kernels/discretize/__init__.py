"""Compiled loops that cut a numeric column into intervals."""
