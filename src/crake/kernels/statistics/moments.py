"""Moments: weight, mean and centred sum of squares of each numeric column, for each class and group.

Rows are taken in fixed blocks by row number; each block is centred on its own mean (two passes while it is in
cache) and the blocks are merged in their order. So the bits do not depend on threads or batches.
Values that would overflow or underflow when squared are held scaled by a power of two, which is exact; each class
and group by its own, so that an outlier in one fold takes no digits from the others.
A mean is held as two floats, their sum: of values like 10^9 ± 0.001 one float keeps only a ten-thousandth of the
deviation, and every merge would put that error into the squares.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import kernel, readable, threads
from crake.kernels.tiered import tiered

BLOCK = 4096
"""Rows a block: two passes over 20 columns stay in the second-level cache."""
WAVE_BYTES = 1 << 26
"""Memory for the blocks' own moments before they are merged."""


LARGE = 2.0**400
SCALE = 600
"""Values above 2^400 (all below 2^-400) are divided (multiplied) by 2^600: squares stay finite."""
NOISE = 2.0**-40
"""A correction that leaves a smaller share of the squares than this leaves rounding errors: the values are equal."""


@kernel
def sum_and_rest(a: float, b: float) -> tuple[float, float]:
    """The rounded sum a + b and what rounding took from it (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@tiered(lambda values, _target, _group, _weights, start, stop, *_: 4 * (stop - start) * values.shape[1], most=300_000)
def _block(
    values: Floats,
    target: Ints,
    group: Ints,
    weights: Floats,
    start: int,
    stop: int,
    classes: int,
    moments: Floats,
    exponent: Ints,
    extent: Floats,
) -> None:
    """moments[0|1|2|3, group·classes + class, column] = weight, mean, centred squares, rest of the mean of a block.

    extent[0|1, …] becomes the least and the largest known value.
    """
    columns = values.shape[1]
    weight, mean, squares, rest = moments[0], moments[1], moments[2], moments[3]
    least, largest = extent[0], extent[1]
    for i in range(start, stop):
        if target[i] < 0 or group[i] < 0:
            continue
        c = group[i] * classes + target[i]
        w = weights[i]
        for j in range(columns):
            x = values[i, j]
            known = x == x
            v = x if known else 0.0
            weight[c, j] += w if known else 0.0
            mean[c, j] += w * v
            least[c, j] = min(least[c, j], x)  # NaN is not below it
            largest[c, j] = max(largest[c, j], x)
    scale = np.ones(mean.shape)
    rescaled = False
    for c in range(mean.shape[0]):
        for j in range(columns):
            size = max(-least[c, j], largest[c, j])  # -inf without a value
            if size > LARGE:
                exponent[c, j] = SCALE
            elif 0.0 < size < 1.0 / LARGE:
                exponent[c, j] = -SCALE
            if exponent[c, j] != 0:
                scale[c, j] = 2.0 ** (-exponent[c, j])
                mean[c, j] = 0.0
                rescaled = True
    if rescaled:
        for i in range(start, stop):
            if target[i] < 0 or group[i] < 0:
                continue
            c = group[i] * classes + target[i]
            for j in range(columns):
                x = values[i, j]
                if exponent[c, j] != 0 and x == x:
                    mean[c, j] += weights[i] * (x * scale[c, j])
    for c in range(mean.shape[0]):
        for j in range(columns):
            if weight[c, j] > 0.0:
                mean[c, j] /= weight[c, j]
    # The deviations of a computed mean do not add up to zero exactly; what they add up to corrects both moments.
    drift = np.zeros(mean.shape)
    for i in range(start, stop):
        if target[i] < 0 or group[i] < 0:
            continue
        c = group[i] * classes + target[i]
        w = weights[i]
        for j in range(columns):
            x = values[i, j]
            d = x * scale[c, j] - mean[c, j]
            d = d if x == x else 0.0
            drift[c, j] += w * d
            squares[c, j] += w * d * d
    for c in range(mean.shape[0]):
        for j in range(columns):
            if weight[c, j] > 0.0:
                shift = drift[c, j] / weight[c, j]
                remaining = squares[c, j] - drift[c, j] * shift
                mean[c, j], rest[c, j] = sum_and_rest(mean[c, j], shift)
                if remaining <= NOISE * squares[c, j]:
                    remaining, rest[c, j] = 0.0, 0.0
                squares[c, j] = remaining


@tiered(lambda into, *_: 2 * into.size, most=300_000)
def merge_moments(into: Floats, into_exponent: Ints, other: Floats, other_exponent: Ints) -> None:
    """Merge in place: n = n1 + n2, d = m2 − m1, mean = m1 + d·n2/n, squares = s1 + s2 + d²·n1·n2/n.

    Chan, Golub and LeVeque (1979). Cells of different exponents meet at the larger one; a cell of nothing but zeros
    takes the other's.
    """
    for c in range(into.shape[1]):
        for j in range(into.shape[2]):
            n1, n2 = into[0, c, j], other[0, c, j]
            if n2 == 0.0:
                continue
            if n1 == 0.0:
                for part in range(4):  # not a slice: that would compile numba's text of an error for seconds
                    into[part, c, j] = other[part, c, j]
                into_exponent[c, j] = other_exponent[c, j]
                continue
            m1, m2, s1, s2 = into[1, c, j], other[1, c, j], into[2, c, j], other[2, c, j]
            r1, r2 = into[3, c, j], other[3, c, j]
            if into_exponent[c, j] != other_exponent[c, j]:
                common = max(into_exponent[c, j], other_exponent[c, j])
                if m2 == 0.0 and s2 == 0.0:
                    common = into_exponent[c, j]
                elif m1 == 0.0 and s1 == 0.0:
                    common = other_exponent[c, j]
                f1, f2 = 2.0 ** (into_exponent[c, j] - common), 2.0 ** (other_exponent[c, j] - common)
                m1, r1, s1 = m1 * f1, r1 * f1, s1 * f1 * f1
                m2, r2, s2 = m2 * f2, r2 * f2, s2 * f2 * f2
                into_exponent[c, j] = common
            n = n1 + n2
            d = (m2 - m1) + (r2 - r1)
            into[0, c, j] = n
            into[1, c, j], into[3, c, j] = sum_and_rest(m1, r1 + d * (n2 / n))
            into[2, c, j] = s1 + s2 + d * d * (n1 * (n2 / n))


def add_moments(
    values: Floats,
    target: Ints,
    group: Ints,
    weights: Floats,
    classes: int,
    moments: Floats,
    exponent: Ints,
    extent: Floats,
) -> None:
    """Merge these rows into `moments` (4, groups · classes, columns), block by block of BLOCK rows.

    `extent` (2, groups · classes, columns) is widened to hold their values.
    """
    values, target, group, weights = readable(values), readable(target), readable(group), readable(weights)
    blocks = [(start, min(start + BLOCK, len(values))) for start in range(0, len(values), BLOCK)]
    wave = max(threads.count(), WAVE_BYTES // max(1, moments.nbytes))
    for first in range(0, len(blocks), wave):
        some = blocks[first : first + wave]
        parts = np.zeros((len(some), *moments.shape))
        exponents = np.zeros((len(some), *exponent.shape), np.int32)
        extents = np.empty((len(some), *extent.shape))
        extents[:, 0], extents[:, 1] = np.inf, -np.inf

        def work(
            span: tuple[int, int],
            some: list[tuple[int, int]] = some,
            parts: Floats = parts,
            exponents: Ints = exponents,
            extents: Floats = extents,
        ) -> None:
            for b in range(*span):
                _block(values, target, group, weights, *some[b], classes, parts[b], exponents[b], extents[b])

        threads.each(work, threads.spans(len(some), threads.count()))
        for b in range(len(some)):
            merge_moments(moments, exponent, parts[b], exponents[b])
        np.minimum(extent[0], extents[:, 0].min(axis=0), out=extent[0])
        np.maximum(extent[1], extents[:, 1].max(axis=0), out=extent[1])
