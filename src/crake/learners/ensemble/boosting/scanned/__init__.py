"""Boosting of tables larger than memory: the very model that the rows in memory would give, from scans of them."""
