"""The probabilities that AODE multiplies, from the counts of pairs."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels.bayes.one_dependence import OneDependence
from crake.kernels.bayes.one_dependence_factors import CountedPairs, fill_factors
from crake.kernels.statistics.joined_columns import JoinedColumns, joined_columns
from crake.kernels.statistics.joined_pairs import pair_cells
from crake.learners.base.classifier import logarithms
from crake.learners.semi_naive.counted import CountedColumns
from crake.statistics import Statistics

MOST_JOINED = 2**24
"""Factors up to which columns are joined: 128 MB."""
MOST_SIDE_BY_SIDE = 2**22
"""Factors of the models of all folds that are held at the same time: 32 MB."""
LEAST_BITS = 240.0
"""Factors down to 2^−240 are multiplied; smaller ones are added as logarithms."""
SAFE_BITS = 500.0
"""Bits by which a product may fall before it is compared with the least one."""


def one_dependence(counts: CountedColumns, alpha: float, min_count: float) -> OneDependence:
    """Return every joint and conditional probability.

    P(c, x_p) = (n(c, x_p) + α) / (n(p known) + α·K·V_p) and
    P(x_a given c, x_p) = (n(c, x_p, x_a) + α) / (n(c, x_p, a known) + α·V_a).
    """
    classes = len(counts.class_count)
    slots = np.array([len(column.levels) + 1 for column in counts.columns], np.int64)
    known, levels = _without_missing(counts.values.counts[0], slots), slots - 1
    of_class = _sums_by_column(known, levels)
    joint = _shares(known, of_class.sum(axis=0, keepdims=True), alpha, classes * levels, levels)
    joined = _joined(slots, classes)
    width, lines = int(joined.sizes.sum()), classes + classes % 2
    pairs = CountedPairs(counts.pairs.counts[0], pair_cells(slots), slots, float(alpha))
    factors = np.zeros(known.shape[1] * width * lines)
    least = min(fill_factors(pairs, joined, False, factors), joint[joint > 0].min(initial=1.0))  # noqa: FBT003
    bits = max(1.0, -np.log2(least))
    is_log = bits > LEAST_BITS
    if is_log:
        fill_factors(pairs, joined, True, factors)  # noqa: FBT003
    return OneDependence(
        first=np.cumsum(levels) - levels,
        is_parent=_is_frequent(known.sum(axis=0), min_count),
        joint=np.pad(logarithms(joint) if is_log else joint, ((0, 0), (0, lines - classes))),
        joined=joined,
        begin=np.cumsum(joined.sizes) - joined.sizes,
        width=width,
        factors=factors,
        is_log=is_log,
        stride=max(1, int(SAFE_BITS / (2 * bits))),
        alone=logarithms(_shares(known, of_class, alpha, levels, levels)),
        prior=logarithms((counts.class_count + alpha) / (counts.class_count.sum() + alpha * classes)),
    )


def factor_count(statistics: Statistics) -> int:
    """Return the number of factors of one model of these counts."""
    slots = np.array([len(column.levels) + 1 for column in statistics.schema.nominal], np.int64)
    classes = len(statistics.classes)
    return int((slots - 1).sum() * _joined(slots, classes).sizes.sum() * classes)


def _joined(slots: Longs, classes: int) -> JoinedColumns:
    """Join columns two by two, unless there would be too many factors."""
    joined = joined_columns(slots)
    is_many = classes * int((slots - 1).sum() * joined.sizes.sum()) > MOST_JOINED
    return joined_columns(slots, most=0) if is_many else joined


def _without_missing(counts: Floats, slots: Longs) -> Floats:
    """Return the counts (classes, values) of all columns side by side without their first slots."""
    return np.delete(counts, np.cumsum(slots) - slots, axis=1)


def _sums_by_column(counts: Floats, levels: Longs) -> Floats:
    """Return the sums (classes, columns) of columns that lie side by side.

    >>> _sums_by_column(np.array([[1.0, 2.0, 4.0]]), np.array([2, 0, 1]))
    array([[3., 0., 4.]])
    """
    sums = np.zeros((len(counts), len(levels)))
    has_levels = levels > 0
    if counts.shape[1]:
        sums[:, has_levels] = np.add.reduceat(counts, (np.cumsum(levels) - levels)[has_levels], axis=1)
    return sums


def _shares(counts: Floats, total: Floats, alpha: float, cells: Longs, levels: Longs) -> Floats:
    """Return (n + α) / (Σ n + α · cells) of every value, shape (values, classes); 1/cells where nothing was counted."""
    below = total + alpha * cells
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(
            np.repeat(below > 0, levels, axis=1),
            (counts + alpha) / np.repeat(below, levels, axis=1),
            np.repeat(1.0 / cells, levels),
        )
    return np.ascontiguousarray(shares.T)


def _is_frequent(weight: Floats, min_count: float) -> Flags:
    """Return which values may be parents: rows weigh what they do, and one row is enough for a `min_count` up to 1.

    >>> _is_frequent(np.array([0.0, 0.01, 2.5]), 1).tolist(), _is_frequent(np.array([0.0, 0.01, 2.5]), 2).tolist()
    ([False, True, True], [False, False, True])
    """
    return np.asarray(weight > 0 if min_count <= 1 else weight >= min_count)
