"""Kernels of the rule learners."""
