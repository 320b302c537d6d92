"""The significance of the splits of a CHAID tree, and Bonferroni's multiplier: the number of ways to merge values."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.criteria import chi_square, degrees_of_freedom, likelihood_ratio
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.chaid.settings import Order
from crake.learners.tree.tree import Tree
from crake.slow_modules import special

MOST_EXACT = 400
"""Values up to which the ways are counted exactly."""


@dataclass(frozen=True, eq=False)
class Significance:
    """For each node that splits: statistic, degrees of freedom, ln p, and ln p adjusted for the merging; else 0."""

    statistic: Floats
    dof: NDArray[np.int64]
    log_p: Floats
    log_adjusted: Floats

    @property
    def p(self) -> Floats:
        """The p of the chi-square test of the groups; 0 where it is too small for a double."""
        return np.exp(self.log_p)

    @property
    def adjusted_p(self) -> Floats:
        """The p times the number of ways in which the values could have been merged."""
        return np.exp(self.log_adjusted)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the figures by name, one entry for each node."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def of_nodes(self, old: Tree, new: Tree) -> Significance:
        """Return the tests of the nodes of a pruned tree; a subtree that was raised has none."""
        place, known = np.zeros(len(new), np.int64), np.zeros(len(new), bool)
        known[0] = new.kind[0] != LEAF and new.feature[0] == old.feature[0]
        for node in np.flatnonzero(new.kind != LEAF):
            if known[node]:
                children = np.array(new.children(int(node)))
                place[children] = np.array(old.children(int(place[node])))
                known[children] = (new.feature[children] >= 0) & (new.feature[children] == old.feature[place[children]])
        return Significance(*(np.where(known, getattr(self, name)[place], 0) for name in self.__dataclass_fields__))


def tests_of_split(tree: Tree, statistic: str) -> dict[str, NDArray[Any]]:
    """Return the test of a split that a person asked for; no values were merged for it, so nothing is adjusted."""
    table = tree.counts[list(tree.children(0))]
    value = float(likelihood_ratio(table) if statistic == "likelihood" else chi_square(table))
    freedom = int(degrees_of_freedom(table))
    p = float(special.chdtrc(freedom, value)) if freedom else 1.0
    figures = {"statistic": value, "dof": freedom, "log_p": math.log(max(p, 1e-300))}
    figures["log_adjusted"] = figures["log_p"]
    rest = [0.0] * (len(tree) - 1)
    dtypes = {"dof": np.int64}
    return {name: np.array([figure, *rest], dtypes.get(name, np.float64)) for name, figure in figures.items()}


@cache
def log_multiplier(values: int, groups: int, order: Order) -> float:
    """Return the logarithm of the number of ways to merge c values into r groups (Kass 1980).

    nominal: Σ_i (−1)^i (r − i)^c / (i! (r − i)!), Stirling's number S(c, r); ordinal: C(c − 1, r − 1); floating, where
    one of the c values may join any group: C(c − 2, r − 2) + r · C(c − 2, r − 1).

    >>> [round(math.exp(log_multiplier(5, 3, order))) for order in ("nominal", "ordinal", "floating")]
    [25, 6, 12]
    """
    c, r = values, groups
    if r < 2 or c < 2:
        return 0.0
    if order == "ordinal":
        return math.log(math.comb(c - 1, r - 1))
    if order == "floating":
        return math.log(math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1))
    if c <= MOST_EXACT:
        ways = sum((-1) ** i * math.comb(r, i) * (r - i) ** c for i in range(r)) // math.factorial(r)
        return math.log(ways)
    # Of c values dealt out to r groups hardly a deal leaves a group empty: S(c, r) ≈ r^c / r!, which is never less.
    return c * math.log(r) - math.lgamma(r + 1)
