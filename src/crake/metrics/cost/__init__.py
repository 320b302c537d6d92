"""Cost matrices and the measures computed from them."""
