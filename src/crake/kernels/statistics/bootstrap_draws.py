"""Bootstrap samples: random bits to the number of copies of each row, in one scan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Ints, Longs
from crake.kernels import kernel


@kernel
def _count_draws(raw: NDArray[np.uint64], rows: Longs, copies: Ints) -> None:
    scale = rows.shape[0] / 9007199254740992.0
    for i in range(raw.shape[0]):
        copies[rows[np.int64((raw[i] >> np.uint64(11)) * scale)]] += 1


def sample_copies(raw: NDArray[np.uint64], rows: Longs, total: int) -> Ints:
    """Return how often each of `total` rows is in a sample with replacement of `rows`.

    Each draw is row number ⌊u·n⌋ of `rows`, where u is the upper 53 bits of 64 raw ones: no bias is visible.
    """
    copies = np.zeros(total, np.int32)
    _count_draws(raw, rows, copies)
    return copies
