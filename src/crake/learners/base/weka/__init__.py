"""Orders that WEKA takes from Java: its random numbers, and a sort that does not keep equal items in order."""
