"""Counting by value in DuckDB: one statement with grouping sets in place of a scan.

Columns are named c0, c1, … in the statement, as in a scan: names of the file never become SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from crake.table.sources.counting import Key, Keys, ValueGroups

MOST_COLUMNS = 60
"""Columns of one statement: GROUPING, which tells the sets apart, gives a number of 63 bits."""
MOST_SETS = 32
"""Grouping sets of one statement: DuckDB keeps a hash table of a megabyte or more for each and each thread."""

EXACT = (
    "BOOLEAN",
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    *("FLOAT", "DOUBLE", "DECIMAL", "ENUM", "UUID", "DATE", "TIMESTAMP", "VARCHAR"),
)
"""Types whose values are equal to DuckDB only if they are one level to crake."""


@dataclass(frozen=True)
class Statement:
    """A statement that counts several sets of columns. Its result has the columns `used`, the set and the rows."""

    text: str
    used: tuple[str, ...]
    sets: dict[int, Key]


def can_count(types: Sequence[str]) -> bool:
    """Return True if columns of these SQL types can be grouped by value.

    >>> can_count(["VARCHAR", "DECIMAL(9,2)"]), can_count(["INTERVAL"])
    (True, False)
    """
    return all(kind.split("(")[0] in EXACT for kind in types)


def statements(names: Sequence[str], types: Sequence[str], source: str, keys: Keys) -> Iterator[Statement]:
    """Return the statements that count all keys, each of at most MOST_COLUMNS columns.

    >>> statement, = statements(["Plan", "plan"], ["VARCHAR", "INTEGER"], "t", (("plan",), ("Plan", "plan")))
    >>> print(statement.text)
    select k0, k1, grouping(k0, k1), count(*)
    from (select c0 collate c as k0, c1 as k1 from t as t(c0, c1))
    group by grouping sets ((k1), (k0, k1))
    >>> statement.sets
    {2: ('plan',), 0: ('Plan', 'plan')}
    """
    place = {name: j for j, name in enumerate(names)}
    for some in _shares(keys):
        used = tuple(sorted({name for key in some for name in key}, key=place.__getitem__))
        # A collation would make one value of several ("a" and "A").
        cells = (f"c{place[n]} collate c" if types[place[n]] == "VARCHAR" else f"c{place[n]}" for n in used)
        columns = ", ".join(f"{cell} as k{place[name]}" for cell, name in zip(cells, used, strict=True))
        listed = ", ".join(f"k{place[name]}" for name in used)
        sets = ", ".join(f"({', '.join(f'k{place[name]}' for name in key)})" for key in some)
        aliases = ", ".join(f"c{j}" for j in range(len(names)))
        text = (
            f"select {listed}, grouping({listed}), count(*)\n"  # noqa: S608
            f"from (select {columns} from {source} as t({aliases}))\n"
            f"group by grouping sets ({sets})"
        )
        yield Statement(text, used, {_mask(used, key): key for key in some})


def _shares(keys: Keys) -> Iterator[list[Key]]:
    """Deal the keys out to statements."""
    some: list[Key] = []
    used: set[str] = set()
    for key in keys:
        if some and (len(used | set(key)) > MOST_COLUMNS or len(some) >= MOST_SETS):
            yield some
            some, used = [], set()
        some.append(key)
        used |= set(key)
    if some:
        yield some


def _mask(used: Sequence[str], key: Key) -> int:
    """Return what GROUPING gives for a set: one bit per column, 1 if the column is not in it.

    >>> _mask(["a", "b", "c"], ("a", "c"))
    2
    """
    mask = 0
    for name in used:
        mask = 2 * mask + (name not in key)
    return mask


def groups(statement: Statement, batches: Callable[[str], Iterator[pa.RecordBatch]]) -> Iterator[ValueGroups]:
    """Run a statement and return its groups, batch by batch."""
    width = len(statement.used)
    place = {name: j for j, name in enumerate(statement.used)}
    for batch in batches(statement.text):
        masks = batch.column(width).to_numpy(zero_copy_only=False)
        for mask in np.unique(masks):
            rows = pa.array(np.flatnonzero(masks == mask))
            key = statement.sets[int(mask)]
            cells = {name: batch.column(place[name]).take(rows) for name in key}
            yield ValueGroups(key, cells, batch.column(width + 1).take(rows).to_numpy(zero_copy_only=False))
