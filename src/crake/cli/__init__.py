"""The command line: nothing heavy is imported before a command has work to do."""

from __future__ import annotations

import gc
import sys
from typing import Any


class _WithoutPandas:
    """A finder that hides pandas. `sys.modules["pandas"] = None` would be taken for the module by compiled code."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise for pandas, and leave all other modules to the other finders."""
        del path, target
        if name == "pandas":
            raise ModuleNotFoundError("the command line does without pandas", name=name)


def main() -> None:
    """Run the `crake` command."""
    # Arrow and scikit-learn import pandas wherever it is installed, which takes a quarter of a second. crake does not
    # require it, and the command line, which meets no data frame, runs as if it were not there.
    sys.meta_path.insert(0, _WithoutPandas())
    # A start makes many objects that stay: the search for garbage among them finds nothing.
    gc.set_threshold(50_000, 20, 50)
    try:
        from crake.cli.interrupt import EXIT_CODE, leave, leave_when_interrupted  # noqa: PLC0415

        leave_when_interrupted()
        from crake.cli.run import run  # noqa: PLC0415 (so that importing a part of crake.cli stays cheap)

        code = run(sys.argv[1:])
        if code == EXIT_CODE:
            leave()
    except KeyboardInterrupt:  # while still importing
        code = 130
    sys.exit(code)
