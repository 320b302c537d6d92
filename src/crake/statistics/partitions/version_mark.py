"""The version of crake with a hash of its code: two machines that work together must have the same."""

from __future__ import annotations

import functools
import hashlib
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable

from crake.errors import CrakeError


@functools.cache
def version_mark() -> str:
    """Return the version and a hash of all code, such as 0.1.0 (3f0c2a9d41be). Models that are sent may be of any."""
    digest = hashlib.sha256()
    _add(digest, files("crake"), "crake")
    return f"{sys.modules['crake'].__version__} ({digest.hexdigest()[:12]})"


def refuse_other_version(wanted: str) -> None:
    """Raise if the crake of this process is not the one that sent the work."""
    if version_mark() != wanted:
        raise CrakeError(
            f"expected crake {wanted} on the worker, got {version_mark()}: install there the crake that the driver has"
        )


def _add(digest: hashlib._Hash, folder: Traversable, path: str) -> None:
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            _add(digest, entry, name)
        elif entry.name.endswith(".py"):
            digest.update(name.encode() + b"\0" + entry.read_bytes())
