"""Gains in score of a column by one more parent beside the class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crake.arrays import Floats
from crake.kernels.bayes.pair_likelihoods import pair_likelihoods
from crake.kernels.statistics.joined_pairs import pair_cells
from crake.learners.semi_naive.counted import CountedColumns
from crake.learners.semi_naive.tan.tables import NodeCounts, with_values
from crake.learners.structure.scores import dirichlet, node_scores, penalty

SCORES = ("entropy", "bayes", "bdeu", "mdl", "aic")
MOST_CELLS = 1_000_000
"""Cells of tables that are scored together."""


def gains(counts: NodeCounts, criterion: str, sample_size: float = 1.0) -> Floats:
    """Return what column h gains in score by the parent t beside the class, at [h, t]; −∞ where h is t.

    The columns are those that have values. Only rows in which both are known are looked at.
    """
    used, rows = with_values(counts.counts), float(counts.counts.class_count.sum())
    if dirichlet(criterion, 1, 1, sample_size) is None and np.all(counts.mode < 0):
        return _by_likelihood(counts.counts, used, penalty(criterion, 1, 2, rows))
    result = np.full((len(used), len(used)), -np.inf)
    for pairs in _of_equal_shape(counts, used):
        tables = np.stack([counts.pair(used[t], used[h]) for h, t in pairs])
        size, classes, parents, values = (int(n) for n in tables.shape)
        given_both = node_scores(tables.reshape(size, classes * parents, values), criterion, rows, sample_size)
        given_class = node_scores(tables.sum(axis=2), criterion, rows, sample_size)
        result[tuple(np.array(pairs).T)] = given_both - given_class
    return result


def _by_likelihood(counts: CountedColumns, used: list[int], cost: float) -> Floats:
    """Return the gains in log likelihood, less the cost of each free probability."""
    slots = np.array([len(column.levels) + 1 for column in counts.columns], np.int64)
    both, alone = np.zeros((2, len(slots), len(slots)))
    pair_likelihoods(counts.pairs.counts[0], pair_cells(slots), slots, both, alone)
    free = cost * len(counts.class_count) * (slots - 2)[:, None]
    result = ((both - free * (slots - 1)) - (alone - free))[np.ix_(used, used)]
    np.fill_diagonal(result, -np.inf)
    return result


def _of_equal_shape(counts: NodeCounts, used: list[int]) -> Iterator[list[tuple[int, int]]]:
    """Yield pairs (h, t) whose tables have one shape, some at a time: they are scored together."""
    levels = [len(counts.counts.columns[j].levels) for j in used]
    by_shape: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for h in range(len(used)):
        for t in range(len(used)):
            if h != t:
                by_shape.setdefault((levels[t], levels[h]), []).append((h, t))
    classes = len(counts.counts.class_count)
    for (one, other), pairs in by_shape.items():
        at_once = max(1, MOST_CELLS // (classes * one * other))
        yield from (pairs[start : start + at_once] for start in range(0, len(pairs), at_once))
