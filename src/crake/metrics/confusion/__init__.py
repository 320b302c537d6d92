"""The confusion matrix and the measures computed from it."""
