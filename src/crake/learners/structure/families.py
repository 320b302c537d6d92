"""Families counted from coded rows, scored once and remembered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes, Floats, Longs
from crake.kernels.bayes.families import count_families
from crake.learners.structure.scores import node_scores, sparse_score

MOST_CELLS = 2**24
"""Cells of the table of one family: a search passes by larger ones."""
DENSE_CELLS = 2**20
"""Cells up to which a family is counted in a whole table; of a larger one only the cells with rows are counted."""
MOST_AT_ONCE = 4 * DENSE_CELLS
"""Cells of families that are counted in one call."""

Parents = tuple[tuple[int, ...], ...]
"""The parents of every column, in the order in which they were added."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of codes: codes[column, row], with the number of levels of each column in `sizes`."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    codes: Codes
    weights: Floats

    def configurations(self, parents: Sequence[int]) -> Longs:
        """Return the configuration of the parents in each row; the first parent counts slowest."""
        found = np.zeros(self.codes.shape[1], np.int64)
        for parent in parents:
            found = found * self.sizes[parent] + self.codes[parent]
        return found

    def cells(self, node: int, parents: Sequence[int]) -> int:
        """Return the number of cells of a family's table."""
        return math.prod((self.sizes[node], *(self.sizes[parent] for parent in parents)))


class FamilyScores:
    """The scores of families of rows without missing values. Each family is counted once."""

    def __init__(self, rows: CodedRows, criterion: str, sample_size: float = 1.0) -> None:
        self.rows = rows
        self.criterion = criterion
        self.sample_size = sample_size
        self.total = float(rows.weights.sum())
        self.passed_by: set[int] = set()
        """Columns with candidate parents that would have made too large a table."""
        self._found: dict[tuple[int, tuple[int, ...]], float] = {}

    def __len__(self) -> int:
        return len(self._found)

    def score(self, node: int, parents: Sequence[int]) -> float:
        """Return the score of a family; −∞ if its table is too large."""
        key = (node, tuple(parents))
        if key not in self._found:
            if parents:
                self.with_each(node, parents[:-1], parents[-1:])
            else:
                codes, values = self.rows.codes[node], self.rows.sizes[node]
                counts = np.bincount(codes, self.rows.weights, minlength=values).astype(np.float64)
                scores = node_scores(counts[None, None], self.criterion, self.total, self.sample_size)
                self._found[key] = float(scores[0])
        return self._found[key]

    def with_each(self, node: int, parents: Sequence[int], candidates: Sequence[int]) -> Floats:
        """Return the scores of the family with each of these parents added last; −∞ where its table is too large."""
        own = tuple(parents)
        missing = [t for t in candidates if (node, (*own, t)) not in self._found]
        if missing:
            self._count(node, own, missing)
        return np.array([self._found[node, (*own, t)] for t in candidates])

    def _count(self, node: int, parents: tuple[int, ...], candidates: list[int]) -> None:
        base, dense = self.rows.configurations(parents), list[int]()
        own, sizes = self.rows.cells(node, parents), self.rows.sizes
        for t in candidates:
            if own * sizes[t] > MOST_CELLS:
                self.passed_by.add(node)
                self._found[node, (*parents, t)] = -math.inf
            elif own * sizes[t] > DENSE_CELLS:
                self._found[node, (*parents, t)] = self._sparse(node, base, (*parents, t))
            else:
                dense.append(t)
        while dense:
            cells = np.cumsum([own * sizes[t] for t in dense])
            taken = max(1, int(np.searchsorted(cells, MOST_AT_ONCE, side="right")))
            self._score_dense(node, parents, base, dense[:taken])
            dense = dense[taken:]

    def _score_dense(self, node: int, parents: tuple[int, ...], base: Longs, candidates: list[int]) -> None:
        """Count the families with each of these parents in one call, and score those of one shape together."""
        codes, sizes, values = self.rows.codes, self.rows.sizes, self.rows.sizes[node]
        levels = [sizes[t] for t in candidates]
        own = self.rows.cells(node, parents)
        offsets = np.cumsum([0, *(own * size for size in levels)]).astype(np.int64)
        counts = count_families(
            base * values + codes[node],
            codes,
            np.array(candidates, np.int64),
            np.array(levels, np.int64),
            self.rows.weights,
            offsets,
        )
        for size in set(levels):
            some = [i for i, each in enumerate(levels) if each == size]
            tables = np.stack([counts[offsets[i] : offsets[i + 1]] for i in some]).reshape(len(some), -1, values, size)
            families = tables.swapaxes(2, 3).reshape(len(some), -1, values)  # the candidate is the last parent
            scores = node_scores(families, self.criterion, self.total, self.sample_size)
            self._found |= {(node, (*parents, candidates[i])): float(s) for i, s in zip(some, scores, strict=True)}

    def _sparse(self, node: int, base: Longs, family: tuple[int, ...]) -> float:
        """Return the score of a family from the cells that have rows."""
        rows, last, values = self.rows, family[-1], self.rows.sizes[node]
        configuration = base * rows.sizes[last] + rows.codes[last]
        cell, at = np.unique(configuration * values + rows.codes[node], return_inverse=True)
        counts = np.bincount(at, rows.weights).astype(np.float64)
        _, of_cell = np.unique(cell // values, return_inverse=True)
        known = np.bincount(of_cell, counts).astype(np.float64)[of_cell]
        shape = (rows.cells(node, family) // values, values)
        return sparse_score(counts, known, shape, self.criterion, self.total, self.sample_size)
