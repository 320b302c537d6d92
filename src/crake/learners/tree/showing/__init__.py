"""Trees as text, rules and drawings."""
