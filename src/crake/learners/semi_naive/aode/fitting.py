"""The logarithms that AODE adds up, from the counts of pairs."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats
from crake.kernels.bayes.one_dependence import OneDependenceLogs
from crake.learners.semi_naive.counted import CountedColumns, conditional


def one_dependence_logs(counts: CountedColumns, alpha: float, min_count: float) -> OneDependenceLogs:
    """Return the logarithms of every joint and conditional probability.

    P(c, x_p) = (n(c, x_p) + α) / (n(p known) + α·K·V_p) and
    P(x_a given c, x_p) = (n(c, x_p, x_a) + α) / (n(c, x_p, a known) + α·V_a).
    """
    columns, classes = len(counts.columns), len(counts.class_count)
    widths = np.array([len(column.levels) for column in counts.columns], np.int64)
    first = np.concatenate([[0], np.cumsum(widths)])[:-1].astype(np.int64)
    tables = [counts.values.table(j)[0] for j in range(columns)]
    joint = [(table + alpha) / _at_least_one(table.sum() + alpha * classes * table.shape[1]) for table in tables]
    alone = [conditional(table, alpha) for table in tables]
    is_parent = [_is_frequent(table.sum(axis=0), min_count) for table in tables]
    offsets, cells, pairs = np.zeros((columns, columns), np.int64), 0, []
    for p in range(columns):
        for a in range(columns):
            if a != p:
                offsets[p, a] = cells
                pairs.append(conditional(counts.pairs.table(p, a)[0], alpha).reshape(classes, -1))
                cells += pairs[-1].shape[1]
    prior = (counts.class_count + alpha) / (counts.class_count.sum() + alpha * classes)
    return OneDependenceLogs(
        first,
        widths,
        np.concatenate([np.zeros(0, bool), *is_parent]),
        _side_by_side(joint, classes),
        offsets,
        _side_by_side(pairs, classes),
        _side_by_side(alone, classes),
        _log(prior),
    )


def _is_frequent(weight: Floats, min_count: float) -> Flags:
    """Return which values may be parents: rows weigh what they do, and one row is enough for a `min_count` up to 1.

    >>> _is_frequent(np.array([0.0, 0.01, 2.5]), 1).tolist(), _is_frequent(np.array([0.0, 0.01, 2.5]), 2).tolist()
    ([False, True, True], [False, False, True])
    """
    return np.asarray(weight > 0 if min_count <= 1 else weight >= min_count)


def _at_least_one(total: float) -> float:
    """Return what to divide counts by: those of a column without known values are 0, whatever they are divided by."""
    return float(total) if total > 0 else 1.0


def _side_by_side(tables: list[Floats], classes: int) -> Floats:
    """Return the logarithms of tables (classes, cells) one after the other, shape (all cells, classes)."""
    return np.ascontiguousarray(_log(np.concatenate([np.zeros((classes, 0)), *tables], axis=1).T))


def _log(probability: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logarithm: Floats = np.log(probability)
    return logarithm
