"""Discretising: numbers become intervals."""

from crake.learners.discretize.discretizer import Discretizer

__all__ = ["Discretizer"]
