"""Hashes of coded rows, by which a sample is drawn whatever the order of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel

Hashes = NDArray[np.uint64]

FACTOR = np.uint64(0x9E3779B97F4A7C15)
SIGN, INFINITY = np.uint64(1 << 63), np.uint64(0x7FF << 52)


@kernel
def hash_rows(codes: NDArray[Any], bits: Hashes, out: Hashes) -> None:
    """out[r] = a hash of the codes and of the values' bits; all NaN are one value, and so are both zeros."""
    half = np.uint64(32)
    for r in range(len(out)):
        h = FACTOR
        for j in range(codes.shape[1]):
            h = (h ^ np.uint64(codes[r, j] + 2)) * FACTOR
            h ^= h >> half
        for j in range(bits.shape[1]):
            x = bits[r, j]
            if x == SIGN:
                x = np.uint64(0)
            elif (x & ~SIGN) > INFINITY:
                x = INFINITY
            h = (h ^ x) * FACTOR
            h ^= h >> half
        h *= FACTOR
        out[r] = h ^ (h >> half)
