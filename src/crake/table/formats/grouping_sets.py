"""Counting by value in a database: one statement with grouping sets in place of a scan.

Columns are named k0, k1, … in the statement: names of the database never become SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from crake.table.sources.counting import Key, Keys, ValueGroups

MOST_SETS = 32
"""Grouping sets of one statement: an engine keeps a hash table for each."""


@dataclass(frozen=True)
class Statement:
    """A statement that counts several sets of columns. Its result has the columns `used`, the set and the rows.

    `cells`, `results` and `grouping` are its parts as SQL; `sets` has the key of each number that GROUPING gives.
    """

    cells: str
    results: str
    grouping: str
    used: tuple[str, ...]
    sets: dict[int, Key]

    def text(self, source: str) -> str:
        """Return the statement on a source, which stands behind FROM."""
        return f"select {self.results}\nfrom (select {self.cells} from {source}) as cells\ngroup by {self.grouping}"  # noqa: S608


def statements(cells: Mapping[str, str], keys: Keys, most_columns: int) -> Iterator[Statement]:
    """Yield the statements that count all keys, each of at most `most_columns` columns, as GROUPING takes them.

    `cells` has the expression of each column by its name.

    >>> statement, = statements({"Plan": "c0 collate c", "plan": "c1"}, (("plan",), ("Plan", "plan")), 60)
    >>> print(statement.text("t as t(c0, c1)"))
    select k0, k1, grouping(k0, k1), count(*)
    from (select c0 collate c as k0, c1 as k1 from t as t(c0, c1)) as cells
    group by grouping sets ((k1), (k0, k1))
    >>> statement.sets
    {2: ('plan',), 0: ('Plan', 'plan')}
    """
    for some in _shares(keys, most_columns):
        used = tuple(name for name in cells if any(name in key for key in some))
        place = {name: f"k{j}" for j, name in enumerate(used)}
        listed = ", ".join(place.values())
        sets = ", ".join(f"({', '.join(place[name] for name in key)})" for key in some)
        yield Statement(
            ", ".join(f"{cells[name]} as {place[name]}" for name in used),
            f"{listed}, grouping({listed}), count(*)",
            f"grouping sets ({sets})",
            used,
            {_mask(used, key): key for key in some},
        )


def _shares(keys: Keys, most_columns: int) -> Iterator[list[Key]]:
    """Deal the keys out to statements."""
    some: list[Key] = []
    used: set[str] = set()
    for key in keys:
        if some and (len(used | set(key)) > most_columns or len(some) >= MOST_SETS):
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


def groups(statement: Statement, batches: Iterable[pa.RecordBatch]) -> Iterator[ValueGroups]:
    """Yield the groups of a statement's result, batch by batch."""
    width = len(statement.used)
    place = {name: j for j, name in enumerate(statement.used)}
    for batch in batches:
        masks = batch.column(width).to_numpy(zero_copy_only=False)
        for mask in np.unique(masks):
            rows = pa.array(np.flatnonzero(masks == mask))
            key = statement.sets[int(mask)]
            cells = {name: batch.column(place[name]).take(rows) for name in key}
            yield ValueGroups(key, cells, batch.column(width + 1).take(rows).to_numpy(zero_copy_only=False))
