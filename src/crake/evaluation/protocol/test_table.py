"""A supplied test table: learn from the one, test on the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from crake.errors import CrakeError
from crake.evaluation.protocol.fitted_model import (
    actual_codes,
    evaluate_model,
    notes_on_labels,
    rows_to_test,
    with_new_classes,
)
from crake.evaluation.protocol.other_libraries import ForeignRows, complete_array, foreign_answer
from crake.evaluation.protocol.out_of_fold import OutOfFold
from crake.evaluation.protocol.positive_class import refuse_unknown_class
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.context import Context
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.scoring import Scoring
from crake.learners.registry import is_baseline, title_of
from crake.plans import Assignment
from crake.table.convert.frames import encode, from_xy
from crake.table.schema import Label
from crake.table.table import Table

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SuppliedTest:
    """Stands where a plan stands: what was learned from and what was tested are two tables."""

    learned: str
    learned_rows: int
    tested: str
    tested_rows: int

    def describe(self) -> str:
        """In words."""
        return (
            f"learned from {self.learned} ({self.learned_rows:,} rows), "
            f"tested on {self.tested} ({self.tested_rows:,} rows)"
        )

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:  # noqa: ARG002
        """There is nothing to deal out."""
        raise CrakeError(f"the rows of {self.tested} are tested; there are no folds of {self.learned}")


@dataclass(frozen=True, eq=False)
class Supplied:
    """The test table; X is what was given in its place, for learners of other libraries."""

    table: Table
    X: Any = None

    @classmethod
    def of(cls, test: Any, training: Table, nominal: Any = "auto") -> Supplied:
        """A Table with the target of the training table, or a pair X, y as the training rows were given."""
        if isinstance(test, Table):
            target = training.schema.target
            named = test if test.schema.target is not None or target not in test.schema else test.with_target(target)
            return cls(named)
        if not (isinstance(test, tuple | list) and len(test) == 2):
            raise CrakeError(f"test is a {type(test).__name__}; expected a Table, or a pair (X, y) of rows and labels")
        coded = from_xy(test[0], test[1], nominal=nominal, target_name=training.schema.target or "target")
        return cls(replace(coded, name="the test rows"), test[0])


def evaluate_supplied(
    learner: Any,
    training: Table,
    test: Supplied,
    *,
    positive: Label | None = None,
    foreign: ForeignRows | None = None,
) -> tuple[Evaluation, tuple[str, ...]]:
    """The learner fitted on one table and tested on the other; also what in the test rows was new to it.

    >>> from crake.table.examples import load
    >>> iris = load("iris")
    >>> odd, even = (iris.take(np.arange(start, 150, 2)) for start in (1, 0))
    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> print(evaluate_supplied(NaiveBayesClassifier(), even, Supplied(odd))[0].accuracy)
    0.960 [0.889, 0.986]
    """
    plan = SuppliedTest(training.name, len(training), test.table.name, len(test.table))
    if reads_tables(learner):
        found, warnings = _own(learner, training, test.table, positive)
    else:
        found, warnings = _foreign(learner, training, test, positive, foreign), ()
    rows = replace(found.out_of_fold, training_rows=np.array([len(training)], np.int64))
    context = Context(learner, training, plan, foreign, tested=test.table)
    return replace(found, plan=plan.describe(), out_of_fold=rows, context=context), warnings


def _own(
    learner: TableClassifier, training: Table, test: Table, positive: Label | None
) -> tuple[Evaluation, tuple[str, ...]]:
    start = time.perf_counter()
    model = clone(learner).fit(training)
    seconds = time.perf_counter() - start
    scoring = Scoring(model, test)
    found = evaluate_model(model, test, positive=positive, scoring=scoring)
    timed = replace(found.out_of_fold, fit_seconds=seconds)
    return replace(found, out_of_fold=timed, notes=(*found.notes, *scoring.notes)), scoring.warnings()


def _foreign(
    learner: Any, training: Table, test: Supplied, positive: Label | None, given: ForeignRows | None
) -> Evaluation:
    """A classifier of another library: X as it was given, or a numeric and complete table as an array."""
    rows = given or ForeignRows.of(training, learner)
    target = test.table.schema.target or ""
    classes, actual = actual_codes(training.schema.classes, test.table, target)
    refuse_unknown_class(positive, classes)
    tested, weights = rows_to_test(actual, test.table, target)
    X = test.X if given is not None and test.X is not None else _array(training, test.table, learner)
    start = time.perf_counter()
    model = rows.fitted(clone(learner), np.flatnonzero(training.target >= 0))
    fitted = time.perf_counter()
    probabilities, answered = foreign_answer(model, X, rows.classes)
    seconds = time.perf_counter() - fitted
    found = OutOfFold(
        tested,
        np.zeros(len(tested), np.int32),
        actual[tested],
        with_new_classes(probabilities, len(classes))[tested],
        weights,
        fit_seconds=fitted - start,
        predict_seconds=seconds,
        answered=None if answered is None else answered[tested],
    )
    notes = notes_on_labels(training.schema.classes, classes, actual, target)
    name, table = title_of(learner), test.table.name
    return Evaluation(name, table, target, classes, "", found, notes, positive, is_baseline(learner))


def _array(training: Table, test: Table, learner: Any) -> NDArray[np.float64]:
    features = training.schema.select([column.name for column in training.schema.features])
    return complete_array(replace(encode(test, features), name=test.name), learner)


class SuppliedTask(NamedTuple):
    """A learner with the two tables as it reads them."""

    learner: Any
    training: Table
    test: Supplied
    foreign: ForeignRows | None = None


def compare_supplied(
    tasks: Sequence[SuppliedTask], positive: Label | None, progress: Progress | None
) -> tuple[tuple[Evaluation, ...], SuppliedTest, tuple[str, ...], tuple[str, ...]]:
    """Every learner on the same two tables: evaluations, what stands for the plan, warnings, notes."""
    evaluations: list[Evaluation] = []
    warnings: list[str] = []
    for learner, training, test, foreign in tasks:
        found, new = evaluate_supplied(learner, training, test, positive=positive, foreign=foreign)
        evaluations.append(found)
        warnings += new
        if progress is not None:
            progress(title_of(learner), 1, 1)
    training, test = tasks[0].training, tasks[0].test
    plan = SuppliedTest(training.name, len(training), test.table.name, len(test.table))
    notes = dict.fromkeys(note for each in evaluations for note in each.notes)
    return tuple(evaluations), plan, tuple(dict.fromkeys(warnings)), tuple(notes)
