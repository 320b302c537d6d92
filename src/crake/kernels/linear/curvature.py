"""Products with the Fisher information of logistic regression, which is never made: for models of many coefficients.

The information of output a and b is Σ w·p_a·(δ_ab − p_b)·x·x'. Its product with a direction v costs a row no more than
its gradient: with d_k = x'v_k, output k gets w·p_k·(d_k − Σ p_j·d_j)·x.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.grid import on_grid
from crake.kernels.linear.encoding import Encoding, standardise_rows
from crake.kernels.linear.logistic import linear_scores, share_scores
from crake.kernels.linear.rounded_sums import (
    FINER,
    Places,
    Scales,
    add_gradient,
    add_residuals,
    add_rounded_products,
    padded,
)


class Block(NamedTuple):
    """Rows of a batch as terms, and room for the scores and probabilities of some of them at a time."""

    place: Places
    values: Floats
    role: Ints
    weights: Floats
    length: int


class Room(NamedTuple):
    """Scores, p and 1 − p (outputs, rows), and a log-likelihood and margins that nobody reads."""

    scores: Floats
    p: Floats
    rest: Floats
    value: Floats
    margins: Floats


@kernel
def _fill(block: Block, encoding: Encoding, start: int, coefficient: Floats, dense: Floats, room: Room) -> int:
    """Fill the terms, p and 1 − p of the next rows, and return their number; p is 0 without a class or a weight."""
    n = min(block.length, len(block.role) - start)
    width = block.values.shape[1] + 1
    standardise_rows(block.values, start, start + n, encoding, dense)
    role, weights = block.role[start : start + n], block.weights[start : start + n]
    for k in range(coefficient.shape[0]):
        linear_scores(dense, width, block.place, start, coefficient[k], n, room.scores[k])
    if coefficient.shape[0] > 1:
        share_scores(room.scores, role, weights, n, room.p, room.rest, 0.0, room.value, room.margins)
        return n
    for r in range(n):
        score = room.scores[0, r]
        e = math.exp(-abs(score))
        large = 1.0 / (1.0 + e)
        is_used = role[r] >= 0 and weights[r] != 0.0
        room.p[0, r] = (large if score >= 0.0 else e * large) if is_used else 0.0
        room.rest[0, r] = e * large if score >= 0.0 else large
    return n


@kernel
def _room(outputs: int, length: int) -> Room:
    scores, p, rest = np.empty((outputs, length)), np.empty((outputs, length)), np.empty((outputs, length))
    return Room(scores, p, rest, np.zeros(2), np.zeros(2))


@kernel
def add_curvature(
    block: Block, encoding: Encoding, coefficient: Floats, direction: Floats, rounding: float, out: Floats
) -> None:
    """Add the product of the rows' information with a direction, both (outputs, terms + 1), to the two sums of each."""
    M, length, width = coefficient.shape[0], block.length, block.values.shape[1] + 1
    dense, mean = np.empty((length, width)), np.empty(length)
    room = _room(M, length)
    for start in range(0, len(block.role), length):
        n = _fill(block, encoding, start, coefficient, dense, room)
        mean[:n] = 0.0
        for k in range(M):
            linear_scores(dense, width, block.place, start, direction[k], n, room.scores[k])
            for r in range(n):
                mean[r] += room.p[k, r] * room.scores[k, r]
        for k in range(M):
            for r in range(n):
                d = room.scores[k, r]
                d = room.rest[k, r] * d if M == 1 else d - mean[r]
                room.scores[k, r] = block.weights[start + r] * room.p[k, r] * d
            add_gradient(dense, width, block.place, start, room.scores[k], n, rounding, out[k])


