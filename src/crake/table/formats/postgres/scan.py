"""A table or a query of a PostgreSQL server, scanned in Arrow batches, all in one snapshot.

Columns are asked for as c0, c1, …: their names never become SQL. The name of a table is looked up in the catalogue and
quoted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from crake.errors import ReadError
from crake.table.formats.database import chosen_table, quoted
from crake.table.formats.grouping_sets import Statement, groups, statements
from crake.table.formats.postgres.address import checked_address
from crake.table.formats.postgres.columns import (
    PostgresColumn,
    described,
    is_known,
    refuse_infinite_dates,
    type_of,
)
from crake.table.formats.postgres.session import Snapshot
from crake.table.sources.arrow_batches import portions
from crake.table.sources.counting import Keys, ValueGroups
from crake.table.sources.protocol import FileColumn, Portion

MOST_COLUMNS = 31
"""Columns of one statement: GROUPING, which tells the sets apart, gives a number of 31 bits."""
_TABLES = """
select n.nspname::text as schema, c.relname::text as name, pg_catalog.pg_table_is_visible(c.oid) as is_near
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'v', 'm', 'f', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
order by 1, 2
"""


class PostgresRows:
    """The rows of one table (or view), or of one query, as they were when this was made."""

    size = 0
    """Bytes on disk, which are the server's."""

    def __init__(self, address: str, *, table: str | None = None, query: str | None = None) -> None:
        server = checked_address(address)
        if table is not None and query is not None:
            raise ReadError("table= and query= are both given; expected one of them", file=server)
        self.name = server if table is None else f"{server}, {table}"
        self._snapshot = Snapshot(address, self.name)
        with self._snapshot.connected() as cursor:
            self._from = f"({query.strip().rstrip(';')}\n)" if query is not None else self._table(cursor, table)
            schema = self._described(cursor, is_query=query is not None)
            self._columns, self.notes = described(schema, self._enums(cursor, schema))
        self.columns: tuple[FileColumn, ...] = tuple(column.file for column in self._columns)

    @cached_property
    def rows(self) -> int:
        """Return the number of rows; the server counts them."""
        with self._snapshot.connected(in_order=False) as cursor:
            counted = self._snapshot.fetched(cursor, f"select count(*) from {self._from} as t")  # noqa: S608
        return int(counted.column(0)[0].as_py())

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return 8 * self.rows * len(self.columns)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        read = [self._by_name[name] for name in names]
        times = [column for column in read if column.is_time]
        cells = ", ".join([*(column.cell for column in read), *(column.flag for column in times)]) or "1"
        rows, expected = 0, self.rows
        with self._snapshot.connected() as cursor:
            for batch in self._snapshot.batches(cursor, f"select {cells} from {self._source}"):  # noqa: S608
                refuse_infinite_dates(batch, times, len(read))
                for portion in portions([_decoded(batch, read)], names, range(len(names))):
                    yield Portion(rows, portion.rows, portion.columns)
                    rows += portion.rows
        if rows != expected:
            raise ReadError(f"{expected:,} rows when they were counted, {rows:,} when read", file=self.name)

    def count(self, keys: Keys) -> Iterator[ValueGroups] | None:
        """Count the rows by the values of each set of columns, on the server. Return None for columns of dates."""
        among = {name for key in keys for name in key}
        cells = {column.file.name: column.counted for column in self._columns if column.file.name in among}
        known = {name: cell for name, cell in cells.items() if cell is not None}
        return self._groups(list(statements(known, keys, MOST_COLUMNS))) if len(known) == len(cells) else None

    def _groups(self, counting: Sequence[Statement]) -> Iterator[ValueGroups]:
        with self._snapshot.connected(in_order=False) as cursor:
            for statement in counting:
                read = [self._by_name[name] for name in statement.used]
                batches = self._snapshot.batches(cursor, statement.text(self._source))
                yield from groups(statement, (_decoded(batch, read) for batch in batches))

    @cached_property
    def _by_name(self) -> dict[str, PostgresColumn]:
        return {column.file.name: column for column in self._columns}

    @property
    def _source(self) -> str:
        return f"{self._from} as t({', '.join(f'c{j}' for j in range(len(self._columns)))})"

    def _described(self, cursor: Any, *, is_query: bool) -> pa.Schema:
        try:
            with self._snapshot.one_line():
                return self._snapshot.fetched(cursor, f"select * from {self._from} as t limit 0").schema  # noqa: S608
        except ReadError as error:
            if is_query and "syntax error" in str(error):
                raise ReadError(f"{error}; expected one SELECT as the query") from None
            raise

    def _table(self, cursor: Any, table: str | None) -> str:
        """Return the table's name with its schema, quoted; the only table if none is named."""
        listed = self._snapshot.fetched(cursor, _TABLES).to_pylist()
        named = {f"{row['schema']}.{row['name']}": (row["schema"], row["name"]) for row in listed}
        near = {row["name"]: (row["schema"], row["name"]) for row in listed if row["is_near"]}
        schema, name = chosen_table({**named, **near}, near or named, table, self.name)
        return f"{quoted(schema)}.{quoted(name)}"

    def _enums(self, cursor: Any, schema: pa.Schema) -> dict[int, tuple[str, ...]]:
        """Return the labels of each column that is an enum, by its place, in their declared order."""
        places = [place for place, field in enumerate(schema) if not is_known(type_of(field))]
        if not places:
            return {}
        aliases = ", ".join(f"c{j}" for j in range(len(schema)))
        # A row of NULLs: the types are those of the result, and no row is read.
        kinds = ", ".join(f"pg_catalog.pg_typeof(t.c{place})::oid::int8" for place in places)
        none = f"(select * from {self._from} as q limit 0) as t({aliases})"  # noqa: S608
        found = self._snapshot.fetched(cursor, f"select {kinds} from (select 1) as one left join {none} on true")  # noqa: S608
        kind_of = dict(zip(places, (column[0].as_py() for column in found.columns), strict=True))
        listed = ", ".join(map(str, sorted(set(kind_of.values()))))
        enums = self._snapshot.fetched(
            cursor,
            "select e.enumtypid::int8 as kind, e.enumlabel::text as label from pg_catalog.pg_enum e "  # noqa: S608
            f"where e.enumtypid in ({listed}) order by 1, e.enumsortorder",
        ).to_pylist()
        labels = {kind: tuple(row["label"] for row in enums if row["kind"] == kind) for kind in kind_of.values()}
        return {place: labels[kind] for place, kind in kind_of.items() if labels[kind]}


def _decoded(batch: pa.RecordBatch, columns: Sequence[PostgresColumn]) -> pa.RecordBatch:
    """Return the batch with the cells of its first columns as crake reads them."""
    cells = [column.cells(batch.column(place)) for place, column in enumerate(columns)]
    cells += batch.columns[len(columns) :]
    return pa.RecordBatch.from_arrays(cells, [f"c{place}" for place in range(len(cells))])
