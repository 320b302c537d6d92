"""Writing files so that the old one or the new one is there, complete, at any moment."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from crake.errors import CrakeError


def replace_file(path: str | Path, data: bytes) -> None:
    """Write beside the file, flush to disk, rename; on failure the old file stays and nothing else is left."""
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a pipe or a device cannot be renamed onto
        return
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise CrakeError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
