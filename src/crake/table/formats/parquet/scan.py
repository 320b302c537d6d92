"""Parquet files, one or a folder of them, scanned through Arrow's own reader.

Text comes as codes and a dictionary, as it lies in the file, so that each distinct value is looked at once a row
group. Measured beside DuckDB's Arrow batches of the same file: three times as fast, in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crake.errors import ReadError
from crake.table.formats.parquet.reader import arrow_names, check_header, is_text, not_whole, size_limit
from crake.table.sources.arrow_batches import file_columns, portions, rows_for
from crake.table.sources.file_states import FileStates
from crake.table.sources.protocol import FileColumn, Portion

ROWS_PER_PORTION = 1 << 17


class ParquetFiles:
    """The rows of these files, file after file; their columns must be the same."""

    def __init__(
        self,
        paths: Sequence[Path],
        name: str,
        *,
        ignore: Sequence[str] = (),
        max_bytes: int | None = None,
        rows_per_portion: int = ROWS_PER_PORTION,
    ) -> None:
        self.paths, self.name, self.rows_per_portion = tuple(paths), name, rows_per_portion
        self._states = FileStates.of(self.paths)
        self._headers = [_header(path, set(ignore), max_bytes) for path in paths]
        self.columns, self.notes = file_columns(self._headers[0].schema.to_arrow_schema())
        for path, header in zip(paths, self._headers, strict=True):
            self._refuse_other_columns(path, header)
        if self.rows == 0:
            raise ReadError("no rows; expected one at least", file=name)

    @cached_property
    def rows(self) -> int:
        """Return the number of rows of all files."""
        return sum(int(header.num_rows) for header in self._headers)

    def rows_of(self, path: Path) -> int:
        """Return the number of rows of one of the files."""
        return int(self._headers[self.paths.index(path)].num_rows)

    @cached_property
    def size(self) -> int:
        """Return the bytes on disk."""
        return sum(path.stat().st_size for path in self.paths)

    @cached_property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        groups = (header.row_group(g) for header in self._headers for g in range(header.num_row_groups))
        stated = sum(int(group.total_byte_size) for group in groups)
        return max(8 * self.rows * len(self.columns), stated)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        start = bytes_before = 0
        for path, header in zip(self.paths, self._headers, strict=True):
            size, rows = path.stat().st_size, 0
            for portion in self._of_file(path, header, names):
                rows = portion.start + portion.rows
                yield replace(
                    portion,
                    start=start + portion.start,
                    bytes_read=bytes_before + size * rows // max(1, header.num_rows),
                )
            if names and rows != header.num_rows:
                raise ReadError(f"its header speaks of {header.num_rows} rows, found {rows}", file=path.name)
            start, bytes_before = start + header.num_rows, bytes_before + size
        self._states.check()

    def portions_from(self, names: Sequence[str], first: int) -> Iterator[Portion]:
        """Yield the rows from the row group on that holds row `first`."""
        start = 0
        for path, header in zip(self.paths, self._headers, strict=True):
            ends = np.cumsum([header.row_group(group).num_rows for group in range(header.num_row_groups)])
            begin = int(np.searchsorted(ends, first - start, side="right"))
            if begin < header.num_row_groups:
                before = start + (int(ends[begin - 1]) if begin else 0)
                for portion in self._of_file(path, header, names, range(begin, header.num_row_groups)):
                    yield replace(portion, start=before + portion.start)
            start += header.num_rows
        self._states.check()

    def _of_file(
        self, path: Path, header: Any, names: Sequence[str], groups: Sequence[int] | None = None
    ) -> Iterator[Portion]:
        schema = header.schema.to_arrow_schema()
        places = [self._places[name] for name in names]
        try:
            with _opened(path, header, [field.name for field in schema if is_text(field.type)]) as file:
                arrow_columns = arrow_names(schema.names, places)
                row_groups = None if groups is None else list(groups)
                rows = min(self.rows_per_portion, rows_for(len(names)))
                batches = file.iter_batches(rows, row_groups, columns=arrow_columns)
                yield from portions(batches, names, places if arrow_columns is None else _places_in_file(places))
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            self._states.check()  # another file is no broken one
            raise not_whole(error, path.name) from None

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column.name: place for place, column in enumerate(self.columns)}

    def _refuse_other_columns(self, path: Path, header: Any) -> None:
        columns, _ = file_columns(header.schema.to_arrow_schema())
        if [_shape(column) for column in columns] != [_shape(column) for column in self.columns]:
            odd = next((c for c in columns if _shape(c) not in map(_shape, self.columns)), None)
            what = f"column {odd.name!r} is {odd.type}" if odd else "its columns stand in another order, or are fewer"
            raise ReadError(
                f"{what}; expected the columns of {self.paths[0].name}: "
                f"{', '.join(f'{c.name} ({c.type})' for c in self.columns[:20])}",
                file=path.name,
            )


def _shape(column: FileColumn) -> tuple[object, ...]:
    """Return all that must agree between files; integers may be of other widths."""
    return column.name, column.kind, column.declared, column.is_time, column.type == "bool"


def _places_in_file(places: Sequence[int]) -> list[int]:
    """Return the place of each column among those chosen, which come in the order of the file."""
    order = {place: i for i, place in enumerate(sorted(places))}
    return [order[place] for place in places]


def _header(path: Path, ignore: set[str], max_bytes: int | None) -> Any:
    try:
        header = pq.read_metadata(path)
        schema = header.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise not_whole(error, path.name) from None
    if header.num_rows:
        check_header(header, schema, path.name, ignore, size_limit(path.stat().st_size, max_bytes))
    return header


def _opened(path: Path, header: Any, text: Sequence[str]) -> Any:
    # Read piece by piece, not by whole row groups: those of some writers are a gigabyte each.
    return pq.ParquetFile(
        path, metadata=header, read_dictionary=text, page_checksum_verification=True, pre_buffer=False,
        buffer_size=1 << 20,
    )  # fmt: skip
