"""Classes that are to get more rows: the rows to make new ones from, and the sample of all that was made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Floats, Longs, Rows
from crake.balance.amounts import rows_to_have
from crake.balance.cells import Cells, table_of_cells, together
from crake.balance.sample import Sample
from crake.render.plain_text import visible
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Scarce:
    """A class that is to get `missing` more rows; `rows` are its row numbers in the table."""

    code: int
    label: str
    rows: Rows
    weights: Floats | None
    missing: int

    def draw(self, generator: np.random.Generator, among: Rows | None = None) -> Rows:
        """Return places of the rows to make new ones from, one per new row, drawn in proportion to their weights.

        `among` are the places that may be drawn; all if None.
        """
        among = np.arange(len(self.rows)) if among is None else among
        if self.weights is None:
            at: Rows = generator.integers(len(among), size=self.missing)
        else:
            edges = np.cumsum(self.weights[among])
            at = np.searchsorted(edges, generator.random(self.missing) * edges[-1], side="right")
        places: Rows = among[np.minimum(at, len(among) - 1)]
        return places


Made = tuple[Cells, Rows, tuple[str, ...]]
"""New rows of a class, the place of the row that each was made from, and notes for the user."""


def sample_with_new_rows(table: Table, amount: Any, make: Callable[[Scarce], Made]) -> Sample:
    """Return all rows of the table, and the new rows that `make` returns for each class that is to get some."""
    classes = table.schema.classes
    wanted, notes = rows_to_have(amount, np.bincount(table.target, minlength=len(classes)), classes, "more")
    cells, origin, codes = [], [], []
    for scarce in scarce_classes(table, wanted):
        made, places, said = make(scarce)
        cells.append(made)
        origin.append(scarce.rows[places])
        codes.append(np.full(scarce.missing, scarce.code, np.int32))
        notes += said
    rows = np.arange(len(table))
    if not cells:
        return Sample(rows, notes=notes)
    origins = np.concatenate(origin)
    made_up = table_of_cells(table, together(cells), np.concatenate(codes), origins)
    return Sample(rows, made=made_up, origin=origins, notes=notes)


def scarce_classes(table: Table, wanted: Longs) -> Iterator[Scarce]:
    """Yield the classes that have fewer rows than wanted, in the order of the schema."""
    target = table.target
    for code, label in enumerate(table.schema.classes):
        rows = np.flatnonzero(target == code)
        if len(rows) < wanted[code]:
            weights = None if table.weights is None else table.weights[rows]
            yield Scarce(code, visible(label), rows, weights, int(wanted[code]) - len(rows))
