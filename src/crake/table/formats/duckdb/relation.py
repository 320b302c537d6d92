"""A relation of a DuckDB connection that the caller holds, scanned in Arrow batches through that connection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import cached_property

import duckdb
import pyarrow as pa

from crake.errors import ReadError
from crake.table.formats.duckdb.countable import MOST_COLUMNS, counted_cells
from crake.table.formats.duckdb.scan import ROWS_PER_PORTION
from crake.table.formats.duckdb.session import one_line_error
from crake.table.formats.grouping_sets import Statement, groups, statements
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.counting import Keys, ValueGroups
from crake.table.sources.protocol import Portion


class RelationRows:
    """The rows of a relation. While they are scanned, its connection cannot run another query.

    A relation without an order that groups or joins may give its rows in another order each time.
    """

    def __init__(
        self, relation: duckdb.DuckDBPyRelation, name: str, *, rows_per_portion: int = ROWS_PER_PORTION
    ) -> None:
        self.relation, self.name, self.rows_per_portion = relation, name, rows_per_portion
        with self._one_line():
            schema = relation.limit(0).to_arrow_table().schema
        fields = [field.with_name(name) for field, name in zip(schema, relation.columns, strict=True)]
        self.columns, self.notes = file_columns(pa.schema(fields))

    @cached_property
    def rows(self) -> int:
        """Return the number of rows; the relation is run for it, without its columns where that is possible."""
        with self._one_line():
            counts = self.relation.aggregate("count(*)").fetchall()
        return int(counts[0][0])

    @property
    def size(self) -> int:
        """Return 0: the bytes behind a relation are not known."""
        return 0

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return 8 * self.rows * len(self.columns)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        rows, expected = 0, self.rows
        with self._one_line(), contextlib.closing(self._reader(names)) as reader:
            for portion in portions(reader, names, range(len(names))):
                rows = portion.start + portion.rows
                yield portion
        if rows != expected:
            raise ReadError(f"{expected:,} rows when they were counted, {rows:,} when read", file=self.name)

    def count(self, keys: Keys) -> Iterator[ValueGroups] | None:
        """Count the rows by the values of each set of columns, in DuckDB. Return None for types it cannot compare."""
        types = [str(kind) for kind in self.relation.types]
        places = [f"#{place}" for place in range(1, len(types) + 1)]
        cells = counted_cells([column.name for column in self.columns], types, places, keys)
        return None if cells is None else self._groups(list(statements(cells, keys, MOST_COLUMNS)))

    def _groups(self, counting: Sequence[Statement]) -> Iterator[ValueGroups]:
        for statement in counting:
            with self._one_line():
                counts = self.relation.project(statement.cells).aggregate(statement.results, statement.grouping)
                with contextlib.closing(counts.to_arrow_reader(self.rows_per_portion)) as reader:
                    yield from groups(statement, reader)

    def _reader(self, names: Sequence[str]) -> pa.RecordBatchReader:
        # By position: names of the relation never become SQL.
        place = {column.name: j for j, column in enumerate(self.columns, 1)}
        projection = ", ".join(f"#{place[name]} as c{j}" for j, name in enumerate(names)) or "1"
        return self.relation.project(projection).to_arrow_reader(self.rows_per_portion)

    @contextlib.contextmanager
    def _one_line(self) -> Iterator[None]:
        try:
            yield
        except (duckdb.Error, pa.ArrowException) as error:
            raise one_line_error(error, self.name) from None
