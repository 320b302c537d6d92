"""Record batches of an Arrow IPC file or stream, each checked whole before it is used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from crake.errors import ReadError

LEAST_LIMIT = 64 * 2**20
TIMES_FILE_SIZE = 200
MOST_COLUMNS = 100_000
_MAGIC = b"ARROW1"


def limit_of(source: Path | bytes | bytearray, max_bytes: int | None) -> int:
    """Return the most bytes in memory: as allowed, or 200 times the file, and 64 MB in any case."""
    size = source.stat().st_size if isinstance(source, Path) else len(source)
    return max(LEAST_LIMIT, TIMES_FILE_SIZE * size) if max_bytes is None else max_bytes


@contextlib.contextmanager
def opened(source: Path | bytes | bytearray, name: str) -> Iterator[pa.RecordBatchReader]:
    """Open a file or a stream; errors of Arrow become one line."""
    try:
        with pa.BufferReader(source) if not isinstance(source, Path) else pa.OSFile(str(source)) as file:
            head = file.read(len(_MAGIC))
            file.seek(0)
            if head[:4] == b"FEA1":
                raise ReadError("Feather of version 1 is not read; write it as version 2", file=name)
            reader = pa.ipc.open_file(file) if head == _MAGIC else pa.ipc.open_stream(file)
            if len(reader.schema) > MOST_COLUMNS:
                raise ReadError(f"{len(reader.schema):,} columns; expected at most {MOST_COLUMNS:,}", file=name)
            yield reader
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ReadError(f"not a whole Arrow file: {reason}; write or copy it again", file=name) from None


def whole_batches(reader: pa.RecordBatchReader, name: str, limit: int) -> Iterator[pa.RecordBatch]:
    """Yield the batches in their order; raise for one that is unsound or takes more bytes than allowed."""
    is_file = isinstance(reader, pa.ipc.RecordBatchFileReader)
    batches = (reader.get_batch(i) for i in range(reader.num_record_batches)) if is_file else iter(reader)
    for batch in batches:
        batch.validate(full=True)
        if batch.nbytes > limit:
            raise ReadError(
                f"a batch of more than {limit:,} bytes; if you trust it, allow more with --max-bytes (max_bytes=)",
                file=name,
            )
        yield batch
