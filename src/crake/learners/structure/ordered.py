"""Structures that are built column by column in an order: K2, and the dependences of k columns (KDB)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from crake.learners.structure.families import MOST_CELLS, FamilyScores, Parents


def k2(scores: FamilyScores, start: Parents, order: Sequence[int], max_parents: int) -> Parents:
    """Return the parents of every column; those of a column come before it in the order.

    A column takes the parent that raises its score most, then the next, until none raises it or there are
    `max_parents`. Of equals, the first in the order is taken. A column that is not in the order keeps its parents.

    Cooper and Herskovits (1992), A Bayesian method for the induction of probabilistic networks from data.
    """
    parents = [list(own) for own in start]
    for at, node in enumerate(order):
        own, best = parents[node], scores.score(node, parents[node])
        while len(own) < max_parents:
            candidates = [t for t in order[:at] if t not in own]
            found = scores.with_each(node, own, candidates)
            if not candidates or not found.max() > best:
                break
            best = float(found.max())
            own.append(candidates[int(np.argmax(found))])
    return tuple(map(tuple, parents))


def kdb(scores: FamilyScores, target: int, max_parents: int) -> Parents:
    """Return the class as a parent of every column, and up to max_parents − 1 columns beside it; scores by entropy.

    Columns come by their mutual information with the class, largest first. Each takes, of those before it, the ones
    with which it shares most information given the class. Of equals, the first in the table is taken.

    Sahami (1996), Learning limited dependence Bayesian classifiers.
    """
    # I(X; C) = [score of X given C − score of X]/N, I(X; Y | C) = [score of X given C, Y − score of X given C]/N.
    rows = scores.rows
    columns = [j for j in range(len(rows.sizes)) if j != target]
    given_class = {j: scores.score(j, (target,)) for j in columns}
    ranked = sorted(columns, key=lambda j: -_rounded(given_class[j] - scores.score(j, ())))
    parents: list[tuple[int, ...]] = [()] * len(rows.sizes)
    for at, node in enumerate(ranked):
        before = sorted(ranked[:at])
        shared = scores.with_each(node, (target,), before) - given_class[node]
        strongest = sorted(range(len(before)), key=lambda i: -_rounded(float(shared[i])))
        own = [target]
        for i in strongest:
            if len(own) < max_parents and rows.cells(node, (*own, before[i])) <= MOST_CELLS and shared[i] > -math.inf:
                own.append(before[i])
        parents[node] = tuple(own)
    return tuple(parents)


def _rounded(information: float) -> float:
    """Return the information with nine digits: what is equal but for rounding is equal."""
    return float(f"{information:.9g}")
