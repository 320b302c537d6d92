"""Results shown as text in a terminal."""
