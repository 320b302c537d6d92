"""The plan of a learner that holds rows out of those it is given: Calibrated, Tuned, WithCutoff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.plans import Assignment, GivenFolds, GroupedCrossValidation, Plan, TimeOrdered
from crake.table.schema import Label


def inner_rounds(plan: Plan, target: NDArray[np.int32], classes: Sequence[Label]) -> Iterator[Assignment]:
    """The plan's rounds over the rows that are learned from.

    Too few rows are a DataError, which leaves the learner as it is; folds, groups or times of other rows are a mistake.
    """
    values = _by_row(plan)
    if values is not None and len(values) != len(target):
        raise CrakeError(
            f"the learner's own plan, {plan.describe()}, has a value for each of {len(values)} rows, and "
            f"{len(target)} are learned from: rows without a class or of weight 0 are left out, and so are those that "
            "an evaluation tests; give the values of the rows that are left, or take plan=CrossValidation(5)"
        )
    yield from plan.rounds(target, classes)


def _by_row(plan: Plan) -> Any:
    """What a plan has a value a row of; None where it has nothing of the kind."""
    if isinstance(plan, GivenFolds):
        return plan.fold_of_row
    if isinstance(plan, GroupedCrossValidation | TimeOrdered):
        return None if plan.by is None or isinstance(plan.by, str) else plan.by
    return None
