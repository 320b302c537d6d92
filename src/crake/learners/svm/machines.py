"""The machines of all pairs of classes: from support vectors, dual coefficients and thresholds to decisions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from crake.arrays import Floats, Longs
from crake.learners.svm.kernels import Kernel

BLOCK = 2048
"""Rows whose inner products with all support vectors are held at a time."""


@dataclass(frozen=True, eq=False)
class Machines:
    """One machine for each pair i < j of K classes, f(x) = Σ a·K(s, x) + b, positive for the later class j.

    The support vectors stand class by class, `counts` of each. `dual` (K − 1, vectors) has for a vector of class i the
    coefficient against class j in row j − 1 if j > i, in row j if j < i, as LIBSVM lays them out. `w` (pairs,
    coordinates) holds a linear kernel's planes, which are all that is needed of it: `vectors` is then empty.
    """

    kernel: Kernel
    counts: Longs
    vectors: Floats
    dual: Floats
    b: Floats
    w: Floats | None = None
    stored_width: Floats | None = None

    @cached_property
    def width(self) -> Floats:
        """2/‖w‖ of each machine, worked out when it is asked for; 0 where w has no length."""
        if self.stored_width is not None:
            return self.stored_width
        if self.w is not None:
            norms = [float(np.linalg.norm(w)) for w in self.w]
        else:
            own = (self.coefficients(*pair) for pair in self.pairs)
            norms = [norm(self.kernel, self.vectors[places], a) for places, a in own]
        return np.array([2.0 / each if each > 1e-300 else 0.0 for each in norms])

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The classes of each machine."""
        return list(combinations(range(len(self.counts)), 2))

    def decisions(self, points: Floats) -> Floats:
        """Return the f of every pair: (rows, pairs)."""
        if self.w is not None:
            with np.errstate(over="ignore"):
                return np.clip(points @ self.w.T + self.b, -1e300, 1e300)
        blocks = [self._block(points[start : start + BLOCK]) for start in range(0, max(len(points), 1), BLOCK)]
        return np.concatenate(blocks)

    def _block(self, points: Floats) -> Floats:
        products = self.kernel(points, self.vectors)
        decisions = np.empty((len(points), len(self.pairs)))
        for at, pair in enumerate(self.pairs):
            places, a = self.coefficients(*pair)
            decisions[:, at] = products[:, places] @ a + self.b[at]
        return np.clip(decisions, -1e300, 1e300)

    def coefficients(self, i: int, j: int) -> tuple[Longs, Floats]:
        """Return the support vectors of classes i < j and their coefficients in the machine of the pair."""
        return pair_coefficients(self.counts, self.dual, i, j)

    def votes(self, decisions: Floats) -> Floats:
        """Return the number of machines that each class wins, (rows, classes); f = 0 goes to the earlier class."""
        votes = np.zeros((len(decisions), len(self.counts)))
        for at, (i, j) in enumerate(self.pairs):
            later = decisions[:, at] > 0
            votes[:, j] += later
            votes[:, i] += ~later
        return votes


def pair_coefficients(counts: Longs, dual: Floats, i: int, j: int) -> tuple[Longs, Floats]:
    """Out of LIBSVM's layout: the places of the vectors of classes i < j, and their coefficients."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    first, second = np.arange(ends[i], ends[i + 1]), np.arange(ends[j], ends[j + 1])
    places = np.concatenate([first, second])
    return places, np.concatenate([dual[j - 1, first], dual[i, second]])


def norm(kernel: Kernel, vectors: Floats, a: Floats) -> float:
    """‖w‖ = √(Σ a_s·a_t·K(s, t)), in the space of the kernel."""
    total = 0.0
    for start in range(0, len(vectors), BLOCK):
        part = slice(start, start + BLOCK)
        total += float(a[part] @ (kernel(vectors[part], vectors) @ a))
    return float(np.sqrt(max(total, 0.0)))
