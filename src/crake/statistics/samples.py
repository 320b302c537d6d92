"""Many samples of the same rows (bootstrap, bagging): how often each row is in each, as one more key of gathering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from crake.errors import DataError
from crake.kernels.statistics.members import count_members
from crake.table.batch import Batch

if TYPE_CHECKING:
    from crake.statistics.gather import Statistics

Floats = NDArray[np.float64]

BLOCK = 8192
LARGEST = 2**23
"""Cells of the counts of all samples that are gathered together: 64 MB."""


class Members:
    """`copies[row, sample]` says how often the row is in the sample; sample r becomes group r of the statistics."""

    def __init__(self, copies: NDArray[np.uint8]) -> None:
        self.copies = copies

    @classmethod
    def of(cls, samples: Sequence[NDArray[np.int32]]) -> Members:
        """One column a sample; a row that is in a sample more than 255 times is refused."""
        if max(int(sample.max(initial=0)) for sample in samples) > np.iinfo(np.uint8).max:
            raise DataError("a row is in a sample more than 255 times; there are too few rows for this")
        copies = np.empty((len(samples[0]), len(samples)), np.uint8)
        for at in range(0, len(copies), BLOCK):  # blocks of rows: columns are written while they are in cache
            for column, sample in enumerate(samples):
                copies[at : at + BLOCK, column] = sample[at : at + BLOCK]
        return cls(copies)

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return int(self.copies.shape[1])

    def __getitem__(self, rows: slice) -> NDArray[np.int32]:
        # Two dimensions tell `gather` that a row may be in several groups.
        return cast(NDArray[np.int32], self.copies[rows])


def samples_at_once(cells: int, samples: int) -> int:
    """How many samples fit into memory together, of so many counts each.

    >>> samples_at_once(400, 200), samples_at_once(10_000_000, 200)
    (64, 1)
    """
    return max(1, min(64, samples, LARGEST // max(1, cells)))


def with_members(found: Statistics, batch: Batch, copies: NDArray[np.uint8]) -> Statistics:
    """These rows counted into every sample that has them.

    Counts of all samples are taken in one walk over the rows; moments and distinct values sample by sample.
    """
    rows = (batch.target, copies, batch.weights)
    whole = bool(np.all(batch.weights == np.floor(batch.weights)))
    classes = len(found.classes)
    counts = _counted(np.full((batch.rows, 1), -1, np.int32), np.zeros(1, np.int64), 1, classes, *rows)
    class_counts = replace(
        found.class_counts,
        counts=found.class_counts.counts + counts[:, :, 0],
        integral=found.class_counts.integral and whole,
    )
    values = found.value_counts
    if values is not None and values.columns:
        more = _counted(batch.codes, values.offsets, int(values.offsets[-1]), classes, *rows)
        values = replace(values, counts=values.counts + more, integral=values.integral and whole)
    found = replace(found, class_counts=class_counts, value_counts=values)
    if batch.values.shape[1] == 0 or (found.class_moments is None and not found.distinct_counts):
        return found
    for sample in range(copies.shape[1]):
        found = _numbers_of(found, batch, sample, copies[:, sample])
    return found


def _counted(
    codes: NDArray[np.int32],
    offsets: NDArray[np.int64],
    slots: int,
    classes: int,
    target: NDArray[np.int32],
    copies: NDArray[np.uint8],
    weights: Floats,
) -> Floats:
    """The counts in the order of statistics: (samples, classes, slots)."""
    counts = np.zeros((slots, classes, copies.shape[1]))
    count_members(codes, offsets, target, copies, weights, counts)
    return np.ascontiguousarray(counts.transpose(2, 1, 0))


def _numbers_of(found: Statistics, batch: Batch, sample: int, copies: NDArray[np.uint8]) -> Statistics:
    is_there = (copies > 0) & (batch.weights > 0)  # a row of weight 0 would leave a value that no row has
    group = np.where(is_there, np.int32(sample), np.int32(-1))
    rows = (batch.target, group, copies * batch.weights)
    return replace(
        found,
        class_moments=found.class_moments and found.class_moments.add(batch.values, *rows),
        distinct_counts=tuple(counts.add(batch.values[:, j], *rows) for j, counts in enumerate(found.distinct_counts)),
    )
