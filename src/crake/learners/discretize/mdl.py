"""Supervised cuts by minimum description length: as many as pay for themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import readable
from crake.kernels.discretize.mdl import mdl_cuts as compiled

Floats = NDArray[np.float64]


def mdl_cuts(
    value: Floats,
    class_: NDArray[np.int32],
    count: Floats,
    classes: int,
    criterion: str = "fayyad-irani",
    encoding: str = "rows",
) -> Floats:
    """Cut where the class entropy falls most, if that pays; then both sides in the same way.

    The cells (value, class, count) are ascending by value. A cut of an interval of n rows and k classes pays if

    gain > (log2 c + log2(3^k − 2) − (k·H − k1·H1 − k2·H2)) / n,

    k1, k2 the classes on its sides; c is n − 1, or with encoding="midpoints" the number of possible cuts. By
    criterion="kononenko" it pays if the interval's coding length, log2 C(n + k − 1, k − 1) + log2 n!/(n_1! … n_k!),
    exceeds log2 c + the coding lengths of both sides.

    >>> value, class_ = np.arange(30.0), np.repeat([0, 1, 2], 10).astype(np.int32)
    >>> mdl_cuts(value, class_, np.ones(30), 3)
    array([ 9.5, 19.5])

    Fayyad and Irani (1993), Multi-interval discretization of continuous-valued attributes for classification learning.
    Kononenko (1995), On biases in estimating multi-valued attributes.
    """
    return compiled(
        readable(value),
        readable(class_),
        readable(count),
        classes,
        criterion == "kononenko",
        encoding == "midpoints",
    )
