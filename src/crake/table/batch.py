"""A batch: consecutive rows of a table as the arrays that kernels read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes

if TYPE_CHECKING:
    from crake.table.sources.levels import ScanLevels

MISSING = -1
"""The code of a missing nominal value."""
UNSEEN = -2
"""The code of a nominal value that is not among the levels of the schema."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Batch:
    """Rows start … start + rows − 1.

    `codes` has shape (rows, nominal features): the level's position, MISSING or UNSEEN.
    `values` has shape (rows, numeric features): NaN where missing, never infinite.
    `target` holds class codes (MISSING where unknown); `weights` one weight per row.
    `texts` has one array of str or None per text column; a scan reads them only if asked (see `with_texts`).
    All are row-major. While a scan still meets new levels, `scan_levels` holds those so far, and the codes (of the
    target too) are places among them.
    """

    start: int
    codes: Codes
    values: Values
    target: Codes
    weights: Values
    scan_levels: ScanLevels | None = None
    texts: tuple[NDArray[Any], ...] = ()

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.target)

    def part(self, start: int, stop: int) -> Batch:
        """Return consecutive rows of the batch, under their own numbers."""
        if start == 0 and stop == self.rows:
            return self
        rows = slice(start, stop)
        return replace(
            self,
            start=self.start + start,
            codes=self.codes[rows],
            values=self.values[rows],
            target=self.target[rows],
            weights=self.weights[rows],
            texts=tuple(text[rows] for text in self.texts),
        )

    def take(self, rows: NDArray[np.intp]) -> Batch:
        """Return the rows at these places, in that order, under the number of the first row."""
        return replace(
            self,
            codes=self.codes.take(rows, axis=0),  # faster than brackets
            values=self.values.take(rows, axis=0),
            target=self.target[rows],
            weights=self.weights[rows],
            texts=tuple(text[rows] for text in self.texts),
        )

    def followed_by(self, other: Batch) -> Batch:
        """Return the rows of both as one batch; the levels are those of the other."""
        return Batch(
            self.start,
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.weights, other.weights]),
            other.scan_levels,
            tuple(map(np.concatenate, zip(self.texts, other.texts, strict=True))),
        )
