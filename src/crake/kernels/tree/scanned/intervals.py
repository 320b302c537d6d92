"""Cuts of numbers that were counted in intervals: what no cut within an interval can pass, and the best of all cuts.

A scan counts the classes of each interval of a column. With the class weights l_k left of an interval, c_k in it and
n_k of the node, a cut within it has the left side l_k + a_k, 0 ≤ a_k ≤ c_k. The decrease of the Gini impurity is convex
in a, so it is largest where every a_k is 0 or c_k. For many classes that is too many corners: there the rows of the
interval count as pure, which no cut can better.

(Alsabti, Ranka and Singh 1998, CLOUDS.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Longs
from crake.kernels import kernel
from crake.kernels.tree.arrays import Classes, SplitRecords
from crake.kernels.tree.split_gain import gini_decrease

Counts = NDArray[np.int64]
BLOCK = 1024
"""Rows whose columns are counted one after the other: the rows stay in the cache, and so do a column's intervals."""
STEPS = 2048
"""Steps of a guide: twice the intervals, so that most hold one end or none."""
CORNERS = 4
"""Classes up to which all corners are tried."""


class Ends(NamedTuple):
    """The ends of intervals: those of list k are ends[first[k]] … ends[first[k + 1] − 1], ascending.

    Where to look for a number is read from a guide: it divides the span of the ends into STEPS equal steps and says how
    many ends lie before each.
    """

    ends: Floats
    first: Longs
    origin: Floats
    scale: Floats
    guide: NDArray[np.int32]


@kernel
def step_of(x: float, origin: float, scale: float) -> int:
    """Return the step of a number; a larger number is never of an earlier step."""
    steps = (x - origin) * scale
    if not steps > 0.0:
        return 0
    return STEPS - 1 if steps >= STEPS else int(steps)


@kernel
def fill_guide(by: Ends) -> None:
    """Count the ends before each step."""
    for k in range(by.origin.shape[0]):
        at = 0
        for step in range(STEPS + 1):
            while by.first[k] + at < by.first[k + 1]:
                if step_of(by.ends[by.first[k] + at], by.origin[k], by.scale[k]) >= step:
                    break
                at += 1
            by.guide[k, step] = at


