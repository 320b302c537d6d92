"""The most probable class of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats


def most_probable(probabilities: Floats) -> NDArray[np.intp]:
    """Return the code of the largest entry of each row, the first of equals; two columns are compared at once.

    >>> most_probable(np.array([[0.5, 0.5], [0.2, 0.8]])).tolist()
    [0, 1]
    """
    if probabilities.shape[1] == 2:
        return (probabilities[:, 1] > probabilities[:, 0]).astype(np.intp)
    codes: NDArray[np.intp] = np.argmax(probabilities, axis=1)
    return codes
