"""Batches whose ends do not depend on the source: sums that are taken block by block then have the same bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crake.arrays import Floats
from crake.errors import DataError
from crake.statistics.statistic import HEAVIEST
from crake.table.batch import Batch

BLOCK = 4096


def in_blocks(batches: Iterator[Batch], block: int = BLOCK) -> Iterator[Batch]:
    """Return the same rows in batches that end at multiples of `block` rows, the last one excepted.

    Whatever sizes a source delivers, the blocks stay the same.
    """
    rest: Batch | None = None
    for batch in batches:
        whole = batch if rest is None else rest.followed_by(batch)
        cut = whole.rows - whole.rows % block
        if cut:
            yield whole.part(0, cut)
        rest = whole.part(cut, whole.rows) if cut < whole.rows else None
    if rest is not None:
        yield rest


def refuse_bad_weights(weights: Floats) -> None:
    """Raise unless weights are finite, not negative, and small enough to be added and multiplied."""
    if len(weights) and not (weights.min() >= 0 and weights.max() <= HEAVIEST):
        bad = int(np.flatnonzero(~((weights >= 0) & (weights <= HEAVIEST)))[0])
        raise DataError(
            f"row {bad} has the weight {weights[bad]}; weights must be finite and not negative, at most {HEAVIEST:g}"
        )