@kernel
def place_of(ends: Floats, first: int, guide: NDArray[np.int32], k: int, step: int, x: float) -> int:
    """Return how many ends of a list are below x: the interval of x."""
    low, high = int(guide[k, step]), int(guide[k, step + 1])
    while low < high:
        middle = (low + high) >> 1
        if ends[first + middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def count_intervals(
    values: Floats, target: Classes, slot: Longs, by: Ends, counts: Counts, low: Floats, high: Floats
) -> None:
    """Count the classes of every interval, and widen low … high to its values.

    Column j of slot s has the list s·columns + j; its intervals begin at its first end + s·columns + j: one more each.
    """
    columns, ends, first, origin, scale, guide = values.shape[1], by.ends, by.first, by.origin, by.scale, by.guide
    for begin in range(0, values.shape[0], BLOCK):
        for j in range(columns):
            for i in range(begin, min(begin + BLOCK, values.shape[0])):
                if slot[i] < 0:
                    continue
                x, k = values[i, j], slot[i] * columns + j
                q = first[k] + k + place_of(ends, first[k], guide, k, step_of(x, origin[k], scale[k]), x)
                counts[q, target[i]] += 1
                low[q], high[q] = min(low[q], x), max(high[q], x)


@kernel
def count_codes(codes: NDArray[np.int32], target: Classes, slot: Longs, first: Longs, counts: Counts) -> None:
    """Count the classes of every level: those of column j of slot s begin at counts[slot, first[j]]."""
    for i in range(codes.shape[0]):
        if slot[i] >= 0:
            for j in range(codes.shape[1]):
                counts[slot[i], first[j] + codes[i, j], target[i]] += 1


@kernel
def take_alive(values: Floats, slot: Longs, column: int, by: Ends, is_alive: Flags, out: NDArray[np.int64]) -> None:
    """Fill out[row] with the interval of the row's value, if it is alive, and with −1 if not."""
    columns, ends, first, origin, scale, guide = values.shape[1], by.ends, by.first, by.origin, by.scale, by.guide
    for i in range(values.shape[0]):
        out[i] = -1
        if slot[i] >= 0:
            x, k = values[i, column], slot[i] * columns + column
            q = first[k] + k + place_of(ends, first[k], guide, k, step_of(x, origin[k], scale[k]), x)
            if is_alive[q]:
                out[i] = q


@kernel
def _decrease(left: Floats, node: Floats) -> float:
    """Return the decrease of weight × Gini impurity, 0 where a side is empty."""
    terms_left, terms_right, terms, weight_left, weight = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(node.shape[0]):
        right = node[k] - left[k]
        terms_left += left[k] * left[k]
        terms_right += right * right
        terms += node[k] * node[k]
        weight_left += left[k]
        weight += node[k]
    if weight_left <= 0.0 or weight_left >= weight:
        return 0.0
    return gini_decrease(weight - terms / weight, terms_left, weight_left, terms_right, weight - weight_left)


@kernel
def _bound(left: Floats, inside: Floats, node: Floats, corner: Floats) -> float:
    """Return what no cut within an interval can pass; `corner` is room."""
    classes = node.shape[0]
    if classes <= CORNERS:
        best = 0.0
        for choice in range(1 << classes):
            for k in range(classes):
                corner[k] = left[k] + (inside[k] if (choice >> k) & 1 else 0.0)
            best = max(best, _decrease(corner, node))
        return best
    weight, terms, weight_left, terms_left, weight_right, terms_right = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(classes):
        right = node[k] - left[k] - inside[k]
        weight += node[k]
        terms += node[k] * node[k]
        weight_left += left[k]
        terms_left += left[k] * left[k]
        weight_right += right
        terms_right += right * right
    after = (weight_left - terms_left / weight_left) if weight_left > 0.0 else 0.0
    after += (weight_right - terms_right / weight_right) if weight_right > 0.0 else 0.0
    return weight - terms / weight - after


@kernel
def bound_intervals(counts: Counts, node: Floats, least: float, bound: Floats) -> float:
    """Fill the bound of each interval of one column of a node; return the best decrease between intervals."""
    classes = node.shape[0]
    left, inside, corner = np.zeros(classes), np.zeros(classes), np.zeros(classes)
    best, whole = 0.0, 0.0
    for k in range(classes):
        whole += node[k]
    for q in range(counts.shape[0]):
        for k in range(classes):
            inside[k] = counts[q, k]
        bound[q] = _bound(left, inside, node, corner)
        weight = 0.0
        for k in range(classes):
            left[k] += inside[k]
            weight += left[k]
        if weight >= least and whole - weight >= least:
            best = max(best, _decrease(left, node))
    return best


@kernel
def scan_entries(
    counts: Counts, first: Longs, nodes: Floats, is_open: Flags, smallest: float, out: SplitRecords
) -> None:
    """Find the cut of the largest decrease of Gini as the scans of sorted lists do, between counted entries.

    Node s has the entries first[s] … first[s + 1] − 1, ascending, none empty; out.cut is the last entry on the left.
    """
    classes = nodes.shape[1]
    left, right = np.zeros(classes), np.zeros(classes)
    for s in range(nodes.shape[0]):
        out[s].cut, out[s].cuts = -1, 0
        out[s].decrease, out[s].known_weight, out[s].left_weight = 0.0, 0.0, 0.0
        if not is_open[s]:
            continue
        whole, terms_left, terms_right = 0.0, 0.0, 0.0
        for k in range(classes):
            left[k], right[k] = 0.0, nodes[s, k]
            whole += nodes[s, k]
            terms_right += nodes[s, k] * nodes[s, k]
        out[s].known_weight = whole
        # Two classes are scored by Σ n²/W alone: the rounding of `scan_two_classes` decides between equals.
        before = terms_right / whole if classes == 2 else whole - terms_right / whole
        best, at, at_weight, weight_left = before if classes == 2 else 0.0, -1, 0.0, 0.0
        for q in range(first[s], first[s + 1] - 1):
            terms_left, terms_right = 0.0, 0.0
            for k in range(classes):
                left[k] += counts[q, k]
                right[k] -= counts[q, k]
                weight_left += counts[q, k]
                terms_left += left[k] * left[k]
                terms_right += right[k] * right[k]
            weight_right = whole - weight_left
            if weight_left < smallest or weight_right < smallest:
                continue
            score = (terms_left * weight_right + terms_right * weight_left) / (weight_left * weight_right)
            if classes != 2:
                score = before - (whole - score)
            if score > best:
                best, at, at_weight = score, q, weight_left
        if at >= 0:
            out[s].cut, out[s].left_weight = at, at_weight
            out[s].decrease = best - before if classes == 2 else best
