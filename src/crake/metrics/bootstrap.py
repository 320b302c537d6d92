"""Bootstrap intervals: the measure again on rows drawn with replacement, and the middle 95 % of what comes out.

Drawing n rows with replacement and adding them up by cell is the same, in law, as drawing how many rows each cell gets
from a multinomial distribution. So a measure that reads sums by cell (a confusion matrix, the bins of a calibration
table) never touches its rows again: a replicate costs the cells, not the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.inputs import row_weights
from crake.metrics.intervals import LEVEL, checked_level
from crake.render.short_repr import short_repr

REPLICATES = 1000
SEED = 1
METHOD = IntervalMethod("percentile bootstrap", f"bootstrap percentile {{}}, {REPLICATES} replicates", LEVEL)
OF_REPLICATES = IntervalMethod("replicates", "percentiles of the replicates {}", LEVEL)
"""Method of a plan that samples rows: each replicate was tested by itself."""
DISTINCT = 1000
"""A cell with more distinct values than this is drawn by their mean and spread (the central limit theorem)."""
AT_ONCE = 2_000_000
"""Numbers held at one moment while replicates are drawn."""
_MOST = float(2**53)


def bootstrap_interval(
    statistic: Callable[[Floats], float | Estimate | None],
    rows: int,
    weights: ArrayLike | None = None,
    *,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    random_state: int = SEED,
) -> Interval | None:
    """Return the percentile interval of any measure: `statistic` gets one weight per row, the times it was drawn.

    Every measure here takes weights, so a replicate is the measure itself. Whole weights are copies: Σw rows are drawn
    from Σw. With other weights the rows are drawn and keep their weight. It costs `replicates` measurements.

    >>> from crake.metrics.probability.log_loss import log_loss
    >>> actual, P = [0, 0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]
    >>> low, high = bootstrap_interval(lambda drawn: log_loss(actual, P, drawn), rows=4)
    >>> round(low, 3), round(high, 3)
    (0.164, 0.959)

    Efron (1979), Bootstrap methods: another look at the jackknife.
    """
    checked_level(level)
    if replicates < 1:
        raise CrakeError(f"replicates = {replicates}; expected 1 or more, such as {REPLICATES}")
    w = row_weights(weights, rows)
    rng = np.random.default_rng(random_state)
    if not w.any():
        return None
    values = [_value(statistic(_drawn(w, rng))) for _ in range(replicates)]
    return percentile_interval(np.array(values), level)


def percentile_interval(values: Floats, level: float = LEVEL) -> Interval | None:
    """The middle part of the replicates; those without a value (NaN) are left out; None if they are the most.

    None, too, if all replicates are the same: a matrix without errors has none in any replicate, and an interval of
    width 0 would claim that there never will be one.

    >>> percentile_interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    defined = values[~np.isnan(values)]
    if 2 * len(defined) <= len(values) or defined.min() == defined.max():
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Resampling:
    """Rows in groups of equal cell and (nearly) equal value; what is drawn is how many rows each group gets.

    A replicate of the sum in a cell is Σ over its groups of N·mean + √N·spread·Z, with N multinomial and Z normal; the
    spread is 0, and the draw exact, unless the cell has more than `DISTINCT` values.
    """

    cells: int
    cell: NDArray[np.intp]  # of each group, ascending
    rows: Floats  # in each group
    mean: Floats
    spread: Floats

    __repr__ = short_repr

    @classmethod
    def of_counts(cls, counts: Floats) -> Resampling:
        """Rows known by their counts alone. Counts that are no whole numbers count as Σ counts rows, rounded."""
        flat = counts.ravel()
        cell = np.flatnonzero(flat > 0)
        counted, total = flat[cell], float(flat.sum())
        n = total if total <= _MOST and np.all(counted == np.floor(counted)) else min(max(1.0, round(total)), _MOST)
        scale = np.full(len(cell), total / n)
        return cls(flat.size, cell, counted / total * n, scale, np.zeros(len(cell)))

    @classmethod
    def of_rows(cls, cell: NDArray[np.intp], values: Floats, cells: int, copies: Floats | None = None) -> Resampling:
        """Return one value per row, to be summed by cell; `copies` says how often a row is there.

        Without `copies` the values are weights: a row of weight 0 is absent.
        """
        copies = (values > 0).astype(np.float64) if copies is None else copies
        present = np.flatnonzero(copies > 0)
        order = present[np.lexsort((values[present], cell[present]))]
        cell, values, copies = cell[order], values[order], copies[order]
        is_first = _changes(cell) | _changes(values)
        crowded = np.bincount(cell[is_first], minlength=cells) > DISTINCT
        is_first &= ~crowded[cell] | _changes(cell)
        starts = np.flatnonzero(is_first)
        rows = np.add.reduceat(copies, starts)
        mean = np.add.reduceat(copies * values, starts) / rows
        group = np.cumsum(is_first) - 1
        squares = np.add.reduceat(copies * np.where(crowded[cell], values - mean[group], 0.0) ** 2, starts)
        return cls(cells, cell[starts], rows, mean, np.sqrt(squares / rows))

    def squares(self) -> Floats:
        """Return the sum of the squared values in each cell."""
        squares = self.rows * (self.mean**2 + self.spread**2)
        return np.bincount(self.cell, weights=squares, minlength=self.cells).astype(np.float64)

    def collapsed(self, to: NDArray[np.intp], cells: int) -> Resampling:
        """Return these rows in coarser cells: those of cell i go to `to[i]`."""
        cell = to[self.cell]
        order = np.argsort(cell, kind="stable")
        return Resampling(cells, cell[order], self.rows[order], self.mean[order], self.spread[order])

    def draw(self, replicates: int = REPLICATES, random_state: int = SEED) -> Iterator[Floats]:
        """Sums by cell, of shape (some replicates, cells), until there are as many replicates as asked for."""
        rng = np.random.default_rng(random_state)
        at_once = max(1, AT_ONCE // max(self.cells, len(self.cell)))
        starts = np.flatnonzero(_changes(self.cell))
        n = float(self.rows.sum())
        for start in range(0, replicates, at_once):
            size = min(at_once, replicates - start)
            N = rng.multinomial(round(n), self.rows / n, size=size)
            sums = N * self.mean
            if self.spread.any():
                sums = sums + np.sqrt(N) * self.spread * rng.standard_normal(N.shape)
            replicate = np.zeros((size, self.cells))
            replicate[:, self.cell[starts]] = np.add.reduceat(sums, starts, axis=1)
            yield replicate


def _drawn(w: Floats, rng: np.random.Generator) -> Floats:
    """Return the weight of each row in one replicate."""
    if np.all(w == np.floor(w)) and w.max() > 1 and w.sum() <= _MOST:
        return rng.multinomial(int(w.sum()), w / w.sum()).astype(np.float64)
    present = np.flatnonzero(w > 0)
    times = np.bincount(rng.choice(present, size=len(present)), minlength=len(w))
    return np.asarray(times * w, dtype=np.float64)


def _value(result: float | Estimate | None) -> float:
    value = result.value if isinstance(result, Estimate) else result
    return float("nan") if value is None else float(value)


def _changes(ordered: NDArray[np.intp] | Floats) -> NDArray[np.bool_]:
    """Return True where a run of equal entries begins."""
    begins = np.ones(len(ordered), dtype=np.bool_)
    begins[1:] = ordered[1:] != ordered[:-1]
    return begins
