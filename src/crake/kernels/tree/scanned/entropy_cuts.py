"""The cut that a scan by entropy chooses, from counted entries: the cut itself, or bounds of what it is.

The scans of sorted lists take a later cut only if it is better than the best so far by more than a margin. So their
choice depends on all cuts before it, not on the largest decrease alone. An entry may hold several values: the cuts
within are not known, only a bound that none of them passes. So what a scan may have found so far is a set: some cuts,
and a range of decreases. A cut that is better than a part of the set by more than the margin takes its place, whatever
the scan had found before. The set shrinks to one cut once enough entries before the best cut are single values.

Decreases are told as scores Σ n·ln n − W·ln W of both sides, which grow with the decrease. A score is convex in the
class weights on the left, so that within an entry it is largest at a corner (`intervals`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels import kernel
from crake.kernels.tree.arrays import SplitRecords
from crake.kernels.tree.impurity import ENTROPY, term
from crake.kernels.tree.scanned.intervals import CORNERS, Counts

NO_CUT, UNKNOWN = -1, -2
"""The scan finds no cut; its choice is not known."""
MOST_CUTS = 256
"""Cuts of a set that are told apart; of more cuts the range of their decreases is kept."""
CHOICE = np.dtype(
    [
        ("cut", np.int64),
        ("decrease", np.float64),
        ("lowest", np.float64),
        ("highest", np.float64),
        ("fewest_left", np.float64),
        ("most_left", np.float64),
        ("fewest_cuts", np.float64),
        ("most_cuts", np.float64),
    ],
    align=True,
)
"""A choice: the last entry on the left, or NO_CUT, or UNKNOWN; bounds of the decrease, of the weight on the left, and
of the number of admissible cuts. `decrease` is filled for a cut that is known; a lowest decrease of 0 may be no cut."""


class EntryArrays(NamedTuple):
    """The entries of a column: node s has first[s] … first[s + 1] − 1, ascending, none empty; values are low … high."""

    counts: Counts
    low: Floats
    high: Floats
    first: Longs


class CutLimits(NamedTuple):
    """The cuts that count in each node: `is_open` if there may be any, and either side must weigh `enough`.

    A cut takes the place of an earlier one if its score is larger by more than `margin`. Scores are known to `slack`.
    """

    is_open: Flags
    enough: Floats
    margin: Floats
    slack: Floats


@kernel
def _score(counts: Floats, logs: Floats) -> float:
    """Return Σ n·ln n − W·ln W of one side."""
    weight, terms = 0.0, 0.0
    for k in range(counts.shape[0]):
        terms += term(counts[k], ENTROPY, logs)
        weight += counts[k]
    return terms - term(weight, ENTROPY, logs)


@kernel
def _score_of_sides(left: Floats, node: Floats, right: Floats, logs: Floats) -> float:
    """Return the score of a cut; `right` is room."""
    for k in range(node.shape[0]):
        right[k] = node[k] - left[k]
    return _score(left, logs) + _score(right, logs)


@kernel
def _bound(left: Floats, inside: Floats, node: Floats, corner: Floats, right: Floats, logs: Floats) -> float:
    """Return the score that no cut within an entry can pass: for many classes its rows count as pure."""
    classes = node.shape[0]
    if classes > CORNERS:
        for k in range(classes):
            right[k] = node[k] - left[k] - inside[k]
        return _score(left, logs) + _score(right, logs)
    best = -np.inf
    for choice in range(1 << classes):
        for k in range(classes):
            corner[k] = left[k] + (inside[k] if (choice >> k) & 1 else 0.0)
        best = max(best, _score_of_sides(corner, node, right, logs))
    return best


@kernel
def _tell_weights(
    counts: Counts, begin: int, end: int, bound: Floats, least: float, enough: float, whole: float,
    out: SplitRecords, s: int,
) -> None:  # fmt: skip
    """Widen the weights on the left to those of all cuts within entries whose bound is not below `least`."""
    weight = 0.0
    for q in range(begin, end):
        size = 0.0
        for k in range(counts.shape[1]):
            size += counts[q, k]
        if bound[q] >= least:
            out[s].fewest_left = min(out[s].fewest_left, max(weight + 1.0, enough))
            out[s].most_left = max(out[s].most_left, min(weight + size - 1.0, whole - enough))
        weight += size


@kernel
def choose_cuts(
    entries: EntryArrays, nodes: Floats, limits: CutLimits, gap: float, logs: Floats, bound: Floats, out: SplitRecords
) -> None:
    """Fill the choice of each node, and the bound of each entry within which a cut may lie (−∞: none).

    The values beside a cut must be more than a gap apart; nodes[s] are the class weights of node s.
    """
    counts, low, high, first = entries
    is_open, enough, margin, slack = limits
    classes = nodes.shape[1]
    left, inside, corner, right = np.zeros(classes), np.zeros(classes), np.zeros(classes), np.zeros(classes)
    score_of, cut_of, weight_of = np.empty(MOST_CUTS), np.empty(MOST_CUTS, np.int64), np.empty(MOST_CUTS)
    for s in range(nodes.shape[0]):
        out[s].cut, out[s].decrease, out[s].lowest, out[s].highest = NO_CUT, 0.0, 0.0, 0.0
        out[s].fewest_left, out[s].most_left, out[s].fewest_cuts, out[s].most_cuts = 0.0, 0.0, 0.0, 0.0
        begin, end = first[s], first[s + 1]
        for q in range(begin, end):
            bound[q] = -np.inf
        if not is_open[s]:
            continue
        whole, weight = 0.0, 0.0
        for k in range(classes):
            left[k] = 0.0
            whole += nodes[s, k]
        before, off, step = _score(nodes[s], logs), slack[s], margin[s]
        score_of[0], cut_of[0], weight_of[0], known = before, NO_CUT, 0.0, 1
        bottom, top, worst, is_merged = np.inf, -np.inf, before, False
        for q in range(begin, end):
            size = 0.0
            for k in range(classes):
                inside[k] = counts[q, k]
                size += inside[k]
            fewest, most = max(weight + 1.0, enough[s]), min(weight + size - 1.0, whole - enough[s])
            if fewest <= most and high[q] > low[q] + gap:
                bound[q] = _bound(left, inside, nodes[s], corner, right, logs)
                out[s].most_cuts += most - fewest + 1.0
                if bound[q] + off > worst + step - off:
                    bottom, top = min(bottom, worst + step - off), max(top, bound[q] + off)
            for k in range(classes):
                left[k] += inside[k]
            weight += size
            if weight < enough[s]:
                continue
            if whole - weight < enough[s] or q + 1 == end:
                break
            if not low[q + 1] > high[q] + gap:
                continue
            out[s].fewest_cuts += 1.0
            out[s].most_cuts += 1.0
            score = _score_of_sides(left, nodes[s], right, logs)
            if score <= worst + step - off:
                continue
            kept, is_taken = 0, False
            for a in range(known):
                is_taken = is_taken or score > score_of[a] + step - off
                if score <= score_of[a] + step + off:
                    score_of[kept], cut_of[kept], weight_of[kept] = score_of[a], cut_of[a], weight_of[a]
                    kept += 1
            if bottom <= top:
                is_taken = is_taken or score > bottom + step - off
                bottom = max(bottom, score - step - off)
                if bottom > top:
                    bottom, top = np.inf, -np.inf
            if is_taken and kept == MOST_CUTS:
                for a in range(kept):
                    bottom, top = min(bottom, score_of[a]), max(top, score_of[a])
                kept, is_merged = 0, True
            if is_taken:
                score_of[kept], cut_of[kept], weight_of[kept] = score, q, weight
                kept += 1
            known, worst = kept, bottom
            for a in range(known):
                worst = min(worst, score_of[a])
        best = top
        out[s].fewest_left, out[s].most_left = whole, 0.0
        for a in range(known):
            best = max(best, score_of[a])
            if cut_of[a] != NO_CUT:
                out[s].fewest_left, out[s].most_left = (
                    min(out[s].fewest_left, weight_of[a]),
                    max(out[s].most_left, weight_of[a]),
                )
        if bottom > top and known == 1:
            out[s].cut = cut_of[0]
            if out[s].cut == NO_CUT:
                out[s].fewest_left = 0.0
                continue
            out[s].decrease = best - before
        else:
            out[s].cut = UNKNOWN
            if bottom <= top:
                _tell_weights(counts, begin, end, bound, bottom - off, enough[s], whole, out, s)
            if is_merged:
                out[s].fewest_left, out[s].most_left = enough[s], whole - enough[s]
        out[s].lowest, out[s].highest = max(0.0, worst - before - off), best - before + off
