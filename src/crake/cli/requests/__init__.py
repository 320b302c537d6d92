"""Requests behind the commands: what to read, to learn, to evaluate, to explain."""
