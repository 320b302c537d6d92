"""One pass of logistic regression over rows: log-likelihood, gradient, Fisher information, the smallest margin.

A value without a coefficient (a reference level) has the place behind all terms: its coefficient is 0, and what is
added there nobody reads. So no loop over rows asks whether a value has a coefficient.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.linear.encoding import Encoding, standardise_rows
from crake.kernels.linear.products import add_products

Places = NDArray[np.uint32]

LONGEST = 16384
"""The most rows a block has, and the rows whose places are looked up together."""


def block_rows(numbers: int) -> int:
    """Rows a block: encoded and used while they are in the first two caches.

    Pairs of nominal columns want long blocks (their cells are fetched once a block), numbers short ones.
    """
    return LONGEST if numbers <= 1 else 4096 if numbers <= 8 else 512


@kernel
def linear_scores(dense: Floats, place: Places, start: int, c: Floats, rows: int, eta: Floats) -> None:
    """eta[r] = Σ terms × c[term]; four rows at a time, whose sums do not wait for each other."""
    width, columns = dense.shape[1], place.shape[0]
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


@kernel
def add_gradient(dense: Floats, place: Places, start: int, residual: Floats, rows: int, g: Floats) -> None:
    """g[term] += Σ x·residual[r]."""
    width = dense.shape[1]
    r = 0
    while r + 4 <= rows:
        e0, e1, e2, e3 = residual[r], residual[r + 1], residual[r + 2], residual[r + 3]
        for j in range(width):
            g[j] += (e0 * dense[r, j] + e1 * dense[r + 1, j]) + (e2 * dense[r + 2, j] + e3 * dense[r + 3, j])
        r += 4
    while r < rows:
        for j in range(width):
            g[j] += residual[r] * dense[r, j]
        r += 1
    for j in range(place.shape[0]):
        mine = place[j, start : start + rows]
        for r in range(rows):
            g[mine[r]] += residual[r]


@kernel
def _two_classes(eta: Floats, role: Ints, weights: Floats, rows: int, v: Floats, sums: Floats) -> None:
    """Turn the scores into residuals w·(is 1 − p) in the digits that are left of them; v = w·p·(1 − p).

    With e = exp(−|score|) the log-likelihood of a row is min(0, margin) − log(1 + e); one logarithm for many rows.
    """
    likelihood, product, low, high = 0.0, 1.0, sums[1], sums[2]
    for r in range(rows):
        own, w = role[r], weights[r]
        if own < 0 or w == 0.0:
            eta[r], v[r] = 0.0, 0.0
            continue
        margin = eta[r] if own == 1 else -eta[r]
        e = math.exp(-abs(margin))
        large = 1.0 / (1.0 + e)
        small = e * large
        left = w * (small if margin >= 0.0 else large)
        eta[r], v[r] = left if own == 1 else -left, w * small * large
        low, high = min(low, margin), max(high, margin)
        likelihood += w * min(0.0, margin)
        if w == 1.0 and e > 1e-3:
            product *= 1.0 + e
            if product > 1e300:
                likelihood -= math.log(product)
                product = 1.0
        else:
            likelihood -= w * math.log1p(e)
    sums[0] += likelihood - math.log(product)
    sums[1], sums[2] = low, high


@kernel
def share_scores(eta: Floats, role: Ints, weights: Floats, rows: int, p: Floats, rest: Floats, sums: Floats) -> None:
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
        sums[0] += w * (mine - top) - w * math.log1p(total - 1.0)
        sums[1] = min(sums[1], mine - other)
        sums[2] = max(sums[2], mine - other)


class Derivatives(NamedTuple):
    """Sums over rows that `add_pass` adds to.

    gradient[k, term] is Σ w·x·(is k − p_k); information[a(a+1)/2 + b] is Σ w·p_a·(δ_ab − p_b)·x·x' for b ≤ a, lower
    triangles; sums are log-likelihood, smallest and largest margin (the score of the own class less the best other).
    """

    gradient: Floats
    information: Floats
    sums: Floats


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
    out: Derivatives,
) -> None:
    """Add some rows, in blocks of `length`; role 0 is the base class."""
    gradient, information, sums = out.gradient, out.information, out.sums
    rows, M = role.shape[0], coefficient.shape[0]
    dense, v = np.empty((length, values.shape[1] + 1)), np.empty(length)
    eta, p, rest = np.empty((M, length)), np.empty((M, length)), np.empty((M, length))
    for start in range(0, rows, length):
        n = min(length, rows - start)
        own, w = role[start : start + n], weights[start : start + n]
        standardise_rows(values, start, start + n, encoding, dense)
        for k in range(M):
            linear_scores(dense, place, start, coefficient[k], n, eta[k])
        if M == 1:
            _two_classes(eta[0], own, w, n, v, sums)
        else:
            share_scores(eta, own, w, n, p, rest, sums)
        for k in range(M):
            add_gradient(dense, place, start, eta[k], n, gradient[k])
        if not with_information:
            continue
        for a in range(M):
            for b in range(a + 1):
                if M > 1:
                    for r in range(n):
                        v[r] = w[r] * p[a, r] * rest[a, r] if a == b else -w[r] * p[a, r] * p[b, r]
                add_products(dense, place, start, v, n, information[a * (a + 1) // 2 + b])
