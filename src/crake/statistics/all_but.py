"""All groups but one: what a cross-validation fold is trained on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def all_but(counts: NDArray[np.float64], group: int, *, exact: bool) -> NDArray[np.float64]:
    """The sum over the first axis without one of its entries, the axis kept with length 1.

    Whole numbers are subtracted from the total, which is exact up to 2^53; fractions are added up anew.
    """
    if exact:
        rest: NDArray[np.float64] = counts.sum(axis=0, keepdims=True) - counts[group : group + 1]
    else:
        rest = counts[:group].sum(axis=0, keepdims=True) + counts[group + 1 :].sum(axis=0, keepdims=True)
    return rest
