"""Kernels that prune a grown tree."""
