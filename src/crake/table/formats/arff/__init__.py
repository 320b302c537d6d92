"""Arff."""
