"""Tables: schema, codes, reading, sources."""
