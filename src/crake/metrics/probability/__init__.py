"""Measures of predicted probabilities: Brier score, log loss, calibration."""
