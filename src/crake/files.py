"""Writing files so that the old one or the new one is there, complete, at any moment."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from crake.errors import CrakeError


def replace_file(path: str | Path, data: bytes) -> None:
    """Write beside the file, flush to disk, rename; on failure the old file stays and nothing else is left."""
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write to, piece by piece, that takes the place of `path` once the block has ended well."""
    path = Path(path).resolve()
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:  # a pipe or a device cannot be renamed onto
                yield file
            return
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        if error.filename not in (None, str(path), str(beside)):
            raise  # about another file, read inside the block
        raise CrakeError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
