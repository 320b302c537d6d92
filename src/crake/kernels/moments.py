"""Moments: weight, mean and centred sum of squares of each numeric column, for each class and group.

Rows are taken in fixed blocks by row number; each block is centred on its own mean (two passes while it is in
cache) and the blocks are merged in their order. So the bits do not depend on threads or batches.
Columns whose values would overflow or underflow when squared are held scaled by a power of two, which is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel, readable, threads

BLOCK = 4096
"""Rows a block: two passes over 20 columns stay in the second-level cache."""
WAVE_BYTES = 1 << 26
"""Memory for the blocks' own moments before they are merged."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

LARGE = 2.0**400
SCALE = 600
"""Columns with values above 2^400 (below 2^-400) are divided (multiplied) by 2^600: squares stay finite."""


@kernel
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
) -> None:
    """moments[0|1|2, group·classes + class, column] = weight, mean, centred sum of squares of one block."""
    columns = values.shape[1]
    largest = np.zeros(columns)
    weight, mean, squares = moments[0], moments[1], moments[2]
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
            a = abs(v)
            largest[j] = max(largest[j], a)
    scale = np.ones(columns)
    rescaled = False
    for j in range(columns):
        if largest[j] > LARGE:
            exponent[j] = SCALE
        elif 0.0 < largest[j] < 1.0 / LARGE:
            exponent[j] = -SCALE
        else:
            exponent[j] = 0
        if exponent[j] != 0:
            scale[j] = 2.0 ** (-exponent[j])
            rescaled = True
    if rescaled:
        for c in range(mean.shape[0]):
            for j in range(columns):
                if exponent[j] != 0:
                    mean[c, j] = 0.0
        for i in range(start, stop):
            if target[i] < 0 or group[i] < 0:
                continue
            c = group[i] * classes + target[i]
            for j in range(columns):
                x = values[i, j]
                if exponent[j] != 0 and x == x:
                    mean[c, j] += weights[i] * (x * scale[j])
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
            d = x * scale[j] - mean[c, j]
            d = d if x == x else 0.0
            drift[c, j] += w * d
            squares[c, j] += w * d * d
    for c in range(mean.shape[0]):
        for j in range(columns):
            if weight[c, j] > 0.0:
                shift = drift[c, j] / weight[c, j]
                mean[c, j] += shift
                squares[c, j] = max(0.0, squares[c, j] - drift[c, j] * shift)


@kernel
def merge_moments(into: Floats, into_exponent: Ints, other: Floats, other_exponent: Ints) -> None:
    """Merge in place: n = n1 + n2, d = m2 − m1, mean = m1 + d·n2/n, squares = s1 + s2 + d²·n1·n2/n.

    Chan, Golub and LeVeque (1979). Columns of different exponents meet at the larger one; a column without
    rows on one side takes the other's.
    """
    cells, columns = into.shape[1], into.shape[2]
    for j in range(columns):
        factor, other_factor = 1.0, 1.0
        if into_exponent[j] != other_exponent[j]:
            here, there = False, False
            for c in range(cells):
                here = here or (into[0, c, j] > 0.0 and (into[1, c, j] != 0.0 or into[2, c, j] != 0.0))
                there = there or (other[0, c, j] > 0.0 and (other[1, c, j] != 0.0 or other[2, c, j] != 0.0))
            common = max(into_exponent[j], other_exponent[j])
            if not there:
                common = into_exponent[j]
            elif not here:
                common = other_exponent[j]
            factor = 2.0 ** (into_exponent[j] - common)
            other_factor = 2.0 ** (other_exponent[j] - common)
            into_exponent[j] = common
        for c in range(cells):
            n1, n2 = into[0, c, j], other[0, c, j]
            if n2 > 0.0:
                m1, m2 = into[1, c, j] * factor, other[1, c, j] * other_factor
                n = n1 + n2
                d = m2 - m1
                into[0, c, j] = n
                into[1, c, j] = m1 + d * (n2 / n)
                into[2, c, j] = (
                    into[2, c, j] * factor * factor
                    + other[2, c, j] * other_factor * other_factor
                    + d * d * (n1 * n2 / n)
                )
            elif factor != 1.0:
                into[1, c, j] *= factor
                into[2, c, j] *= factor * factor


def add_moments(
    values: Floats,
    target: Ints,
    group: Ints,
    weights: Floats,
    classes: int,
    moments: Floats,
    exponent: Ints,
) -> None:
    """Merge these rows into `moments` (3, groups · classes, columns), block by block of BLOCK rows."""
    values, target, group, weights = readable(values), readable(target), readable(group), readable(weights)
    blocks = [(start, min(start + BLOCK, len(values))) for start in range(0, len(values), BLOCK)]
    wave = max(threads.count(), WAVE_BYTES // max(1, moments.nbytes))
    for first in range(0, len(blocks), wave):
        some = blocks[first : first + wave]
        parts = np.zeros((len(some), *moments.shape))
        exponents = np.zeros((len(some), len(exponent)), np.int32)

        def work(
            span: tuple[int, int],
            some: list[tuple[int, int]] = some,
            parts: Floats = parts,
            exponents: Ints = exponents,
        ) -> None:
            for b in range(*span):
                _block(values, target, group, weights, *some[b], classes, parts[b], exponents[b])

        threads.each(work, threads.spans(len(some), threads.count()))
        for b in range(len(some)):
            merge_moments(moments, exponent, parts[b], exponents[b])
