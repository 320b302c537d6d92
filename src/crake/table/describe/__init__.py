"""Descriptions of a table: columns, histograms, warnings, duplicates."""
