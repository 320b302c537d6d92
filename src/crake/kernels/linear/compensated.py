"""Sums of products to twice the digits of a float: what iterative refinement of least squares lives on.

A product and a sum of two floats, and what rounding takes from each, are sums of two floats exactly (Dekker 1971,
Knuth). No extended type is asked of the machine.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.statistics.two_sum import sum_and_rest

SPLITTER = 134217729.0  # 2^27 + 1


@kernel
def product_and_rest(a: float, b: float) -> tuple[float, float]:
    """The rounded product a·b and what rounding took from it (Dekker's, after Veltkamp's split)."""
    p = a * b
    c = SPLITTER * a
    high_a = c - (c - a)
    low_a = a - high_a
    c = SPLITTER * b
    high_b = c - (c - b)
    low_b = b - high_b
    return p, ((high_a * high_b - p) + high_a * low_b + low_a * high_b) + low_a * low_b


@kernel
def residuals(x: Floats, y: Floats, root: Floats, beta: Floats, rest: Floats, r: Floats, out: Floats) -> None:
    """Out = root·(y − x·(beta + rest)) − r, each row summed to twice the digits and rounded once."""
    for i in range(x.shape[0]):
        total, error = y[i], 0.0
        for j in range(x.shape[1]):
            p, e = product_and_rest(-x[i, j], beta[j])
            total, t = sum_and_rest(total, p)
            error += (t + e) - x[i, j] * rest[j]
        total, error = sum_and_rest(total, error)
        p, e = product_and_rest(root[i], total)
        e += root[i] * error
        total, t = sum_and_rest(p, -r[i])
        out[i] = total + (t + e)


@kernel
def projections(x: Floats, root: Floats, r: Floats, out: Floats) -> None:
    """Out = −x'·(root·r), each column summed to twice the digits and rounded once."""
    columns = x.shape[1]
    rest = np.zeros(columns)
    out[:] = 0.0
    for i in range(x.shape[0]):
        v, u = product_and_rest(root[i], r[i])
        for j in range(columns):
            p, e = product_and_rest(-x[i, j], v)
            out[j], t = sum_and_rest(out[j], p)
            rest[j] += (t + e) - x[i, j] * u
    for j in range(columns):
        out[j] += rest[j]
