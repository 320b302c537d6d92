"""One pass of logistic regression over rows: log-likelihood, gradient, Fisher information, the smallest margin.

A value without a coefficient (a reference level) has the place behind all terms: its coefficient is 0, and what is
added there nobody reads. So no loop over rows asks whether a value has a coefficient.

Terms of sums are rounded to grids first (`rounded_sums`): what a row adds is a function of that row alone, and no order
of rows changes a bit of the sums.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.inlined import inlined
from crake.kernels.linear.encoding import Encoding, standardise_rows
from crake.kernels.linear.exponentials import exp, log1p
from crake.kernels.linear.rounded_sums import (
    Places,
    Scales,
    add_gradient,
    add_rounded_products,
    add_split,
    add_split_terms,
    padded,
)

LONGEST = 16384
"""The most rows a block has, and the rows whose places are looked up together."""


def block_rows(numbers: int) -> int:
    """Rows a block: encoded and used while they are in the first two caches.

    Pairs of nominal columns want long blocks (their cells are fetched once a block), numbers short ones.
    """
    return LONGEST if numbers <= 1 else 4096 if numbers <= 8 else 512


@kernel
def linear_scores(dense: Floats, width: int, place: Places, start: int, c: Floats, rows: int, eta: Floats) -> None:
    """eta[r] = Σ terms × c[term]; four rows at a time, whose sums do not wait for each other.

    The first `width` numbers of a line of dense are terms.
    """
    columns = place.shape[0]
    r = 0
    while r + 4 <= rows:
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(width):
            s0 += dense[r, j] * c[j]
            s1 += dense[r + 1, j] * c[j]
            s2 += dense[r + 2, j] * c[j]
            s3 += dense[r + 3, j] * c[j]
        eta[r], eta[r + 1], eta[r + 2], eta[r + 3] = s0, s1, s2, s3
        r += 4
    while r < rows:
        s0 = 0.0
        for j in range(width):
            s0 += dense[r, j] * c[j]
        eta[r] = s0
        r += 1
    for j in range(columns):
        mine = place[j, start : start + rows]
        for r in range(rows):
            eta[r] += c[mine[r]]


class Grids(NamedTuple):
    """The numbers 3S that round the terms of each sum, and the scales (outputs, numbers + 1) of the information."""

    value: float
    gradient: float
    information: Floats


class Derivatives(NamedTuple):
    """Sums over rows that `add_pass` adds to.

    gradient[k, term] is Σ w·x·(is k − p_k) and `value` the log-likelihood, each as two sums: rounded, and what is left.
    information[a(a+1)/2 + b] is Σ w·p_a·(δ_ab − p_b)·x·x' for b ≤ a, lower triangles. `margins` are the smallest and
    the largest margin (the score of the own class less the best other).
    """

    gradient: Floats
    information: Floats
    value: Floats
    margins: Floats


class Room(NamedTuple):
    """Room for numbers of each row of a block; `bits` is the memory of `power` as whole numbers."""

    power: Floats
    bits: NDArray[np.int64]
    exponential: Floats
    gain: Floats
    margin: Floats


@inlined
def room_for(rows: int) -> Room:
    """Allocate the arrays that the exponentials of `rows` rows need."""
    power = np.empty(rows)
    return Room(power, power.view(np.int64), np.empty(rows), np.empty(rows), np.empty(rows))


@kernel
def _two_classes(
    eta: Floats, role: Ints, weights: Floats, rows: int, v: Floats, room: Room, rounding: float, out: Derivatives
) -> None:
    """Turn the scores into residuals w·(is 1 − p) in the digits that are left of them; v = w·p·(1 − p).

    With e = exp(−|score|) the log-likelihood of a row is min(0, margin) − log(1 + e).
    """
    exponential, gain, margin = room.exponential, room.gain, room.margin
    for r in range(rows):
        margin[r] = eta[r] if role[r] == 1 else -eta[r]
        eta[r] = -abs(eta[r])
    exp(eta, rows, room.power, room.bits, exponential)
    log1p(exponential, rows, gain)
    for r in range(rows):
        w, e = 0.0 if role[r] < 0 else weights[r], exponential[r]
        large = np.true_divide(1.0, 1.0 + e)
        small = e * large
        left = w * (small if margin[r] >= 0.0 else large)
        eta[r], v[r] = left if role[r] == 1 else -left, w * small * large
        gain[r] = w * (min(margin[r], 0.0) - gain[r])
    add_split_terms(gain, rows, rounding, out.value)
    low, high = out.margins[0], out.margins[1]
    for r in range(rows):
        if role[r] >= 0 and weights[r] != 0.0:
            low, high = min(low, margin[r]), max(high, margin[r])
    out.margins[0], out.margins[1] = low, high


@kernel
def share_scores(
    eta: Floats,
    role: Ints,
    weights: Floats,
    rows: int,
    p: Floats,
    rest: Floats,
    rounding: float,
    value: Floats,
    margins: Floats,
) -> None:
    """The p of every class but the base, whose score is 0, and 1 − p; scores (outputs, rows) become residuals."""
    M = eta.shape[0]
    for r in range(rows):
        own, w = role[r], weights[r]
        if own < 0 or w == 0.0:
            for k in range(M):
                p[k, r], rest[k, r], eta[k, r] = 0.0, 0.0, 0.0
            continue
        mine = eta[own - 1, r] if own > 0 else 0.0
        top = 0.0
        other = -math.inf if own == 0 else 0.0
        for k in range(M):
            top = max(top, eta[k, r])
            if k != own - 1:
                other = max(other, eta[k, r])
        base = math.exp(-top)
        total = base
        for k in range(M):
            p[k, r] = math.exp(eta[k, r] - top)
            total += p[k, r]
        # 1 − p as the sum of the others: near p = 1 the difference would have no digits.
        before = base
        for k in range(M):
            rest[k, r] = before
            before += p[k, r]
        after = 0.0
        for back in range(M):
            k = M - 1 - back
            rest[k, r] += after
            after += p[k, r]
        for k in range(M):
            p[k, r] /= total
            rest[k, r] /= total
            eta[k, r] = w * rest[k, r] if own == k + 1 else -w * p[k, r]
        # The total is at least 1: the largest term is.
        add_split(w * (mine - top) - w * math.log1p(total - 1.0), rounding, value)
        margins[0] = min(margins[0], mine - other)
        margins[1] = max(margins[1], mine - other)


@kernel
def add_pass(
    place: Places,
    values: Floats,
    role: Ints,
    weights: Floats,
    length: int,
    encoding: Encoding,
    coefficient: Floats,
    with_information: bool,
    grids: Grids,
    out: Derivatives,
) -> None:
    """Add some rows, in blocks of `length`; role 0 is the base class."""
    rows, M, width = role.shape[0], coefficient.shape[0], values.shape[1] + 1
    length = min(length, max(rows, 1))
    dense, v = np.zeros((length, padded(width))), np.empty(length)
    rounded = np.empty((length if place.shape[0] else 0, width))
    eta, p, rest = np.empty((M, length)), np.empty((M, length)), np.empty((M, length))
    room = room_for(length)
    for start in range(0, rows, length):
        n = min(length, rows - start)
        own, w = role[start : start + n], weights[start : start + n]
        standardise_rows(values, start, start + n, encoding, dense)
        for k in range(M):
            linear_scores(dense, width, place, start, coefficient[k], n, eta[k])
        if M == 1:
            _two_classes(eta[0], own, w, n, v, room, grids.value, out)
        else:
            share_scores(eta, own, w, n, p, rest, grids.value, out.value, out.margins)
        for k in range(M):
            add_gradient(dense, width, place, start, eta[k], n, grids.gradient, out.gradient[k])
        if not with_information:
            continue
        for a in range(M):
            for b in range(a + 1):
                if M > 1:
                    for r in range(n):
                        v[r] = w[r] * p[a, r] * rest[a, r] if a == b else -w[r] * p[a, r] * p[b, r]
                scales = Scales(grids.information[a], grids.information[b])
                add_rounded_products(dense, place, start, v, n, scales, rounded, out.information[a * (a + 1) // 2 + b])
