"""Exact cross-products: columns cut into slices, their sums, and what is read from them."""
