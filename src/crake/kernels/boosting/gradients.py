"""Gradients of the losses, their packing into whole numbers, and their sums over leaves.

Whole numbers add to the same sum in any order, so neither threads nor the order of rows change a model.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.inlined import inlined

SQUARED, ABSOLUTE = 0, 1
BLOCK = 512
LOG2_E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 6.93147180369123816490e-01, 1.90821492927058770002e-10


@inlined
def _exponential(x: Floats, small: Floats, scale: Floats) -> None:
    """Set small and scale so that exp(x) = small · scale: a polynomial within ±½ ln 2, and a power of two.

    In place of the library's exp, because a loop over it becomes vector instructions. Its error is below 1e-14 of the
    value.
    """
    words = scale.view(np.int64)
    for i in range(x.shape[0]):
        k = np.floor(min(max(x[i], -700.0), 700.0) * LOG2_E + 0.5)
        r = (min(max(x[i], -700.0), 700.0) - k * LN2_HIGH) - k * LN2_LOW
        q = 1 / 5040.0 + r * (1 / 40320.0 + r * (1 / 362880.0 + r * (1 / 3628800.0 + r / 39916800.0)))
        small[i] = 1.0 + r * (
            1.0 + r * (0.5 + r * (1 / 6.0 + r * (1 / 24.0 + r * (1 / 120.0 + r * (1 / 720.0 + r * q)))))
        )
        words[i] = (np.int64(k) + 1023) << 52


@kernel
def logistic_gradients(score: Floats, label: Floats, begin: int, end: int, gradient: Floats) -> None:
    """Set gradient = P(1) − label, with P = 1/(1 + exp(−score))."""
    negative, small, scale = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for start in range(begin, end, BLOCK):
        size = min(BLOCK, end - start)
        for i in range(size):
            negative[i] = -score[start + i]
        _exponential(negative, small, scale)
        for i in range(size):
            gradient[start + i] = 1.0 / (1.0 + small[i] * scale[i]) - label[start + i]


@kernel
def softmax_gradients(score: Floats, target: Ints, begin: int, end: int, gradient: Floats) -> None:
    """Set gradient[k] = P(class k) − (class is k); score and gradient have shape (classes, rows)."""
    classes = score.shape[0]
    shifted, small, scale = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    highest, total = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(begin, end, BLOCK):
        size = min(BLOCK, end - start)
        highest[:] = -np.inf
        total[:] = 0.0
        for k in range(classes):
            for i in range(size):
                highest[i] = max(highest[i], score[k, start + i])
        for k in range(classes):
            for i in range(size):
                shifted[i] = score[k, start + i] - highest[i]
            _exponential(shifted, small, scale)
            for i in range(size):
                gradient[k, start + i] = small[i] * scale[i]
                total[i] += gradient[k, start + i]
        for k in range(classes):
            for i in range(size):
                gradient[k, start + i] = gradient[k, start + i] / total[i] - (1.0 if target[start + i] == k else 0.0)


@kernel
def number_gradients(score: Floats, y: Floats, begin: int, end: int, loss: int, gradient: Floats) -> None:
    """Set gradient = score − y of squared loss, its sign of absolute loss."""
    for i in range(begin, end):
        residual = score[i] - y[i]
        gradient[i] = residual if loss == SQUARED else np.sign(residual)


@kernel
def sum_of_sizes(gradient: Floats, weights: Floats, begin: int, end: int, unit: float) -> int:
    """Return Σ w·|gradient| in whole units."""
    total = 0
    if weights.shape[0] == 0:
        for i in range(begin, end):
            total += int(np.rint(abs(gradient[i]) * unit))
    else:
        for i in range(begin, end):
            total += int(np.rint(weights[i] * np.rint(abs(gradient[i]) * unit)))
    return total


@kernel
def sum_of_squares(gradient: Floats, weights: Floats, begin: int, end: int, scale: float, unit: float) -> int:
    """Return Σ w·(scale·gradient)² in whole units; the scale keeps the squares below 1."""
    total = 0
    if weights.shape[0] == 0:
        for i in range(begin, end):
            g = gradient[i] * scale
            total += int(np.rint(g * g * unit))
    else:
        for i in range(begin, end):
            g = gradient[i] * scale
            total += int(np.rint(weights[i] * np.rint(g * g * unit)))
    return total


@kernel
def pack(
    gradient: Floats,
    weights: Floats,
    begin: int,
    end: int,
    is_curved: bool,
    g_scale: float,
    h_scale: float,
    packed: Longs,
) -> int:
    """Pack gradient and hessian of each row, times its weight, into one whole number; return their sum.

    The hessian is |g|·(1 − |g|) of a curved loss, logistic or multinomial, otherwise 1. It is never 0. A row of weight
    w is w rows, so the gradient is made whole before it is weighted.
    """
    total = 0
    if weights.shape[0] == 0:
        for i in range(begin, end):
            size = abs(gradient[i])
            hessian = size * (1.0 - size) if is_curved else 1.0
            g = np.int64(np.rint(gradient[i] * g_scale))
            h = max(np.int64(np.rint(hessian * h_scale)), np.int64(1))
            packed[i] = (g << 32) + h
            total += int(packed[i])
        return total
    for i in range(begin, end):
        w = weights[i]
        if w == 0.0:
            packed[i] = 0
            continue
        size = abs(gradient[i])
        hessian = size * (1.0 - size) if is_curved else 1.0
        g = np.int64(np.rint(w * np.rint(gradient[i] * g_scale)))
        h = max(np.int64(np.rint(w * max(np.rint(hessian * h_scale), 1.0))), np.int64(1))
        packed[i] = (g << 32) + h
        total += int(packed[i])
    return total


@kernel
def leaf_sums(
    rows: Ints,
    edges: Longs,
    begin: int,
    end: int,
    gradient: Floats,
    weights: Floats,
    is_curved: bool,
    unit: float,
    h_unit: float,
    sums: Longs,
) -> None:
    """Set sums[leaf] = (Σ w·g, Σ w·h) in whole units, for the leaves begin … end − 1.

    The rows of a leaf go from one edge to the next.
    """
    for leaf in range(begin, end):
        g_sum, h_sum = np.int64(0), np.int64(0)
        for i in range(edges[leaf], edges[leaf + 1]):
            row = np.uint64(rows[i])
            g = gradient[row]
            size = abs(g)
            hessian = size * (1.0 - size) if is_curved else 1.0
            if weights.shape[0] == 0:
                g_sum += np.int64(np.rint(g * unit))
                h_sum += np.int64(np.rint(hessian * h_unit))
            else:
                g_sum += np.int64(np.rint(weights[row] * np.rint(g * unit)))
                h_sum += np.int64(np.rint(weights[row] * np.rint(hessian * h_unit)))
        sums[leaf, 0], sums[leaf, 1] = g_sum, h_sum


@kernel
def add_values(rows: Ints, edges: Longs, begin: int, end: int, values: Floats, score: Floats) -> None:
    """Add its value to the score of each row of the leaves begin … end − 1."""
    for leaf in range(begin, end):
        value = values[leaf]
        for i in range(edges[leaf], edges[leaf + 1]):
            score[np.uint64(rows[i])] += value
