"""Learners that combine many members of one kind."""
