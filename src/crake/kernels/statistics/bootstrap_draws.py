"""Drawing rows with replacement: random bits to counts in one walk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel


@kernel
def _drawn(raw: NDArray[np.uint64], rows: NDArray[np.int64], copies: NDArray[np.int32]) -> None:
    scale = rows.shape[0] / 9007199254740992.0
    for i in range(raw.shape[0]):
        copies[rows[np.int64((raw[i] >> np.uint64(11)) * scale)]] += 1


def drawn_copies(raw: NDArray[np.uint64], rows: NDArray[np.int64], total: int) -> NDArray[np.int32]:
    """How often each of `total` rows is drawn: row number ⌊u·n⌋ of `rows` for each u, the upper 53 bits of 64 raw ones.

    So many bits leave no bias to see.
    """
    copies = np.zeros(total, np.int32)
    _drawn(raw, rows, copies)
    return copies
