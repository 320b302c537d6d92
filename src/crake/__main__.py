"""Lets `python -m crake` be the command line."""

from __future__ import annotations

from crake.cli import main

if __name__ == "__main__":
    main()
