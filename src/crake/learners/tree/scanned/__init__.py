"""Trees of tables larger than memory: the very tree that the rows in memory would give, from scans of them."""
