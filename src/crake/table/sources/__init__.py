"""Where the rows of a table are."""
