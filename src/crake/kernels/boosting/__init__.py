"""Gradient boosting: bins, sums of gradients by bin, splits, and predictions of many trees."""
