"""Whole processes: commands, the server, and what a kill leaves."""
