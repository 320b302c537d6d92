"""Files that a browser may name: below the start folder, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from crake.server.problems import Problem
from crake.table.formats.choose import ending_of, file_endings

NO_FILE = "no_file"
"""The code of a problem with a file that is not there, and that might have been read."""
MOST_FILES = 500
DEEPEST = 3
"""Folders below the start folder that are looked into for tables."""


@dataclass(frozen=True)
class FileFound:
    """A table's file, by its path below the start folder."""

    path: str
    size: int


def below(start: Path, text: str) -> Path:
    r"""Return the file of this name below the start folder; raise for any other, whatever tricks the name has.

    >>> below(Path("/data"), "../etc/passwd")
    Traceback (most recent call last):
    crake.server.problems.Problem: expected the path of a file below the start folder, got '../etc/passwd'
    """
    refusal = Problem(403, "path", f"expected the path of a file below the start folder, got {text[:100]!r}")
    parts = PurePosixPath(text).parts
    has_trick = not parts or text.startswith("/") or any(sign in text for sign in ("\0", "\\", ":"))
    if has_trick or any(part in (".", "..") or part.startswith(".") for part in parts):
        raise refusal
    # A link may lead out of the folder: the place where it ends decides.
    folder = start.resolve()
    try:
        path = folder.joinpath(*parts).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise Problem(404, NO_FILE, f"there is no file {text[:100]!r} below the start folder") from None
    if not path.is_relative_to(folder) or not path.is_file():
        raise refusal
    return path


def tables_below(start: Path) -> list[FileFound]:
    """Return the tables below a folder, by the endings of their files; hidden folders are passed over."""
    endings, found = set(file_endings()), list[FileFound]()
    waiting = [(start, 0)]
    while waiting and len(found) < MOST_FILES:
        folder, depth = waiting.pop(0)
        try:
            entries = sorted(folder.iterdir(), key=lambda path: path.name.lower())
        except OSError:
            continue
        for path in entries:
            if path.name.startswith(".") or path.is_symlink():
                continue
            if path.is_dir() and depth < DEEPEST:
                waiting.append((path, depth + 1))
            elif path.is_file() and (ending_of(path.name) in endings or path.suffix == ".zip"):
                found.append(FileFound(path.relative_to(start).as_posix(), path.stat().st_size))
    return found[:MOST_FILES]
