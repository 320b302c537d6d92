"""Many samples of the same rows (bootstrap, bagging): how often each row is in each, as one more key of gathering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Ints
from crake.errors import DataError
from crake.statistics.statistic import Copies

BLOCK = 8192
LARGEST = 2**23
"""Cells of the counts of all samples that are gathered together: 64 MB."""


class SampleCopies:
    """`copies[row, sample]` says how often the row is in the sample; sample r becomes group r of the statistics."""

    def __init__(self, copies: Copies) -> None:
        self.copies = copies

    @classmethod
    def of(cls, samples: Sequence[Ints]) -> SampleCopies:
        """Return the samples side by side. Raise if a row is in one of them more than 255 times."""
        if max(int(sample.max(initial=0)) for sample in samples) > np.iinfo(np.uint8).max:
            raise DataError("a row is in a sample more than 255 times; there are too few rows for this")
        copies = np.empty((len(samples[0]), len(samples)), np.uint8)
        for at in range(0, len(copies), BLOCK):  # blocks of rows: columns are written while they are in cache
            for column, sample in enumerate(samples):
                copies[at : at + BLOCK, column] = sample[at : at + BLOCK]
        return cls(copies)

    @property
    def samples(self) -> int:
        """The number of samples."""
        return int(self.copies.shape[1])

    def __getitem__(self, rows: slice) -> Copies:
        return self.copies[rows]


def samples_at_once(cells: int, samples: int) -> int:
    """Return how many samples of this many counts each are gathered together, as memory allows.

    >>> samples_at_once(400, 200), samples_at_once(10_000_000, 200)
    (64, 1)
    """
    return max(1, min(64, samples, LARGEST // max(1, cells)))
