"""New rows on segments: numbers between a row and its neighbour, names by the majority of the neighbours."""

from __future__ import annotations

import numpy as np

from crake.arrays import Codes, Floats, Rows
from crake.balance.cells import Cells
from crake.kernels import threads

BLOCK = 16_384
"""Rows made at a time, so that what is between them stays in the cache."""
LARGE = 1e300
"""Numbers whose differences may be too large for a float."""


def between(values: Floats, rows: Rows, others: Rows, gaps: Floats) -> Floats:
    """Return x + u·(x′ − x) for each row x, its neighbour x′ and the gap u, a number from 0 to 1.

    Where one of both is missing, the new row takes the cell of the end that it is nearer to, a missing one too: so the
    share of missing values stays as it is. A column that is missing in both stays missing.

    >>> values = np.array([[0.0, 1.0], [10.0, np.nan]])
    >>> between(values, np.array([0, 0]), np.array([1, 1]), np.array([0.2, 0.7]))
    array([[ 2.,  1.],
           [ 7., nan]])
    """
    made = np.empty((len(rows), values.shape[1]))
    has_gaps = bool(np.isnan(values).any())
    is_large = bool(np.any(np.abs(values) > LARGE))

    def work(span: tuple[int, int]) -> None:
        for start in range(span[0], span[1], BLOCK):
            part = slice(start, min(start + BLOCK, span[1]))
            x, other, u = made[part], values.take(others[part], axis=0), gaps[part, None]
            values.take(rows[part], axis=0, out=x, mode="clip")  # quicker than checking, and they are in range
            near = np.where(u < 0.5, x, other) if has_gaps else other
            if is_large:
                np.copyto(x, x * (1 - u) + other * u, where=x != other)
            else:
                difference = np.subtract(other, x, out=None if has_gaps else other)
                difference *= u
                x += difference
            if has_gaps:
                np.copyto(x, near, where=np.isnan(x))

    threads.each(work, threads.spans(len(rows), 4 * threads.count()), made.size)
    return made


def majority(codes: Codes, neighbours: Rows, places: Rows, generator: np.random.Generator) -> Codes:
    """Return the most frequent name among the neighbours, for each column and each new row.

    `neighbours` has the k neighbours of some rows, and `places` says which of those rows each new row was made from.
    One of several most frequent names is drawn. A missing name has no vote: the new one is missing only if it is
    missing in all neighbours.

    >>> codes = np.array([[0], [1], [1], [-1]], np.int32)
    >>> majority(codes, np.array([[0, 1, 2], [3, 3, 3]]), np.array([0, 1, 0]), np.random.default_rng(1)).ravel()
    array([ 1, -1,  1], dtype=int32)
    """
    made = np.empty((len(places), codes.shape[1]), np.int32)
    for j in range(codes.shape[1]):
        level, ties = _most_frequent(codes[:, j][neighbours])
        if ties.max(initial=1) == 1:
            made[:, j] = level[:, 0][places]
        else:
            drawn = (generator.random(len(places)) * ties[places]).astype(np.intp)
            made[:, j] = level[places, drawn]
    return made


def _most_frequent(levels: Codes) -> tuple[Codes, Rows]:
    """Return the levels of each row of a matrix, most frequent first, and the number of entries with one of these."""
    votes = np.zeros(levels.shape, np.int32)
    for i in range(levels.shape[1]):
        votes += levels == levels[:, i, None]
    votes[levels < 0] = 0
    order = np.argsort(-votes, axis=1, kind="stable")
    votes = np.take_along_axis(votes, order, axis=1)
    return np.take_along_axis(levels, order, axis=1), (votes == votes[:, :1]).sum(axis=1)


def new_rows(cells: Cells, neighbours: Rows, bases: Rows, places: Rows, generator: np.random.Generator) -> Cells:
    """Return new rows of a class: row i between the row bases[places[i]] and one of its neighbours.

    The neighbour is drawn from the line of its row in `neighbours`, and the gap, one for the whole row, from 0 to 1.
    """
    other = neighbours[places, generator.integers(neighbours.shape[1], size=len(places))]
    values = between(cells.values, bases[places], other, generator.random(len(places)))
    return Cells(values, majority(cells.codes, neighbours, places, generator))
