"""Showing things: a leaf that knows only its own dataclasses."""
