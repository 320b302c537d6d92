"""A number for every row that looks drawn by lot and follows from the row's number and a seed alone.

splitmix64 (Steele, Lea and Flood, 2014, Fast splittable pseudorandom number generators): every row of one seed gets
another number, whoever asks, in whatever order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def row_hashes(start: int, rows: int, seed: int) -> Hashes:
    """Return the hashes of the rows start … start + rows − 1.

    >>> row_hashes(0, 4, seed=1)[2:].tolist() == row_hashes(2, 2, seed=1).tolist()
    True
    """
    return hashes_of(np.arange(start + 1, start + rows + 1, dtype=np.uint64), seed)


def hashes_of(keys: Hashes, seed: int) -> Hashes:
    """Return the hashes of numbers of 64 bits; those of two numbers differ.

    >>> hashes_of(np.array([1, 2], np.uint64), seed=1).tolist() == row_hashes(0, 2, seed=1).tolist()
    True
    """
    # The seed is mixed too, so that neighbouring seeds do not give the same numbers a few rows apart.
    origin = _mixed(np.array([seed % 2**64], np.uint64))
    return _mixed(origin + keys * _GOLDEN)


def _mixed(z: Hashes) -> Hashes:
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    mixed: Hashes = z ^ (z >> np.uint64(31))
    return mixed
