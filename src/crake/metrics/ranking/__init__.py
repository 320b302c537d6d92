"""Measures of a ranking by score: AUC, average precision, lift."""
