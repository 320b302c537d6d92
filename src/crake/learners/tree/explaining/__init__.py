"""Explanations of a tree: the path of a row and the arithmetic of its splits."""
