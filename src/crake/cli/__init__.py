"""The command line: nothing heavy is imported before a command has work to do."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the `crake` command."""
    try:
        from crake.cli.run import run  # noqa: PLC0415 (so that importing a part of crake.cli stays cheap)

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while still importing
        code = 130
    sys.exit(code)
