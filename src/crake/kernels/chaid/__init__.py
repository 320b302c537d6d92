"""Kernels of CHAID: tests of independence, and the merging of values."""
