"""Writing files so that the old one or the new one is there, complete, at any moment.

A process that is killed while it writes leaves a part behind. The next one to write that file removes it: a part whose
writer lives is locked, and the lock of a dead process is free.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from crake.errors import CrakeError

PART = ".part"
HAS_LOCKS = find_spec("fcntl") is not None
"""Not on Windows, where a file that is open cannot be removed anyway."""


def check_writable(path: Path) -> None:
    """Raise an error now, instead of after the work, for a file that cannot be written."""
    if path.is_dir():
        raise CrakeError(f"cannot write {path}: it is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise CrakeError(f"cannot write {path}: there is no folder {path.parent}; make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CrakeError(f"cannot write {path}: no permission")


def replace_file(path: str | Path, data: bytes) -> None:
    """Write beside the file, flush to disk, rename; on failure the old file stays and nothing else is left."""
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Return a file to write to, piece by piece, that takes the place of `path` once the block has ended well."""
    path = Path(path).resolve()
    beside = path
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as device:  # a pipe or a device cannot be renamed onto
                yield device
            return
        _remove_dead_parts(path)
        file, beside = _new_part(path)
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if HAS_LOCKS:  # renamed under the lock, lest another process take the part for a dead one
                beside.replace(path)
        if not HAS_LOCKS:  # Windows renames no open file
            beside.replace(path)
    except OSError as error:
        if not _is_about(error, path):
            raise  # about another file, read inside the block
        raise CrakeError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error
    finally:
        if beside != path:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def _is_about(error: OSError, path: Path) -> bool:
    parts = str(path.with_name(_part_start(path)))
    return error.filename in (None, str(path)) or str(error.filename).startswith(parts)


def _new_part(path: Path) -> tuple[BinaryIO, Path]:
    """Return a new file beside `path`, locked, as readable to others as the one it will replace."""
    while True:
        beside = path.with_name(f"{_part_start(path)}{secrets.token_hex(8)}{PART}")
        file = beside.open("xb")
        try:
            with suppress(OSError):  # there is no old file, or its disk knows no modes
                beside.chmod(stat.S_IMODE(path.stat().st_mode))
            # Between opening and locking another process may have taken it for a dead one; then it has no name left.
            if not _locked(file, wait=True) or os.fstat(file.fileno()).st_nlink:
                return file, beside
            file.close()
        except BaseException:
            file.close()
            beside.unlink(missing_ok=True)
            raise


def _remove_dead_parts(path: Path) -> None:
    start = _part_start(path)
    with suppress(OSError):
        for part in path.parent.iterdir():
            digits = part.name.removeprefix(start).removesuffix(PART)
            if part.name == f"{start}{digits}{PART}" and len(digits) == 16:
                with suppress(OSError), part.open("rb") as file:
                    if not HAS_LOCKS or _locked(file, wait=False):
                        part.unlink()


def _locked(file: BinaryIO, *, wait: bool) -> bool:
    """Return True if this process now holds the file's lock; False on systems and disks without locks."""
    if not HAS_LOCKS:
        return False
    import fcntl  # noqa: PLC0415  # Windows has none

    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _part_start(path: Path) -> str:
    name = path.name.encode("utf-8", "surrogateescape")[:100].decode("utf-8", "ignore")  # a name has 255 bytes at most
    return f".{name}."
