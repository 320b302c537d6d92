"""Answers by a cutoff on the score of one class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats


def called(scores: Floats, positive: int, cutoff: float) -> NDArray[np.int32]:
    """The positive class where its score is at least the cutoff, otherwise the highest of the other classes.

    >>> called(np.array([[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.2, 0.1, 0.7]]), positive=1, cutoff=0.2).tolist()
    [1, 1, 2]
    """
    if scores.shape[1] == 2:
        return np.where(scores[:, positive] >= cutoff, positive, 1 - positive).astype(np.int32)
    others = scores.copy()
    others[:, positive] = -np.inf
    return np.where(scores[:, positive] >= cutoff, positive, np.argmax(others, axis=1)).astype(np.int32)
