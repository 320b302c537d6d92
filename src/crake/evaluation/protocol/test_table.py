"""Test tables: learners learn from all rows of one table and are tested on those of another."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, DataError, did_you_mean
from crake.evaluation.protocol import fitted_model
from crake.evaluation.protocol.arguments import (
    has_numeric_target,
    numbers_in_memory,
    numbers_of,
    predicts_numbers,
    read_by,
    refuse_unknown_class,
    target_name,
)
from crake.evaluation.protocol.fitted_model import (
    actual_codes,
    notes_on_labels,
    rows_to_test,
    unknown_classes,
    with_new_classes,
)
from crake.evaluation.protocol.other_libraries import (
    array_rows,
    complete_array,
    fit_rows,
    fit_weighted,
    foreign_answer,
    foreign_numbers,
    refuse_weights,
    some_rows,
)
from crake.evaluation.protocol.outcome import Outcome, Run, left_out_note
from crake.evaluation.protocol.timing import Progress, begin_learner
from crake.evaluation.protocol.trials import Trials
from crake.evaluation.result.base import Context
from crake.evaluation.result.data import ArrayRows, InMemory, TestTable
from crake.evaluation.result.out_of_fold import ClassPredictions, NumericPredictions
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.learners.base.scoring import Scoring
from crake.learners.registry import title_of
from crake.plans import Assignment, Plan
from crake.render.sentences import counted
from crake.table.convert.frames import encode, from_xy
from crake.table.schema import Kind, Label
from crake.table.table import Table


@dataclass(frozen=True)
class SuppliedTest:
    """Stands where a plan stands: one table is learned from, another is tested."""

    learned: str
    learned_rows: int
    tested: str
    tested_rows: int

    def describe(self) -> str:
        """Describe both tables in words."""
        return (
            f"learned from {self.learned} ({counted(self.learned_rows, 'row')}), "
            f"tested on {self.tested} ({counted(self.tested_rows, 'row')})"
        )

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:  # noqa: ARG002
        """Raise: there is nothing to deal out."""
        raise CrakeError(f"the rows of {self.tested} are tested; there are no folds of {self.learned}")


def with_test(data: InMemory, test: Any) -> TestTable:
    """Return the rows learned from beside those tested: a Table with the same target, or a pair X, y."""
    training = data.table
    if isinstance(test, Table):
        target = training.schema.target
        named = test if test.schema.target is not None or target not in test.schema else test.with_target(target)
        return TestTable(training, named, data.arrays, None, data.nominal)
    if not (isinstance(test, tuple | list) and len(test) == 2):
        raise CrakeError(f"test is a {type(test).__name__}; expected a Table, or a pair (X, y) of rows and labels")
    X, y = test
    if has_numeric_target(training) or (data.arrays is not None and data.arrays.classes is None):
        rows = numbers_in_memory(X, y, data.nominal)
        coded, y = rows.table, numbers_of(rows)
    else:
        coded = from_xy(X, y, nominal=data.nominal, target_name=training.schema.target or "target")
    return TestTable(training, replace(coded, name="the test rows"), data.arrays, ArrayRows(X, y), data.nominal)


def run(learners: Sequence[Any], data: TestTable, plan: Plan | None = None, progress: Progress | None = None) -> Run:
    """Fit every learner on the one table and test it on the other."""
    del plan  # both tables are given
    unknown = () if predicts_numbers(learners[0]) else unknown_labels(data)
    outcomes: list[Outcome] = []
    trials = Trials(learners)
    for place, learner in enumerate(learners):
        begin_learner(progress, title_of(learner), place + 1, len(learners), 1)
        with trials.of(place):
            outcomes.append(run_learner(learner, _read_by(learner, data)))
        if progress is not None:
            progress(title_of(learner), 1, 1)
    failures = trials.finished()
    warnings = dict.fromkeys(warning for each in outcomes for warning in each.warnings)
    notes = dict.fromkeys((*data.table.notes, *(note for each in outcomes for note in each.notes)))
    notes = dict.fromkeys(note for note in notes if note not in unknown)  # a warning says the same
    return Run(tuple(outcomes), data.table, _plan(data), (*unknown, *warnings), tuple(notes), failures)


def unknown_labels(data: TestTable) -> tuple[str, ...]:
    """Return a warning on test rows of a class that was not learned; raise if no row is of a class that was."""
    known, target = data.table.schema.classes, data.test.schema.target or ""
    if target not in data.test.schema or data.test.schema[target].kind is Kind.IGNORED:
        return ()
    classes, actual = actual_codes(known, data.test, target)
    labelled = actual[actual >= 0]
    if len(labelled) == 0 or (labelled < len(known)).any():
        return unknown_classes(len(known), classes, actual, target)
    label = str(classes[len(known)])
    near = did_you_mean(label, map(str, known)) or f" Classes: {', '.join(map(str, known[:10]))}."
    raise DataError(
        f"no row of {data.test.name} has a {target} that {data.table.name} has: the first is {label!r}.{near} "
        "Both tables must write the classes alike"
    )


def _plan(data: TestTable) -> SuppliedTest:
    return SuppliedTest(data.table.name, len(data.table), data.test.name, len(data.test))


def _read_by(learner: Any, data: TestTable) -> TestTable:
    """Return both tables as one of several learners reads X and y."""
    whole = InMemory(data.table, data.arrays, data.nominal)
    own = read_by(learner, whole)
    if own.table is data.table:
        return replace(data, arrays=own.arrays)
    test = data.test if data.test_arrays is None else (data.test_arrays.X, data.test_arrays.y)
    return replace(with_test(own, test), positive=data.positive)


def run_learner(learner: Any, data: TestTable) -> Outcome:
    """Fit one learner on all rows of the one table and test it on the other.

    >>> from crake.table.examples import load
    >>> from crake.evaluation.protocol.outcome import class_evaluation
    >>> iris = load("iris")
    >>> odd, even = (iris.take(np.arange(start, 150, 2)) for start in (1, 0))
    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> print(class_evaluation(run_learner(NaiveBayesClassifier(), TestTable(even, odd))).accuracy)
    0.960 [0.889, 0.986]
    """
    plan = _plan(data)
    if predicts_numbers(learner):
        outcome = _regressor(learner, data)
    else:
        outcome = _classifier(learner, data) if reads_tables(learner) else _foreign(learner, data)
    rows = replace(outcome.out_of_fold, training_rows=np.array([len(data.table)], np.int64))
    context = Context(learner, data, plan)
    return replace(outcome, learner=learner, plan=plan.describe(), out_of_fold=rows, is_fitted=False, context=context)


def _classifier(learner: Any, data: TestTable) -> Outcome:
    start = time.perf_counter()
    model = clone(learner).fit(data.table)
    seconds = time.perf_counter() - start
    scoring = Scoring(model, data.test)
    outcome = fitted_model.outcome(model, data.test, positive=data.positive, scoring=scoring)
    timed = replace(outcome.out_of_fold, fit_seconds=seconds)
    return replace(outcome, out_of_fold=timed, notes=(*outcome.notes, *scoring.notes))


def _foreign(learner: Any, data: TestTable) -> Outcome:
    """Test a classifier of another library: on X as it was given, or on a numeric and complete table as an array."""
    training, rows = data.table, data.arrays or array_rows(data.table, learner)
    target = data.test.schema.target or ""
    classes, actual = actual_codes(training.schema.classes, data.test, target)
    refuse_unknown_class(data.positive, classes)
    places, weights = rows_to_test(actual, data.test, target)
    X = rows_of_test(learner, data)
    start = time.perf_counter()
    model = fit_rows(rows, clone(learner), np.flatnonzero(training.target >= 0))
    fitted = time.perf_counter()
    probabilities, answered, kind = foreign_answer(model, X, rows.classes)
    seconds = time.perf_counter() - fitted
    predictions = ClassPredictions(
        rows=places,
        fold=np.zeros(len(places), np.int32),
        actual=actual[places],
        probabilities=with_new_classes(probabilities, len(classes))[places],
        weights=weights,
        fit_seconds=fitted - start,
        predict_seconds=seconds,
        answered=answered[places],
        kind=kind or "probabilities",
    )
    return Outcome(
        learner=learner,
        out_of_fold=predictions,
        table=data.test.name,
        target=target,
        plan="",
        classes=classes,
        notes=notes_on_labels(training.schema.classes, classes, actual, target),
    )


def _regressor(learner: Any, data: TestTable) -> Outcome:
    """Test a regressor: crake's on the columns of a table by their names; any on X as it was given, or on an array."""
    start = time.perf_counter()
    model = fit_regressor(learner, data)
    seconds = time.perf_counter() - start
    if data.test_arrays is None and isinstance(model, TableRegressor):
        outcome = fitted_model.regressor_outcome(model, data.test)
        warnings, notes = fitted_model.new_to_model(model, data.test)
        timed = replace(outcome.out_of_fold, fit_seconds=seconds)
        return replace(outcome, out_of_fold=timed, warnings=warnings, notes=(*outcome.notes, *notes))
    target, test = target_name(data), data.test
    X, y = rows_of_test(learner, data), data.test_arrays
    actual = np.asarray(test.column(target), np.float64) if y is None else y.y
    places, weights = rows_to_test(np.where(np.isnan(actual), -1, 0), test, target)
    start = time.perf_counter()
    predicted = foreign_numbers(model, X)
    predictions = NumericPredictions(
        rows=places,
        fold=np.zeros(len(places), np.int32),
        actual=actual[places],
        predicted=predicted[places],
        weights=weights,
        fit_seconds=seconds,
        predict_seconds=time.perf_counter() - start,
    )
    notes = left_out_note(int(np.isnan(actual).sum()), target)
    return Outcome(learner=learner, out_of_fold=predictions, table=test.name, target=target, plan="", notes=notes)


def fit_regressor(learner: Any, data: TestTable) -> Any:
    """Return the regressor fitted to all rows with a number: to the table, to X as it was given, or to an array."""
    if data.arrays is None and isinstance(learner, TableRegressor):
        return clone(learner).fit(data.table)
    refuse_weights(learner, data.table)
    X, y = complete_array(data.table, learner) if data.arrays is None else data.arrays.X, numbers_of(data)
    known = np.flatnonzero(~np.isnan(y))
    return fit_weighted(clone(learner), some_rows(X, known), y[known], data.table.weights, known)


def rows_of_test(learner: Any, data: TestTable) -> Any:
    """Return the test rows as a learner of another library reads them: X as it was given, or an array."""
    if data.test_arrays is not None and (data.arrays or predicts_numbers(learner)):
        return data.test_arrays.X
    return _array(data.table, data.test, learner)


def _array(training: Table, test: Table, learner: Any) -> NDArray[np.float64]:
    features = training.schema.select([column.name for column in training.schema.features])
    return complete_array(replace(encode(test, features), name=test.name), learner)
