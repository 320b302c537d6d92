"""Pruning: each file one way, usable on any tree."""
