"""Evaluating, comparing and tuning: seconds, and how often the figures are right."""
