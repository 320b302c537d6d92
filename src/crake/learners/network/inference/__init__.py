"""Exact inference: variable elimination, its order and cost, and the tree of buckets that EM reads."""
