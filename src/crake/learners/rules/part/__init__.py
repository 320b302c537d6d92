"""PART: rules from partial C4.5 trees."""
