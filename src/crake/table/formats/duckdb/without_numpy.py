"""A process without NumPy, for the child that opens DuckDB files.

Arrow imports NumPy wherever it is installed, which takes longer than DuckDB itself. The child sends Arrow batches and
makes no array.
"""

from __future__ import annotations

import sys
from typing import Any


class _Hidden:
    """A finder that hides NumPy, pandas and cloudpickle from whoever looks whether they are there."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raise for these, and leave all other modules to the other finders."""
        del path, target
        if name in ("numpy", "pandas", "cloudpickle"):
            raise ModuleNotFoundError(f"{name} is hidden here", name=name)


def hide_numpy() -> None:
    """Hide NumPy, and what others use beside it, from all imports that follow."""
    sys.meta_path.insert(0, _Hidden())
