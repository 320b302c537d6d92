"""CHAID: trees grown by chi-square tests."""
