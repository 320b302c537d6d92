"""The log likelihood of each column given the class, and given a second column beside it: what TAN's gains are made of.

Terms are added one by one, configuration by configuration, as `node_scores` of the structures does.
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.inlined import inlined
from crake.kernels.statistics.joined_pairs import PairCells
from crake.kernels.tiered import tiered

LEAST = 5e-324
"""The least number above 0: of weights that lie far apart the share may be 0."""


@inlined
def _log_likelihood(line: Floats, total: float) -> float:
    """Add Σ n·ln(n / Σ n) of one configuration to the total, term by term."""
    known = 0.0
    for y in range(line.shape[0]):
        known += line[y]
    for y in range(line.shape[0]):
        if line[y] > 0.0:
            total += line[y] * math.log(max(line[y] / known, LEAST))
    return total


@tiered(lambda counts, *_: 6 * counts.size, most=300_000)
def pair_likelihoods(counts: Floats, cells: PairCells, slots: Longs, both: Floats, alone: Floats) -> None:
    """Write both[h, t], the log likelihood of column h by class and value of t, and alone[h, t], that by class.

    `counts` has shape (classes, cells of all pairs); slot 0 of a column is for missing. Only rows in which h and t are
    known are looked at.
    """
    columns = slots.shape[0]
    for h in range(columns):
        line, of_class = np.empty(slots[h] - 1), np.empty(slots[h] - 1)
        for t in range(columns):
            if h == t:
                continue
            to_h, to_t = cells.step[h, t], cells.step[t, h]
            of_both, of_one = 0.0, 0.0
            for k in range(counts.shape[0]):
                of_class[:] = 0.0
                for x in range(1, slots[t]):
                    first = cells.begin[h, t] + x * to_t + to_h
                    for y in range(line.shape[0]):
                        line[y] = counts[k, first + y * to_h]
                        of_class[y] += line[y]
                    of_both = _log_likelihood(line, of_both)
                of_one = _log_likelihood(of_class, of_one)
            both[h, t], alone[h, t] = of_both, of_one
