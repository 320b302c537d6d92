"""crake: a classification workbench for tables."""

__version__ = "0.1.0"
