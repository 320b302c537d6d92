"""Scores of splits and the choice among them: gain, gain ratio, C4.5's average gain, splits that gain nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats
from crake.kernels.tree.impurity import LN2, NOTHING
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.training_rows import Layout


def score_splits(level: Level, splits: Splits, growth: Growth, is_numeric: Flags) -> None:
    """Write gain, gain ratio and whether a split may be chosen into `splits`."""
    weight = np.where(level.weight > 0, level.weight, 1.0)
    # A slice takes nothing out: most tables have columns of one kind.
    has_names = not is_numeric.all()
    numeric = is_numeric if has_names else slice(None)
    gain = _gain(splits, weight, growth, numeric)
    left, known, cut = splits.left_weight[numeric], splits.known_weight[numeric], splits.cut[numeric]
    splits.branch_terms[numeric] = n_log_n(left) + n_log_n(known - left)
    splits.left_rows[numeric] = cut - level.start + 1
    splits.usable[numeric] = (cut >= 0) & (gain[numeric] > growth.tolerance)
    if has_names and growth.nominal != "multiway":
        splits.usable[~is_numeric] = splits.choice[~is_numeric] >= 0
    information = n_log_n(level.weight) - splits.branch_terms - n_log_n(level.weight - splits.known_weight)
    information /= LN2
    splits.gain[:] = gain
    splits.ratio[:] = np.where(information < NOTHING, 0.0, gain * weight / np.maximum(information, NOTHING))


def _gain(splits: Splits, weight: Floats, growth: Growth, numeric: Flags | slice) -> Floats:
    """Return the gain per row, in bits for entropy; C4.5 takes log2(cuts)/W off that of a number."""
    unit = LN2 if growth.criterion in ("entropy", "gain_ratio") else 1.0
    gain: Floats = splits.decrease.copy() if growth.is_simple_cart else splits.decrease / (unit * weight)
    if growth.tolerance > 0:
        gain[splits.known_weight / weight * (splits.decrease / unit) < growth.tolerance] = 0.0
    if growth.c45.has_correction:
        gain[numeric] -= np.log2(np.maximum(splits.cuts[numeric], 1)) / weight
    return gain


def force_splits(
    any_splits: Callable[[Level, Flags], Splits], level: Level, is_open: Flags, splits: Splits, min_gain: float
) -> None:
    """Give the nodes that no split makes purer any split at all, scored as barely enough."""
    enough = max(min_gain, np.finfo(np.float64).tiny)
    is_stuck = is_open & ~np.any(splits.usable & (splits.gain > enough), axis=0)
    if not is_stuck.any():
        return
    others = any_splits(level, is_stuck)
    has_split = is_stuck & ((others.cut >= 0) | (others.choice >= 0))
    for name in ("cut", "choice", "known_rows", "left_rows", "known_weight", "left_weight"):
        np.copyto(getattr(splits, name), getattr(others, name), where=has_split)
    splits.usable[has_split], splits.gain[has_split], splits.decrease[has_split] = True, 2 * enough, 0.0


def n_log_n(n: Floats) -> Floats:
    """Return n·ln n, 0 for (next to) nothing."""
    return np.where(n > NOTHING, n * np.log(np.maximum(n, NOTHING)), 0.0)


def largest(score: Floats, usable: Flags, tolerance: float, least: float = 0.0) -> NDArray[np.intp]:
    """Return for each node the attribute of the largest score above `least` + `tolerance`, the first of equals.

    −1: none. `score` and `usable` have shape (attributes, nodes); a later attribute must be better by more than the
    tolerance.
    """
    best = np.full(score.shape[1], least)
    chosen = np.full(score.shape[1], -1, np.intp)
    for attribute in range(len(score)):
        better = usable[attribute] & (score[attribute] > best + tolerance)
        best = np.where(better, score[attribute], best)
        chosen = np.where(better, attribute, chosen)
    return chosen


def by_cost(splits: Splits, divisors: tuple[float, ...], tolerance: float) -> NDArray[np.intp]:
    """Return the attribute of the largest (2^gain − 1)/(C + 1)^ω, C the cost of its column; `divisors` are (C + 1)^ω.

    Núñez (1991), The use of background knowledge in decision tree induction (EG2); Turney (1995) grows with it (ICET).
    """
    worth = (np.exp2(splits.gain) - 1.0) / np.array(divisors)[:, None]
    return largest(worth, splits.usable, tolerance)


def averaged_columns(layout: Layout, growth: Growth, total: float) -> Flags:
    """Return the columns that count in the average gain: not those of very many values, unless all are such."""
    many = ~layout.is_numeric & (layout.levels >= growth.c45.many_levels * total)
    return np.ones(len(many), bool) if many.all() else ~many


def by_gain_ratio(splits: Splits, is_averaged: Flags, margin: float, tolerance: float) -> NDArray[np.intp]:
    """Return the largest gain ratio among attributes whose gain is at least the average − margin (Quinlan 1993).

    The average runs over the usable attributes that `is_averaged`: those of very many values are left out of it.
    """
    gain, usable = splits.gain, splits.usable
    averaged = usable & is_averaged[:, None]
    number = averaged.sum(axis=0)
    total = np.zeros(gain.shape[1])
    for attribute in range(len(gain)):  # one after the other: the order of a sum decides its last bit
        total = total + np.where(averaged[attribute], gain[attribute], 0.0)
    average = total / np.maximum(number, 1)
    return largest(splits.ratio, usable & (number > 0) & (gain >= average - margin), tolerance)
