"""Reading files, and gathering tables that are larger than memory."""
