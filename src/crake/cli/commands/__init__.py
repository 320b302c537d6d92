"""The commands, one file per command: options in, a request, printed results out."""
