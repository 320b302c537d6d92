"""The folder of compiled kernels: where it is, what it holds, and what of earlier versions goes.

Each copy of crake has a folder of its own, because numba finds compiled code by the path and the time of its source:
what another copy has compiled is of no use to this one. In it each module of kernels has a folder named by a hash of
its source and of all that it imports: numba itself notices only an edit of the kernel's own file, not of a kernel
that it calls. So an edit compiles again what depends on it, and nothing else.

This module answers the one question "is it compiled yet?", by marks that whoever has compiled leaves in the folder.
They stand for all sources as they are: an edit of any of them removes the marks.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
PREFIX = "kernels-"
OWNER = "sources.txt"
"""The file in a folder that names the sources it was compiled from; only folders with it are ever removed."""
MARKS = "marks"
IMPORT = re.compile(rb"^from (crake[\w.]*) import (\([^)]*\)|[^\n]*)|^import (crake[\w.]*)", re.MULTILINE)


@functools.cache
def folder() -> Path | None:
    """Return the folder of this copy of crake, or None where no such folder can be written."""
    digest = hashlib.sha256(f"{SOURCES} {version('numba')}".encode())
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


@functools.cache
def folder_of_code(source: str) -> Path | None:
    """Return the folder for the compiled kernels of a source file, or None where nothing can be kept."""
    path = Path(source)
    name = f"{path.stem}-{hashlib.sha256(source.encode()).hexdigest()[:8]}"
    return _newest(name, [path, *sorted(_all_imported(path))])


@functools.cache
def _folder_of_marks() -> Path | None:
    return _newest(MARKS, sorted(SOURCES.rglob("*.py")))


def _newest(name: str, sources: Iterable[Path]) -> Path | None:
    """Return the folder of this name for the sources as they are; those for earlier states are removed."""
    place = folder()
    if place is None:
        return None
    digest = hashlib.sha256()
    for source in sources:
        with suppress(OSError):  # a kernel that was typed in has no file
            digest.update(f"{source} {source.stat().st_mtime_ns} ".encode() + source.read_bytes())
    newest = place / f"{name}-{digest.hexdigest()[:16]}"
    if not newest.exists():
        with suppress(OSError):
            newest.mkdir()
        for old in place.glob(f"{name}-*"):
            if old != newest:
                shutil.rmtree(old, ignore_errors=True)
    return newest if newest.is_dir() else None


@functools.cache
def _imported(source: Path) -> frozenset[Path]:
    """Return the files of crake that a file imports at its top."""
    try:
        text = source.read_bytes()
    except OSError:
        return frozenset()
    files: set[Path] = set()
    for module, names, alone in IMPORT.findall(text):
        place = SOURCES.parent.joinpath(*(module or alone).decode().split(".")[1:])
        inside = [place / name.decode() for name in re.findall(rb"\w+", names)]
        files.update(file for path in (place, *inside) for file in (path.with_suffix(".py"), path / "__init__.py"))
    return frozenset(file for file in files if file.is_file())


def _all_imported(source: Path) -> set[Path]:
    found, waiting = set[Path](), [source]
    while waiting:
        new = _imported(waiting.pop()) - found
        found |= new
        waiting.extend(new)
    return found


def is_compiled(mark: str | None = None) -> bool:
    """Return True if an earlier run of this very copy of crake compiled what the mark stands for, or anything at all.

    Where nothing can be kept, nothing is ever compiled beforehand: then the marks count as set.
    """
    place = _folder_of_marks()
    if mark is not None:
        return place is None or (place / mark).exists()
    return place is not None and any(place.parent.rglob("*.nbc"))


def has_mark(mark: str) -> bool:
    """Return True if an earlier run left the mark."""
    place = _folder_of_marks()
    return place is not None and (place / mark).exists()


def set_compiled(mark: str) -> None:
    """Leave the mark that all it stands for is compiled."""
    place = _folder_of_marks()
    if place is not None:
        with suppress(OSError):  # a full disk is no reason to fail: the next run compiles again
            (place / mark).touch()


def remove_outdated(current: Path) -> None:
    """Remove the folders of these sources under other names, and those of sources that are no longer there.

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
