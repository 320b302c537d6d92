"""Decision trees: one grower, and the named algorithms that are settings of it."""
