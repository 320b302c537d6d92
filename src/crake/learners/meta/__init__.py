"""Learners that wrap another learner."""
