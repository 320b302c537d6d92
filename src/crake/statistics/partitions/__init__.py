"""Gathering in partitions, beside the rows of an engine: tasks, their messages, and the version both sides need."""
