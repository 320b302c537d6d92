"""CHAID's settings: how values are compared and merged, when a node is split, and by whose rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from crake.arrays import Floats
from crake.kernels.chaid.chi_square import judge_tables

Group = list[int]
"""Values that are merged, by their rows in a table of shape (values, classes)."""
Order = Literal["nominal", "ordinal", "floating"]
"""Any two values may be merged; neighbours only; neighbours, but the missing value, the last row, with any group."""
Statistic = Literal["pearson", "likelihood"]
Variant = Literal["kass", "pypi-chaid"]


@dataclass(frozen=True)
class Independence:
    """A test of independence of groups and classes; `log_p` is ln p, exact where p itself would be 0."""

    statistic: float
    dof: int
    log_p: float


@dataclass(frozen=True)
class Merging:
    """The levels at which values are merged, and at which a merged group is split again (None: never)."""

    alpha_merge: float = 0.05
    alpha_resplit: float | None = 0.049
    statistic: Statistic = "pearson"
    min_leaf: float = 1.0
    variant: Variant = "kass"

    def judged(self, tables: Floats) -> Floats:
        """Return statistic, degrees of freedom and ln p of each table of a stack."""
        tested = np.empty((len(tables), 3))
        judge_tables(tables, self.statistic == "pearson", tested)
        return tested

    def tested(self, table: Floats) -> Independence:
        """Test whether the rows of a table differ in class."""
        statistic, dof, log_p = self.judged(table[None])[0].tolist()
        return Independence(statistic, int(dof), log_p)


@dataclass(frozen=True)
class Settings:
    """Settings of merging, of the choice of a column, and of leaves."""

    merging: Merging
    alpha_split: float = 0.05
    bonferroni: bool = True
    missing_apart: bool = True
    max_depth: int | None = None
    min_split: float = 2.0
