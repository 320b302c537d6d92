"""Predictions of rows held out by an inner plan, for learners that learn from the predictions of others."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.scikit_learn import clone
from crake.plans import Assignment, GivenFolds, GroupedCrossValidation, Plan, TimeOrdered
from crake.table.schema import Label
from crake.table.table import Table

Tested = tuple[int, int, Rows, TableClassifier]
"""The number of the learner, the fold, the rows tested, and the model of the other rows."""


DEALS_ROWS = "copies of a row are dealt to several folds, a heavy row to one"
"""The reason that a weight of 2 is not two copies to learners that hold rows out."""


def out_of_fold_probabilities(learner: TableClassifier, table: Table, assignment: Assignment) -> Floats:
    """Return P(class given row) of every tested row, NaN of the others; from one pass over the rows if possible."""
    probabilities = np.full((len(table), len(table.schema.classes)), np.nan)
    for _, _, test, model in models_of_each([learner], table, assignment):
        probabilities[test] = model.probabilities(table, test)
    return probabilities


def out_of_fold_rounds(learner: TableClassifier, table: Table, plan: Plan) -> tuple[Rows, Floats, NDArray[np.int32]]:
    """Return all rounds of a plan one after the other: tested rows, probabilities, and consecutive fold numbers."""
    parts, folds = [], 0
    for assignment in inner_rounds(plan, table.target, table.schema.classes):
        tested = np.flatnonzero(assignment.fold >= 0)
        predicted = out_of_fold_probabilities(learner, table, assignment)[tested]
        parts.append((tested, predicted, assignment.fold[tested] + np.int32(folds)))
        folds += assignment.folds
    rows, probabilities, fold = (np.concatenate(column) for column in zip(*parts, strict=True))
    return rows, probabilities, fold


def models_of_each(learners: Sequence[TableClassifier], table: Table, assignment: Assignment) -> Iterator[Tested]:
    """Yield the model of every learner for every fold, each to be asked before the next one is made.

    Learners whose models are functions of the same statistics (naive Bayes under several smoothings) share one pass
    over the rows; any other is fitted on each training part.
    """
    for group in _sharing(learners):
        if assignment.copies is None and is_one_pass(learners[group[0]]):
            yield from _of_one_pass(learners, group, table, assignment)
        else:
            for fold, (train, test) in enumerate(assignment.splits()):
                rows = table.take(train)
                for k in group:
                    yield k, fold, test, clone(learners[k]).fit(rows)


def is_one_pass(learner: Any) -> bool:
    """Return True if one gathering gives the models of all folds."""
    return isinstance(learner, TableClassifier) and bool(learner.one_pass)


def share_statistics(one: Any, other: Any) -> bool:
    """Return True if both learners are estimated from the same statistics: gathering reads equal parameters.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> share_statistics(NaiveBayesClassifier(alpha=0), NaiveBayesClassifier(m=2))
    True
    >>> share_statistics(NaiveBayesClassifier(), NaiveBayesClassifier(numeric="kernel"))
    False
    """
    return is_one_pass(one) and is_one_pass(other) and type(one) is type(other) and _gathered(one) == _gathered(other)


def _gathered(learner: Any) -> dict[str, str]:
    """Return the parameters that gathering may look at."""
    parameters = learner.get_params(deep=False)
    return {name: repr(value) for name, value in parameters.items() if name not in learner.only_estimate}


def _sharing(learners: Sequence[TableClassifier]) -> list[list[int]]:
    groups: list[list[int]] = []
    for k, learner in enumerate(learners):
        own = next((group for group in groups if share_statistics(learners[group[0]], learner)), None)
        if own is None:
            groups.append([k])
        else:
            own.append(k)
    return groups


def _of_one_pass(learners: Sequence[Any], group: list[int], table: Table, assignment: Assignment) -> Iterator[Tested]:
    gatherer = clone(learners[group[0]]).checked()
    # Rows that are learned from but never tested (a holdout's training part) are a group of their own.
    first = int(np.any(assignment.known & (assignment.fold < 0)))
    statistics = gatherer.gather(table, assignment.fold + np.int32(first), assignment.folds + first)
    # Copies, as what gathering itself fitted (a precision) goes with every one of them.
    models = {k: copy.copy(gatherer).set_params(**learners[k].get_params(deep=False)).checked() for k in group}
    for fold in range(assignment.folds):
        others, test = statistics.without(fold + first), np.flatnonzero(assignment.fold == fold)
        for k in group:
            yield k, fold, test, models[k].estimate(others)


def inner_rounds(plan: Plan, target: NDArray[np.int32], classes: Sequence[Label]) -> Iterator[Assignment]:
    """Return the rounds of an inner plan over the rows that are learned from.

    Too few rows are a DataError: the learner stays as it is. Folds, groups or times of other rows are a CrakeError.
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
    """Return the values that a plan has for each row; None if it has none."""
    if isinstance(plan, GivenFolds):
        return plan.fold_of_row
    if isinstance(plan, GroupedCrossValidation | TimeOrdered):
        return None if plan.by is None or isinstance(plan.by, str) else plan.by
    return None