@kernel
def add_own_information(
    block: Block,
    encoding: Encoding,
    coefficient: Floats,
    scales: Floats,
    rounding: float,
    diagonal: Floats,
    blocks: Floats,
) -> None:
    """Add the rows' information of each output with itself: its diagonal, or where `blocks` has room the matrix.

    The diagonal has two sums for each of (outputs, terms + 1), and the matrices are (outputs, terms + 1, terms + 1),
    lower triangles, rounded by the scales (outputs, numbers + 1).
    """
    M, length, width = coefficient.shape[0], block.length, block.values.shape[1] + 1
    dense, rounded, v = np.zeros((length, padded(width))), np.empty((length, width)), np.empty(length)
    room = _room(M, length)
    for start in range(0, len(block.role), length):
        n = _fill(block, encoding, start, coefficient, dense, room)
        for k in range(M):
            for r in range(n):
                v[r] = block.weights[start + r] * room.p[k, r] * room.rest[k, r]
            if blocks.shape[0] == M:
                own = Scales(scales[k], scales[k])
                add_rounded_products(dense, block.place, start, v, n, own, rounded, blocks[k])
            else:
                _add_squares(dense, width, block.place, start, v, n, rounding, diagonal[k])


@kernel
def _add_squares(
    dense: Floats, width: int, place: Places, start: int, v: Floats, rows: int, rounding: float, out: Floats
) -> None:
    """Add Σ v·x² to the two sums of each term."""
    fine = rounding * FINER
    for r in range(rows):
        for j in range(width):
            t = v[r] * dense[r, j] * dense[r, j]
            high = on_grid(t, rounding)
            out[j, 0] += high
            out[j, 1] += on_grid(t - high, fine)
    add_residuals(place, start, v, rows, rounding, out)


@kernel
def add_modification(
    block: Block, encoding: Encoding, coefficient: Floats, inverse: Floats, rounding: float, out: Floats
) -> None:
    """Add ½·tr(I⁻¹·∂I/∂β) of the rows, by which Firth's score differs, to the two sums of each (outputs, terms + 1).

    With Q = x'·I⁻¹·x of a row (outputs, outputs), output c of the row gets w/2 · p_c·(Q_cc − Σ_a Q_aa·p_a
    − 2·Σ_b Q_cb·p_b + 2·Σ_ab p_a·p_b·Q_ab), which for two classes is h·(½ − p), h the row's leverage. `inverse` has
    shape (outputs, outputs, terms + 1, terms + 1).
    """
    M, length, width, columns = coefficient.shape[0], block.length, block.values.shape[1] + 1, block.place.shape[0]
    dense, pulls, Q = np.empty((length, width)), np.empty((M, length)), np.empty((M, M))
    at, x = np.empty(width + columns, np.int64), np.ones(width + columns)
    at[:width] = np.arange(width)
    room = _room(M, length)
    for start in range(0, len(block.role), length):
        n = _fill(block, encoding, start, coefficient, dense, room)
        for r in range(n):
            x[:width] = dense[r]
            for j in range(columns):
                at[width + j] = block.place[j, start + r]
            own, pairs = 0.0, 0.0
            for a in range(M):
                for b in range(M):
                    Q[a, b] = _quadratic_form(inverse[a, b], at, x)
                    pairs += room.p[a, r] * room.p[b, r] * Q[a, b]
                own += Q[a, a] * room.p[a, r]
            for c in range(M):
                pull = Q[c, c] - own + 2.0 * pairs
                for b in range(M):
                    pull -= 2.0 * Q[c, b] * room.p[b, r]
                pulls[c, r] = 0.5 * block.weights[start + r] * room.p[c, r] * pull
        for c in range(M):
            add_gradient(dense, width, block.place, start, pulls[c], n, rounding, out[c])


@kernel
def _quadratic_form(matrix: Floats, at: NDArray[np.int64], x: Floats) -> float:
    """Return Σ x_i·x_j·matrix[at_i, at_j]."""
    total = 0.0
    for i in range(len(x)):
        line, part = matrix[at[i]], 0.0
        for j in range(len(x)):
            part += line[at[j]] * x[j]
        total += x[i] * part
    return total
