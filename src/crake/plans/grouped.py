"""Grouped cross-validation: rows that belong together (a patient's, a customer's) are tested together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, DataError
from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment, OneRound
from crake.table.codes import is_missing
from crake.table.schema import Label


@dataclass(frozen=True, eq=False)
class GroupedCrossValidation(OneRound):
    """No group is both learned from and tested. `by` names a column, or holds a value for each row.

    Without `by` the groups of a table are rows that are equal in every column but the target and ids. The groups are
    dealt out from the largest to the smallest (equals in an order drawn by the seed), each to the fold that most lacks
    its classes: the folds are about even, also in their classes. A row without a value is a group of its own.

    >>> plan = GroupedCrossValidation(["ann", "ann", "bob", "cid", "cid", "bob"], folds=3)
    >>> fold = plan.assign([0, 1, 0, 1, 0, 1], ["no", "yes"]).fold
    >>> bool(fold[0] == fold[1]), bool(fold[2] == fold[5]), sorted(set(fold.tolist()))
    (True, True, [0, 1, 2])
    """

    by: Any = None
    _: KW_ONLY
    folds: int = 10
    random_state: int = 1

    def __post_init__(self) -> None:
        rows.whole_number(self.folds, "folds", 2)
        rows.whole_number(self.random_state, "random_state", 0)

    def assign(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Assignment:
        """Give every row of known class the fold of its group."""
        codes = rows.target(target_codes, classes)
        group = self._groups(len(codes))
        known = codes >= 0
        names, position = np.unique(group[known], return_inverse=True)
        if len(names) < 2:
            raise DataError("all rows with a known class are of one group; expected at least two groups")
        folds = min(self.folds, len(names))
        counts = np.zeros((len(names), max(len(classes), 1)))
        np.add.at(counts, (position, codes[known]), 1)
        fold = np.full(len(codes), NEVER, np.int32)
        fold[known] = self._dealt(counts, folds)[position]
        short = [f"{self.folds} folds asked for, {len(names)} groups: {folds} folds"] if folds < self.folds else []
        return rows.assignment(fold, folds, codes, classes, short)

    def describe(self) -> str:
        """Return the plan in words."""
        what = f"groups by {self.by}" if isinstance(self.by, str) else "given groups"
        what = "equal rows together" if self.by is None else what
        return f"{self.folds}-fold cross-validation, {what}, seed {self.random_state}"

    def _dealt(self, counts: NDArray[np.float64], folds: int) -> NDArray[np.int32]:
        """Return the fold of each group: where Σ_c (rows of class c there / rows of class c)² grows least.

        All rows together count as one class more, so that a fold without rows always comes first.
        """
        draw = np.argsort(np.asarray(np.random.PCG64(self.random_state).random_raw(len(counts))))
        order = draw[np.argsort(-counts[draw].sum(axis=1), kind="stable")]
        share = np.column_stack([counts, counts.sum(axis=1)])
        share /= np.maximum(share.sum(axis=0), 1)
        load, fold = np.zeros((folds, share.shape[1])), np.empty(len(counts), np.int32)
        for group in order:
            fold[group] = int(np.argmin(((load + share[group]) ** 2 - load**2).sum(axis=1)))
            load[fold[group]] += share[group]
        return fold

    def _groups(self, n: int) -> NDArray[np.intp]:
        if isinstance(self.by, str):
            raise CrakeError(
                f"the groups are the column {self.by!r}; evaluate a Table with it, or give one value per row"
            )
        if self.by is None:
            raise CrakeError("equal rows are found in a Table; evaluate one, or give one value per row: by=…")
        return grouped_rows(self.by, n)


def grouped_rows(by: Any, n: int) -> NDArray[np.intp]:
    """Return one whole number per row, equal for equal values; missing values are equal to nothing."""
    values = np.asarray(by, dtype=object)
    if values.shape != (n,):
        raise DataError(f"groups have shape {values.shape}; expected one value for each of {n} rows")
    place: dict[object, int] = {}
    missing = is_missing(values)
    for value, gone in zip(values, missing, strict=True):
        if not gone:
            place.setdefault(value, len(place))
    groups = np.array([-1 if gone else place[value] for value, gone in zip(values, missing, strict=True)], np.intp)
    alone = np.flatnonzero(groups < 0)
    groups[alone] = len(place) + np.arange(len(alone))
    return groups
