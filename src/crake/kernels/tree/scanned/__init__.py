"""Loops over the rows of a scan, for trees of tables larger than memory."""
