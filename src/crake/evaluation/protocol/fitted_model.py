"""Fitted models on rows with a known target: the test that is left for the end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats
from crake.errors import CrakeError, DataError, SchemaError, TargetNotFound
from crake.evaluation.protocol.arguments import refuse_unknown_class
from crake.evaluation.protocol.folds import answers_the_most_probable
from crake.evaluation.protocol.outcome import Outcome, Run, class_evaluation, left_out_note, number_evaluation
from crake.evaluation.protocol.timing import Progress, warm
from crake.evaluation.result.base import Context
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import FittedModel
from crake.evaluation.result.out_of_fold import ClassPredictions, NumericPredictions
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scoring import Scoring
from crake.plans import Plan, Resubstitution
from crake.table import codes
from crake.table.batch import UNSEEN
from crake.table.convert.parts_of_dates import with_parts_of
from crake.table.matching import left_over, matched_column
from crake.table.schema import Column, Kind, Label, Schema, sorted_levels
from crake.table.sources.scanned_table import encode_scan
from crake.table.table import Table

PLAN = "a fitted model, tested on these rows"
UNKNOWN_CLASS = "unknown to the model"


def run(models: Sequence[Any], data: FittedModel, plan: Plan | None = None, progress: Progress | None = None) -> Run:
    """Test every model as it is on the rows of the table, which it should not have learned from."""
    del progress  # a model predicts in one go
    outcomes = tuple(
        regressor_outcome(model, data.table) if isinstance(model, TableRegressor) else outcome(model, data.table)
        for model in models
    )
    return Run(outcomes, data.table, plan or Resubstitution())


def evaluate_model(
    model: Any, table: Table, *, positive: Label | None = None, scoring: Scoring | None = None
) -> Evaluation:
    """Evaluate a fitted classifier on the rows of a labelled table, which it should not have been trained on.

    Columns and labels are matched by name and as they are written. A label the model does not know is a class that it
    never predicts: such rows count as errors, and a note says how many there are. Rows without a label are left out.
    Afterwards a `scoring` that is given knows what was new to the model.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> from crake.table.examples import load
    >>> iris = load("iris")
    >>> model = NaiveBayesClassifier().fit(iris.take(np.arange(0, 150, 2)))
    >>> print(evaluate_model(model, iris.take(np.arange(1, 150, 2))).accuracy)
    0.960 [0.889, 0.986]
    """
    return class_evaluation(outcome(model, table, positive=positive, scoring=scoring), positive)


def evaluate_regressor(model: Any, table: Table) -> NumberEvaluation:
    """Evaluate a fitted regressor on the rows of a table; columns are matched by name.

    Rows without a known number are left out, and a note says how many there are.

    >>> import pyarrow as pa
    >>> from crake.learners.linear import LinearRegressor
    >>> from crake.table.read import read
    >>> x = np.arange(20) / 4
    >>> model = LinearRegressor().fit(read(pa.table({"x": x, "y": 2 * x}), target="y"))
    >>> new = read(pa.table({"x": x, "y": 2 * x + np.tile([0.5, -0.5], 10)}), target="y")
    >>> print(f"{evaluate_regressor(model, new).rmse:.3f}")
    0.500
    """
    return number_evaluation(regressor_outcome(model, table))


def outcome(model: Any, table: Table, *, positive: Label | None = None, scoring: Scoring | None = None) -> Outcome:
    """Return the predictions of a fitted classifier for the rows of a table."""
    if not isinstance(model, TableClassifier):
        raise CrakeError(f"a {type(model).__name__} is tested by crake.evaluate, which fits it; expected crake's model")
    check_is_fitted(model)
    target = target_of(model, table)
    classes, actual = actual_codes(model.schema_.classes, table, target)
    refuse_unknown_class(positive, classes)
    tested, weights = rows_to_test(actual, table, target)
    scoring = scoring or Scoring(model, table)
    warm()
    start = time.perf_counter()
    parts = list(scoring.parts(lambda *part: part))
    probabilities, answers = (np.concatenate(column) for column in zip(*parts, strict=True))
    seconds = time.perf_counter() - start
    predictions = ClassPredictions(
        rows=tested,
        fold=np.zeros(len(tested), np.int32),
        actual=actual[tested],
        probabilities=with_new_classes(probabilities, len(classes))[tested],
        weights=weights,
        fit_seconds=0.0,
        predict_seconds=seconds,
        answered=None if answers_the_most_probable(model) else answers[tested].astype(np.int32),
    )
    return Outcome(
        learner=model,
        out_of_fold=predictions,
        table=table.name,
        target=target,
        plan=PLAN,
        classes=classes,
        notes=notes_on_labels(model.schema_.classes, classes, actual, target),
        warnings=scoring.warnings(),
        is_fitted=True,
    )


def regressor_outcome(model: Any, table: Table) -> Outcome:
    """Return the predictions of a fitted regressor for the rows of a table."""
    if not isinstance(model, TableRegressor):
        raise CrakeError(f"a {type(model).__name__} is tested by crake.evaluate, which fits it; expected crake's model")
    check_is_fitted(model)
    target = numeric_target(model, table)
    actual = np.asarray(table.column(target), np.float64)
    tested, weights = rows_to_test(np.where(np.isnan(actual), -1, 0), table, target)
    start = time.perf_counter()
    predicted = model.predict(_features(model, table))
    predictions = NumericPredictions(
        rows=tested,
        fold=np.zeros(len(tested), np.int32),
        actual=actual[tested],
        predicted=predicted[tested],
        weights=weights,
        fit_seconds=0.0,
        predict_seconds=time.perf_counter() - start,
    )
    return Outcome(
        learner=model,
        out_of_fold=predictions,
        table=table.name,
        target=target,
        plan=PLAN,
        notes=left_out_note(int(np.isnan(actual).sum()), target),
        is_fitted=True,
        context=Context(model, FittedModel(table)),
    )


def rows_to_test(actual: NDArray[Any], table: Table, target: str) -> tuple[NDArray[np.intp], Floats]:
    """Return the rows with a known target (a code of at least 0) and a positive weight, and their weights."""
    weights = np.ones(len(table)) if table.weights is None else table.weights
    tested = np.flatnonzero((actual >= 0) & (weights > 0))
    if len(tested) == 0:
        raise DataError(f"no row of {table.name} has a known {target!r}; there is nothing to test on")
    return tested, weights[tested]


def target_of(model: TableClassifier | TableRegressor, table: Table) -> str:
    """Return the column with the known target: the table's target if it has one, or else the one predicted."""
    target = table.schema.target if table.schema.target is not None else model.schema_.target
    if target is None or target not in table.schema or table.schema[target].kind is Kind.IGNORED:
        names = [column.name for column in table.schema.columns if column.kind is not Kind.IGNORED]
        raise TargetNotFound(target, names, where=f" in {table.name}")
    return target


