"""Posteriors of rows that can be looked up, and of those that need a sum over missing values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crake.arrays import Codes, Flags, Floats
from crake.kernels.bayes.posterior import normalise_rows


def divided_posteriors(
    codes: Codes,
    is_plain: Flags,
    looked_up: Callable[[Codes], Floats],
    log_products: Callable[[Codes], Floats],
    shares: Floats,
) -> Floats:
    """Return P(class given row): plain rows are looked up, the log products of the others are normalised.

    `shares` are those of the classes: the answer of a row that no class can have.
    """
    if is_plain.all():
        return looked_up(codes)
    out = np.empty((len(codes), len(shares)))
    plain, others = np.flatnonzero(is_plain), np.flatnonzero(~is_plain)
    out[plain] = looked_up(codes[plain])
    logs = log_products(codes[others])
    normalise_rows(logs, shares)
    out[others] = logs
    return out
