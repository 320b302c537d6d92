"""Explaining."""
