"""Results: out-of-fold predictions, and the measures and curves computed from them."""
