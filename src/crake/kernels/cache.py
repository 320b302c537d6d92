"""The folder of compiled kernels: where it is, what it holds, and which folders of earlier versions go.

Compiled code is kept in a folder named by a hash of all kernel sources: numba itself notices only an edit of the
kernel's own file, not of a kernel that it calls. Where the sources lie and when they were written is in the hash too,
because numba finds compiled code again only by that: what another copy of crake has compiled is of no use to this one.

This module answers the one question "is it compiled yet?", by marks that whoever has compiled leaves in the folder.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
PREFIX = "kernels-"
OWNER = "sources.txt"
"""The file in a folder that names the sources it was compiled from; only folders with it are ever removed."""


@functools.cache
def folder() -> Path | None:
    """Return the folder of compiled kernels, or None where no such folder can be written."""
    digest = hashlib.sha256(version("numba").encode())
    for source in sorted(SOURCES.rglob("*.py")):
        written = source.stat()
        digest.update(f"{source} {written.st_mtime_ns} {written.st_size} ".encode())
        digest.update(source.read_bytes())
    place = _home() / "crake" / f"{PREFIX}{digest.hexdigest()[:16]}"
    try:
        is_new = not (place / OWNER).exists()
        if is_new:
            place.mkdir(parents=True, exist_ok=True)
            (place / OWNER).write_text(str(SOURCES), encoding="utf-8")
    except OSError:
        return None
    if not os.access(place, os.W_OK):
        return None
    if is_new:
        remove_outdated(place)
    return place


def is_compiled(mark: str | None = None) -> bool:
    """Return True if an earlier run of this very copy of crake compiled what the mark stands for, or anything at all.

    Where nothing can be kept, nothing is ever compiled beforehand: then the marks count as set.
    """
    place = folder()
    if mark is not None:
        return place is None or (place / mark).exists()
    return place is not None and any(place.rglob("*.nbc"))


def has_mark(mark: str) -> bool:
    """Return True if an earlier run left the mark."""
    place = folder()
    return place is not None and (place / mark).exists()


def set_compiled(mark: str) -> None:
    """Leave the mark that all it stands for is compiled."""
    place = folder()
    if place is not None:
        with suppress(OSError):  # a full disk is no reason to fail: the next run compiles again
            (place / mark).touch()


def remove_outdated(current: Path) -> None:
    """Remove the folders of earlier versions of these sources, and of sources that are no longer there.

    A folder of another copy of crake stays. Two processes may do this at the same time: what the other one has removed
    is not missed, and a process that still runs on old sources compiles again.
    """
    for place in current.parent.glob(f"{PREFIX}*"):
        if place == current or place.is_symlink():
            continue
        with suppress(OSError, UnicodeDecodeError):
            sources = Path((place / OWNER).read_text(encoding="utf-8"))
            if sources.is_absolute() and (sources == SOURCES or not sources.exists()):
                shutil.rmtree(place, ignore_errors=True)


def _home() -> Path:
    if "XDG_CACHE_HOME" in os.environ:
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home()))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"
