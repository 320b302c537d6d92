"""Measures: format, counts, formula."""
