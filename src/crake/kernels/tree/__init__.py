"""Compiled loops of decision trees: growing, pruning, predicting."""
