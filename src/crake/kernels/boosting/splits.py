"""The best split of a node: over cuts of numbers and over sets of names, with missing values on either side."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels import kernel
from crake.kernels.boosting.arrays import BINS, MISSING, Bins, Features, Rules
from crake.kernels.small_sort import sort_places
from crake.kernels.typed_constants import ZERO

LOW = 0xFFFFFFFF
"""The lower half of a packed sum holds hessians, the upper half gradients."""
ROUNDING = 1e-11
"""A split must remove more than this share of what a node explains: less is rounding."""

FEW = 4
"""A column of no more levels is looked at in any node. It offers few sets, and may count only beside another column."""

GRADIENT, HESSIAN, WEIGHT, LOWEST, HIGHEST, LEAST = 0, 1, 2, 3, 4, 5
"""The numbers of a node: packed sums, weight of its rows, bounds of its value, least weight of a side."""
GAIN, FEATURE, CUT, MISSING_SIDE, LEFT_GRADIENT, LEFT_HESSIAN = 0, 1, 2, 3, 4, 5
"""The numbers of a split."""


@kernel
def explained(g: float, h: float, lowest: float, highest: float) -> float:
    """Return twice the loss that the best value within bounds removes: g²/h if no bound is in the way."""
    value = min(max(-g / h, lowest), highest)
    return -(2.0 * g + h * value) * value


@kernel
def gain_of_sides(
    g: float, h: float, other_g: float, other_h: float, bounds: tuple[float, float], direction: int, least: float
) -> float:
    """Return twice the loss that two sides remove; −1 if their values go against the direction.

    Bounds and directions can only lower it, so they are looked at where it is more than the least.
    """
    free = g * g / h + other_g * other_g / other_h
    if free <= least:
        return free
    lowest, highest = bounds
    left = min(max(-g / h, lowest), highest)
    right = min(max(-other_g / other_h, lowest), highest)
    if (left - right) * direction > 0.0:
        return -1.0
    if left == -g / h and right == -other_g / other_h:
        return free
    return -(2.0 * g + h * left) * left - (2.0 * other_g + other_h * right) * right


@kernel
def _numbers(
    histogram: Longs, start: int, cuts: int, rules: Rules, node: Floats, direction: int, best: Floats, f: int
) -> None:
    """Try the cuts of a numeric column, first with missing values on the right, then on the left."""
    whole_g, whole_h = np.int64(node[GRADIENT]), np.int64(node[HESSIAN])
    unit_g, unit_h, l2 = rules.gradient_unit, rules.hessian_unit, rules.l2
    least = max(node[LEAST] * node[HESSIAN] / node[WEIGHT] * (1.0 - 1e-12), rules.least_hessian / unit_h)
    bounds, most = (node[LOWEST], node[HIGHEST]), node[HESSIAN] - least
    lost = histogram[start + MISSING]
    for missing in range(2 if lost != 0 else 1):
        # The missing side counts as 1, right, in the first turn.
        g = np.int64(0) if missing == 0 else lost >> 32
        h = np.int64(0) if missing == 0 else lost & LOW
        for b in range(cuts + 1 if lost != 0 and missing == 0 else cuts):
            own = histogram[start + b]
            if own == 0:
                continue
            g += own >> 32
            h += own & LOW
            if h < least or h > most or h == whole_h:
                continue
            gain = gain_of_sides(
                g * unit_g,
                h * unit_h + l2,
                (whole_g - g) * unit_g,
                (whole_h - h) * unit_h + l2,
                bounds,
                direction,
                best[GAIN],
            )
            if gain > best[GAIN]:
                best[GAIN], best[FEATURE], best[CUT], best[MISSING_SIDE] = gain, f, b, 1 - missing
                best[LEFT_GRADIENT], best[LEFT_HESSIAN] = g, h


@kernel
def differ_by_chance(histogram: Longs, start: int, rules: Rules, node: Floats) -> bool:
    """Return True if the levels of a node differ no more than as many sets of its rows, drawn at random, would.

    With the sums G and H of each of K levels, and the mean gradient m = ΣG/ΣH of the node, Σ (G − H·m)²/H is d·(K − 1)
    on average if the levels mean nothing. `chance` is d = Σg²/Σh of all rows, where the smoothing is that of one row.
    """
    unit_g, unit_h = rules.gradient_unit, rules.hessian_unit
    mean = node[GRADIENT] * unit_g / (node[HESSIAN] * unit_h)
    differing, count = 0.0, 0
    for b in range(BINS):
        own = histogram[start + b]
        if own != 0:
            h = (own & LOW) * unit_h
            rest = (own >> 32) * unit_g - h * mean
            differing += rest * rest / h
            count += 1
    return differing <= rules.chance * (count - 1)


@kernel
def _in_order(histogram: Longs, start: int, rules: Rules, node: Floats, level: Longs, order: Longs) -> int:
    """Order the levels that a node has by their mean gradient; return how many there are."""
    unit_g, unit_h = rules.gradient_unit, rules.hessian_unit
    more = rules.smoothing * node[HESSIAN] / node[WEIGHT] * unit_h
    mean = node[GRADIENT] * unit_g / (node[HESSIAN] * unit_h)
    keys = np.empty(BINS)
    count = 0
    for b in range(BINS):
        own = histogram[start + b]
        if own != 0:
            level[count] = b
            keys[count] = ((own >> 32) * unit_g + more * mean) / ((own & LOW) * unit_h + more)
            count += 1
    sort_places(keys[:count], order[:count])
    return count


@kernel
def _names(
    histogram: Longs,
    start: int,
    levels: int,
    rules: Rules,
    node: Floats,
    best: Floats,
    f: int,
    level: Longs,
    order: Longs,
) -> None:
    """Try the sets of the first levels by mean gradient; missing is one more level.

    A column of many levels has many sets to choose from, so its sums are drawn to 0 by `smoothing`, too.
    """
    if rules.chance > 0.0 and levels > FEW and differ_by_chance(histogram, start, rules, node):
        return
    whole_g, whole_h = np.int64(node[GRADIENT]), np.int64(node[HESSIAN])
    unit_g, unit_h, l2 = rules.gradient_unit, rules.hessian_unit, rules.l2
    l2 += rules.smoothing * node[HESSIAN] / node[WEIGHT] * unit_h
    least = max(node[LEAST] * node[HESSIAN] / node[WEIGHT] * (1.0 - 1e-12), rules.least_hessian / unit_h)
    most = node[HESSIAN] - least
    g, h = np.int64(0), np.int64(0)
    for place in range(_in_order(histogram, start, rules, node, level, order) - 1):
        own = histogram[start + level[order[place]]]
        g += own >> 32
        h += own & LOW
        if h < least or h > most:
            continue
        gain = gain_of_sides(
            g * unit_g,
            h * unit_h + l2,
            (whole_g - g) * unit_g,
            (whole_h - h) * unit_h + l2,
            (node[LOWEST], node[HIGHEST]),
            ZERO,
            best[GAIN],
        )
        if gain > best[GAIN]:
            best[GAIN], best[FEATURE], best[CUT] = gain, f, place
            best[LEFT_GRADIENT], best[LEFT_HESSIAN] = g, h


@kernel
def best_split(
    histogram: Longs, features: Features, rules: Rules, node: Floats, first: int, best: Floats, side: Bins
) -> None:
    """Find the split of a node that removes most loss; its gain is 0 if there is none. Ties go to the first column.

    `side` tells for each bin of the column whether it goes left (0) or right (1). What the node has not met goes
    where missing values go; if it has met none, to the heavier side. `first` is the number of the first column.
    """
    bins, is_nominal, direction = features.bins, features.is_nominal, features.direction
    unit_g, unit_h, l2 = rules.gradient_unit, rules.hessian_unit, rules.l2
    level, order = np.empty(BINS, np.int64), np.empty(BINS, np.int64)
    best[:] = 0.0
    whole = explained(node[GRADIENT] * unit_g, node[HESSIAN] * unit_h + l2, node[LOWEST], node[HIGHEST])
    best[GAIN], best[FEATURE] = whole + ROUNDING * abs(whole), -1
    for j in range(histogram.shape[0] // BINS):
        f = first + j
        if is_nominal[f]:
            _names(histogram, j * BINS, bins[f], rules, node, best, f, level, order)
        else:
            _numbers(histogram, j * BINS, bins[f] - 1, rules, node, direction[f], best, f)
    f = int(best[FEATURE])
    if f < 0:
        best[GAIN] = 0.0
        return
    best[GAIN] -= whole
    start, cut = (f - first) * BINS, np.int64(best[CUT])
    heavier = np.uint8(2.0 * best[LEFT_HESSIAN] < node[HESSIAN])
    if is_nominal[f]:
        count = _in_order(histogram, start, rules, node, level, order)
        side[MISSING] = heavier
        for place in range(count):
            if level[order[place]] == MISSING:
                side[MISSING] = np.uint8(place > cut)
        side[:MISSING] = side[MISSING]
        for place in range(count):
            side[level[order[place]]] = np.uint8(place > cut)
    else:
        for b in range(MISSING):
            side[b] = np.uint8(b > cut)
        side[MISSING] = np.uint8(best[MISSING_SIDE]) if histogram[start + MISSING] != 0 else heavier
    best[MISSING_SIDE] = side[MISSING]
