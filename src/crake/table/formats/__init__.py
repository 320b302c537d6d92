"""File formats, one folder per format."""
