"""Columns and the target: the relation of each column, the importance of each column to a model."""
