"""Compiled loops of the CSV parser and writer."""
