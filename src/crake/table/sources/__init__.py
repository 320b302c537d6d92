"""Sources of a table's rows: in memory, or scanned."""
