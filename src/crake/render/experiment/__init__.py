"""Experiments shown as tables, pages and critical-difference diagrams."""
