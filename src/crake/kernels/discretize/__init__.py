"""Discretize."""
