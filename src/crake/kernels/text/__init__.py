"""Words of texts: found in their bytes, and counted."""
