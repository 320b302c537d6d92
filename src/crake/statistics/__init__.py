"""Arrays that add."""
