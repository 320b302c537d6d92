"""One pass of logistic regression over rows: log-likelihood, gradient, Fisher information, the smallest margin.

Rows are taken in fixed blocks by row number, and block b belongs to stripe b mod S: each stripe sums its own blocks in
their order, and the stripes are added in theirs. So the bits depend neither on threads nor on batches.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.encoding import encode_block
from crake.kernels.products import add_products

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

LONGEST = 16384
"""The most rows a block has."""


def block_rows(numbers: int) -> int:
    """Rows a block: encoded and used while they are in the first two caches.

    Pairs of nominal columns want long blocks (their cells are fetched once a block), numbers short ones.
    """
    return LONGEST if numbers <= 1 else 4096 if numbers <= 8 else 512


@kernel
def _linear(dense: Floats, place: Ints, coefficient: Floats, rows: int, eta: Floats) -> None:
    """eta[r, k] = Σ terms × coefficient[k, term]; four rows at a time, whose sums do not wait for each other."""
    width, M = dense.shape[1], coefficient.shape[0]
    for k in range(M):
        c = coefficient[k]
        r = 0
        while r + 4 <= rows:
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for j in range(width):
                s0 += dense[r, j] * c[j]
                s1 += dense[r + 1, j] * c[j]
                s2 += dense[r + 2, j] * c[j]
                s3 += dense[r + 3, j] * c[j]
            eta[r, k], eta[r + 1, k], eta[r + 2, k], eta[r + 3, k] = s0, s1, s2, s3
            r += 4
        while r < rows:
            s0 = 0.0
            for j in range(width):
                s0 += dense[r, j] * c[j]
            eta[r, k] = s0
            r += 1
        for j in range(place.shape[0]):
            for r in range(rows):
                if place[j, r] >= 0:
                    eta[r, k] += c[place[j, r]]


@kernel
def _add_gradient(dense: Floats, place: Ints, residual: Floats, rows: int, gradient: Floats) -> None:
    """gradient[k, term] += Σ x·residual[r, k]."""
    width = dense.shape[1]
    for k in range(residual.shape[1]):
        g = gradient[k]
        r = 0
        while r + 4 <= rows:
            e0, e1, e2, e3 = residual[r, k], residual[r + 1, k], residual[r + 2, k], residual[r + 3, k]
            for j in range(width):
                g[j] += (e0 * dense[r, j] + e1 * dense[r + 1, j]) + (e2 * dense[r + 2, j] + e3 * dense[r + 3, j])
            r += 4
        while r < rows:
            for j in range(width):
                g[j] += residual[r, k] * dense[r, j]
            r += 1
        for j in range(place.shape[0]):
            for r in range(rows):
                if place[j, r] >= 0:
                    g[place[j, r]] += residual[r, k]


@kernel
def _two_classes(eta: Floats, role: int, r: int, p: Floats, rest: Floats) -> tuple[float, float, float]:
    """P of the class that is not the base; returns a, e and the margin, log P(own class) being a − log(1 + e)."""
    z = eta[r, 0]
    e = math.exp(-abs(z))
    small, large = e / (1.0 + e), 1.0 / (1.0 + e)
    p[r, 0], rest[r, 0] = (large, small) if z >= 0.0 else (small, large)
    margin = z if role == 1 else -z
    return min(0.0, margin), e, margin


@kernel
def _more_classes(eta: Floats, role: int, r: int, p: Floats, rest: Floats) -> tuple[float, float, float]:
    """The p of every class but the base, whose score is 0, and 1 − p; returns a, e, margin as above."""
    M = eta.shape[1]
    own = eta[r, role - 1] if role > 0 else 0.0
    top = 0.0
    other = -math.inf if role == 0 else 0.0
    for k in range(M):
        top = max(top, eta[r, k])
        if k != role - 1:
            other = max(other, eta[r, k])
    base = math.exp(-top)
    total = base
    for k in range(M):
        p[r, k] = math.exp(eta[r, k] - top)
        total += p[r, k]
    # 1 − p as the sum of the others: near p = 1 the difference would have no digits.
    before = base
    for k in range(M):
        rest[r, k] = before
        before += p[r, k]
    after = 0.0
    for back in range(M):
        k = M - 1 - back
        rest[r, k] += after
        after += p[r, k]
    for k in range(M):
        p[r, k] /= total
        rest[r, k] /= total
    # The total is at least 1: the largest term is.
    return own - top, total - 1.0, own - other


@kernel
def add_pass(
    codes: Ints,
    values: Floats,
    role: Ints,
    weights: Floats,
    first: int,
    length: int,
    stripe: int,
    stripes: int,
    offsets: Longs,
    places: Ints,
    unit: Floats,
    centre: Floats,
    rest_of_mean: Floats,
    scale: Floats,
    missing: Ints,
    coefficient: Floats,
    with_information: bool,
    gradient: Floats,
    information: Floats,
    sums: Floats,
) -> None:
    """Add the blocks of `length` rows of one stripe. `first` is the number of the first; role 0 is the base class.

    gradient[k, term] += Σ w·x·(is k − p_k); information[a(a+1)/2 + b] += Σ w·p_a·(δ_ab − p_b)·x·x' for b ≤ a, lower
    triangles; sums = log-likelihood, smallest and largest margin (the score of the own class less the best other).
    """
    rows, M = values.shape[0], coefficient.shape[0]
    width = values.shape[1] + 1
    dense = np.empty((length, width))
    place = np.empty((codes.shape[1] + missing.shape[1], length), np.int32)
    eta, p, rest = np.empty((length, M)), np.empty((length, M)), np.empty((length, M))
    v = np.empty(length)
    for block in range((rows + length - 1) // length):
        if (first + block) % stripes != stripe:
            continue
        start = block * length
        n = min(length, rows - start)
        encode_block(
            codes, values, start, start + n, offsets, places, unit, centre, rest_of_mean, scale, missing, dense, place
        )  # fmt: skip
        _linear(dense, place, coefficient, n, eta)
        likelihood, product = 0.0, 1.0
        for r in range(n):
            own, w = role[start + r], weights[start + r]
            if own < 0 or w == 0.0:
                for k in range(M):
                    p[r, k], rest[r, k], eta[r, k] = 0.0, 0.0, 0.0
                continue
            least, e, margin = _two_classes(eta, own, r, p, rest) if M == 1 else _more_classes(eta, own, r, p, rest)
            likelihood += w * least
            if w == 1.0 and 1e-3 < e <= 1.0:
                # One logarithm for many rows.
                product *= 1.0 + e
                if product > 1e300:
                    likelihood -= math.log(product)
                    product = 1.0
            else:
                likelihood -= w * math.log1p(e)
            sums[1] = min(sums[1], margin)
            sums[2] = max(sums[2], margin)
            for k in range(M):
                # From here on eta is the residual w·(is k − p_k), in the digits that are left of it.
                eta[r, k] = w * rest[r, k] if own == k + 1 else -w * p[r, k]
        sums[0] += likelihood - math.log(product)
        _add_gradient(dense, place, eta, n, gradient)
        if with_information:
            pair = 0
            for a in range(M):
                for b in range(a + 1):
                    for r in range(n):
                        w = weights[start + r]
                        v[r] = w * p[r, a] * rest[r, a] if a == b else -w * p[r, a] * p[r, b]
                    add_products(dense, place, v, n, information[pair])
                    pair += 1
