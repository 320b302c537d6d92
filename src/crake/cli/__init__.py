"""The command line: nothing heavy is imported before a command has work to do."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `crake` command."""
    from crake.cli.run import run  # noqa: PLC0415 (so that importing a part of crake.cli stays cheap)

    sys.exit(run(sys.argv[1:]))
