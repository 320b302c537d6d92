"""One row many times, each time with one cell changed: a learner may look at the cell in place of the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.table.sources.memory import MemorySource

Edit = tuple[str, float | int]
"""A column's name and the value, or the code of the level, put there; no name: the row as it is."""


class EditedRow(MemorySource):
    """Row i is `row` with edit i. `memory` is shared by all edits of a row: what a learner has worked out of it.

    >>> row = MemorySource({"age": np.array([30.0]), "sex": np.array([1], np.int32)}, 1)
    >>> source = EditedRow(row, [("age", 31.0), ("", 0), ("sex", 0)], {})
    >>> source.column("age").tolist(), source.column("sex").tolist()
    ([31.0, 30.0, 30.0], [1, 1, 0])
    """

    def __init__(self, row: MemorySource, edits: Sequence[Edit], memory: dict[Any, Any]) -> None:
        columns: dict[str, NDArray[Any]] = {name: np.repeat(row.column(name), len(edits)) for name in row.names}
        super().__init__(columns, len(edits))
        self.row = row
        self.memory = memory
        self.places = places_of(edits)
        for name, places in self.places.items():
            columns[name][places] = [edits[at][1] for at in places]


def places_of(edits: Sequence[Edit]) -> Mapping[str, list[int]]:
    """Return the edits of each column."""
    places: dict[str, list[int]] = {}
    for at, (name, _) in enumerate(edits):
        if name:
            places.setdefault(name, []).append(at)
    return places
