"""Samplers: they balance the classes of the rows that a learner is fitted to, and of no other rows."""