def numeric_target(model: TableRegressor, table: Table) -> str:
    """Return the column with the true numbers; raise if it is not numeric or the table is scanned."""
    table.require_memory("testing a regressor")
    target = target_of(model, table)
    if table.schema[target].kind is not Kind.NUMERIC:
        raise SchemaError(
            f"the column {target!r} of {table.name} is {table.schema[target].kind}, and the model predicts a number: "
            f"read it with numeric=[{target!r}]"
        )
    return target


def new_to_model(model: TableRegressor, table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return warnings on values that training had not seen, and notes on columns that are not used."""
    coded = model._coded(_features(model, table))  # noqa: SLF001 (the same coding that `predict` uses)
    warnings = []
    for column in model.schema_.nominal:
        if unseen := int(np.sum(np.asarray(coded.column(column.name)) == UNSEEN)):
            values = "1 value" if unseen == 1 else f"{unseen:,} values"
            warnings.append(f"{values} of {column.name!r} {'was' if unseen == 1 else 'were'} never seen in training")
    return tuple(warnings), left_over(model.schema_, table.schema.names)


def _features(model: TableRegressor, table: Table) -> Table:
    """Return the table without the column to predict, whose name need not be that of training."""
    whole = with_parts_of(table, model.schema_)
    return whole.select([column.name for column in model.schema_.features if column.name in whole.schema])


def actual_codes(known: tuple[Label, ...], table: Table, target: str) -> tuple[tuple[Label, ...], Codes]:
    """Return all classes, those the model does not know last, and the class of every row."""
    if not table.in_memory:
        return _scanned_codes(known, table, target)
    column, array = table.schema[target], table.column(target)
    coded_labels = codes.Coded(column.levels, array) if column.kind is Kind.NOMINAL else codes.distinct(array)
    labels = matched_column(coded_labels, known)
    new = sorted_levels(label for label in codes.used_labels(labels) if label not in known)
    classes = (*known, *new)
    return classes, codes.encode(labels, classes)


def _scanned_codes(known: tuple[Label, ...], table: Table, target: str) -> tuple[tuple[Label, ...], Codes]:
    """Read the labels alone in one scan; all that the model does not know become one class."""
    labels = Schema((Column(target, Kind.NOMINAL, known),), target)
    scanned = encode_scan(table.with_target(target), labels)
    actual = np.concatenate([batch.target for batch in scanned.batches()])
    if not (actual == UNSEEN).any():
        return known, actual
    return (*known, UNKNOWN_CLASS), np.where(actual == UNSEEN, len(known), actual).astype(np.int32)


def with_new_classes(probabilities: Floats, classes: int) -> Floats:
    """Add a column of zeros for every class that the model does not know."""
    more = classes - probabilities.shape[1]
    return np.pad(probabilities, ((0, 0), (0, more))) if more else probabilities


def notes_on_labels(
    known: tuple[Label, ...], classes: tuple[Label, ...], actual: Codes, target: str
) -> tuple[str, ...]:
    """Return notes on rows without a label, and on those of a class that was not learned."""
    left_out = left_out_note(int(np.sum(actual < 0)), target)
    return (*left_out, *unknown_classes(len(known), classes, actual, target))


def unknown_classes(known: int, classes: tuple[Label, ...], actual: Codes, target: str) -> tuple[str, ...]:
    """Return a sentence on rows of a class that was not learned; none if there are no such rows."""
    rows = int(np.sum(actual >= known))
    if rows == 0:
        return ()
    new = ", ".join(map(repr, classes[known : known + 5])) + (" …" if len(classes) > known + 5 else "")
    have = "1 row has" if rows == 1 else f"{rows:,} rows have"
    return (f"{have} a {target} that the model does not know ({new}): counted as errors",)
