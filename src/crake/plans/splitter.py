"""A splitter of scikit-learn as a plan: whatever has `split(X, y)` deals the rows out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, DataError
from crake.plans.assignment import NEVER, Assignment
from crake.table.schema import Label

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class SplitterPlan:
    """The splits of an object such as scikit-learn's `KFold(5)`, among the rows whose target is known.

    Splits that test every row once and learn from the others are the folds of one round; any other split is a round of
    its own.

    >>> from sklearn.model_selection import KFold
    >>> plan = SplitterPlan(KFold(3))
    >>> [round.fold.tolist() for round in plan.rounds([0, 1, 0, 1, 0, 1], ["no", "yes"])]
    [[0, 0, 1, 1, 2, 2]]
    >>> plan.describe()
    'KFold(n_splits=3, random_state=None, shuffle=False)'
    """

    splitter: Any

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        """Yield the splits as rounds."""
        del classes
        codes = np.asarray(target_codes)
        known = codes >= 0
        groups = _in_rounds(self._splits(codes, known), int(known.sum()))
        return iter([_assignment(group, known, len(groups)) for group in groups])

    def describe(self) -> str:
        """Return the splitter as it writes itself."""
        return " ".join(repr(self.splitter).split())

    def _splits(self, codes: NDArray[Any], known: NDArray[np.bool_]) -> list[Split]:
        rows = np.flatnonzero(known)
        try:
            splits = list(self.splitter.split(np.zeros((len(rows), 1)), codes[known]))
        except (TypeError, ValueError) as error:
            raise DataError(
                f"{self.describe()} cannot split {len(rows)} rows: {error}; for groups there is "
                "crake.GroupedCrossValidation"
            ) from error
        if not splits or any(len(train) == 0 or len(test) == 0 for train, test in splits):
            raise DataError(f"{self.describe()} gives no rows to learn from, or none to test")
        return [(rows[np.asarray(train, np.intp)], rows[np.asarray(test, np.intp)]) for train, test in splits]


def plan_of(plan: Any, random_state: int = 1) -> Any:
    """Return the plan of a short name or a splitter, or the plan itself.

    >>> plan_of("cv5").describe()
    'stratified 5-fold cross-validation, seed 1'
    """
    if isinstance(plan, str):
        from crake.plans.short_names import from_text  # noqa: PLC0415 (it knows all plans)

        return from_text(plan, random_state)
    if plan is None or hasattr(plan, "rounds"):
        return plan
    if hasattr(plan, "split") and not isinstance(plan, type):
        return SplitterPlan(plan)
    raise CrakeError(
        f"plan = {plan!r}; expected a plan such as crake.CrossValidation(10), a short name such as 'cv10', or a "
        "splitter of scikit-learn"
    )


def _in_rounds(splits: list[Split], rows: int) -> list[list[Split]]:
    """Put splits together that are the folds of one round."""
    rounds: list[list[Split]] = []
    while splits:
        size, tested = 0, np.zeros(0, np.intp)
        for train, test in splits:
            if len(np.unique(train)) != rows - len(test) or len(np.intersect1d(train, test)):
                break
            if len(np.intersect1d(test, tested)):
                break
            size, tested = size + 1, np.concatenate([tested, test])
            if len(tested) == rows:
                break
        taken = size if len(tested) == rows else 1
        rounds.append(splits[:taken])
        splits = splits[taken:]
    return rounds


def _assignment(group: list[Split], known: NDArray[np.bool_], rounds: int) -> Assignment:
    fold = np.full(len(known), NEVER, np.int32)
    for number, (_, test) in enumerate(group):
        fold[test] = number
    copies = None if len(group) > 1 else np.bincount(group[0][0], minlength=len(known)).astype(np.int32)
    return Assignment(fold, len(group), known, copies=copies, of=rounds)
