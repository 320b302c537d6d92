"""Requests that the command line and a web server share: checked, run, and printed as a command line and as Python."""
