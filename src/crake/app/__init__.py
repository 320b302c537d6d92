"""The workbench in the browser: projects, jobs, and a screen for each step from a table to a model."""
