"""Scores of a column given its parents: how much another parent is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import gammaln

from crake.arrays import Floats
from crake.learners.semi_naive.tan.tables import NodeCounts, with_values

SCORES = ("entropy", "bayes", "bdeu", "mdl", "aic")
LEAST = float(np.finfo(np.float64).smallest_subnormal)
MOST_CELLS = 1_000_000
"""Cells of tables that are scored together."""


def node_scores(counts: Floats, criterion: str, rows: float) -> Floats:
    """Return the scores of columns with counts (columns, parent configurations j, values k). Larger is better.

    entropy : Σ n_jk · ln(n_jk/n_j), which conditional mutual information is a difference of;
    mdl : less ½·q·(r − 1)·ln N; aic : less q·(r − 1), for q configurations, r values and N rows;
        N is at least 1, also where all weights together are less;
    bayes : Σ_j [Σ_k lnΓ(½ + n_jk) − lnΓ(r/2 + n_j) − r·lnΓ(½) + lnΓ(r/2)];
    bdeu : the same with 1/(r·q) in place of ½ and 1/q in place of r/2.

    >>> node_scores(np.array([[[2.0, 2.0], [0.0, 3.0]]]), "entropy", 7) / np.log(2)
    array([-4.])

    Terms are added one by one, configuration by configuration: equal scores up to rounding are common, and the order
    of the sum then decides. So it is WEKA's.
    """
    size, configurations, values = (int(n) for n in counts.shape)
    known = counts.sum(axis=2, keepdims=True)
    if criterion in {"bayes", "bdeu"}:
        own = 0.5 if criterion == "bayes" else 1.0 / (values * configurations)
        all_ = values * own if criterion == "bayes" else 1.0 / configurations
        constants = np.tile([-values * gammaln(own), gammaln(all_)], (size, configurations, 1))
        return _running_sums(np.concatenate([gammaln(own + counts), -gammaln(all_ + known), constants], axis=2))
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        shares = np.maximum(counts / known, LEAST)  # of weights that lie far apart the share may be 0
        entropy = _running_sums(np.where(counts > 0, counts * np.log(shares), 0.0))
    free = configurations * (values - 1)
    penalty = (
        0.5 * free * math.log(max(rows, 1.0)) if criterion == "mdl" else float(free) if criterion == "aic" else 0.0
    )
    return entropy - penalty


def gains(counts: NodeCounts, criterion: str) -> Floats:
    """Return what column h gains in score by the parent t beside the class, at [h, t]; −∞ where h is t.

    The columns are those that have values. Only rows in which both are known are looked at.
    """
    used, rows = with_values(counts.counts), float(counts.counts.class_count.sum())
    result = np.full((len(used), len(used)), -np.inf)
    for pairs in _of_equal_shape(counts, used):
        tables = np.stack([counts.pair(used[t], used[h]) for h, t in pairs])
        size, classes, parents, values = (int(n) for n in tables.shape)
        given_both = node_scores(tables.reshape(size, classes * parents, values), criterion, rows)
        given_class = node_scores(tables.sum(axis=2), criterion, rows)
        result[tuple(np.array(pairs).T)] = given_both - given_class
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


def _running_sums(terms: Floats) -> Floats:
    """Return the sum of each entry of the first axis, its terms added one by one."""
    flat = terms.reshape(len(terms), -1)
    sums: Floats = np.add.accumulate(flat, axis=1)[:, -1] if flat.shape[1] else np.zeros(len(flat))
    return sums
