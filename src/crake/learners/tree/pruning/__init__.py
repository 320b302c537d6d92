"""Pruning: one method per file, usable on any tree."""
