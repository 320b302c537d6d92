"""Products with the Fisher information of logistic regression, which is never made: for models of many coefficients.

The information of output a and b is Σ w·p_a·(δ_ab − p_b)·x·x'. Its product with a direction v costs a row no more than
its gradient: with d_k = x'v_k, output k gets w·p_k·(d_k − Σ p_j·d_j)·x.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.linear.encoding import Encoding, standardise_rows
from crake.kernels.linear.logistic import Places, add_gradient, linear_scores, share_scores
from crake.kernels.linear.products import add_products


class Block(NamedTuple):
    """Rows of a batch as terms, and room for the scores and probabilities of some of them at a time."""

    place: Places
    values: Floats
    role: Ints
    weights: Floats
    length: int


class Room(NamedTuple):
    """Scores, p and 1 − p (outputs, rows), and sums that nobody reads."""

    scores: Floats
    p: Floats
    rest: Floats
    sums: Floats


@kernel
def _fill(block: Block, encoding: Encoding, start: int, coefficient: Floats, dense: Floats, room: Room) -> int:
    """Fill the terms, p and 1 − p of the next rows, and return their number; p is 0 without a class or a weight."""
    n = min(block.length, len(block.role) - start)
    standardise_rows(block.values, start, start + n, encoding, dense)
    role, weights = block.role[start : start + n], block.weights[start : start + n]
    for k in range(coefficient.shape[0]):
        linear_scores(dense, block.place, start, coefficient[k], n, room.scores[k])
    if coefficient.shape[0] > 1:
        share_scores(room.scores, role, weights, n, room.p, room.rest, room.sums)
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
    return Room(np.empty((outputs, length)), np.empty((outputs, length)), np.empty((outputs, length)), np.zeros(3))


@kernel
def add_curvature(block: Block, encoding: Encoding, coefficient: Floats, direction: Floats, out: Floats) -> None:
    """Add the product of the rows' information with a direction; all are (outputs, terms + 1)."""
    M, length = coefficient.shape[0], block.length
    dense, mean = np.empty((length, block.values.shape[1] + 1)), np.empty(length)
    room = _room(M, length)
    for start in range(0, len(block.role), length):
        n = _fill(block, encoding, start, coefficient, dense, room)
        mean[:n] = 0.0
        for k in range(M):
            linear_scores(dense, block.place, start, direction[k], n, room.scores[k])
            for r in range(n):
                mean[r] += room.p[k, r] * room.scores[k, r]
        for k in range(M):
            for r in range(n):
                d = room.scores[k, r]
                d = room.rest[k, r] * d if M == 1 else d - mean[r]
                room.scores[k, r] = block.weights[start + r] * room.p[k, r] * d
            add_gradient(dense, block.place, start, room.scores[k], n, out[k])


@kernel
def add_own_information(
    block: Block, encoding: Encoding, coefficient: Floats, diagonal: Floats, blocks: Floats
) -> None:
    """Add the rows' information of each output with itself: its diagonal, or where `blocks` has room the matrix.

    The diagonal is (outputs, terms + 1), the matrices are (outputs, terms + 1, terms + 1), lower triangles.
    """
    M, length = coefficient.shape[0], block.length
    dense, v = np.empty((length, block.values.shape[1] + 1)), np.empty(length)
    room = _room(M, length)
    for start in range(0, len(block.role), length):
        n = _fill(block, encoding, start, coefficient, dense, room)
        for k in range(M):
            for r in range(n):
                v[r] = block.weights[start + r] * room.p[k, r] * room.rest[k, r]
            if blocks.shape[0] == M:
                add_products(dense, block.place, start, v, n, blocks[k])
            else:
                _add_squares(dense, block.place, start, v, n, diagonal[k])


@kernel
def _add_squares(dense: Floats, place: Places, start: int, v: Floats, rows: int, out: Floats) -> None:
    """out[term] += Σ v·x²."""
    for r in range(rows):
        for j in range(dense.shape[1]):
            out[j] += v[r] * dense[r, j] * dense[r, j]
    for j in range(place.shape[0]):
        mine = place[j, start : start + rows]
        for r in range(rows):
            out[mine[r]] += v[r]
