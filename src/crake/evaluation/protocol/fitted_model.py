"""A fitted model on rows with known labels: the test that is left for the end."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from crake.errors import CrakeError, DataError, TargetNotFound
from crake.evaluation.protocol.bootstrap import error_by_row
from crake.evaluation.protocol.out_of_fold import Floats, OutOfFold
from crake.evaluation.protocol.positive_class import refuse_unknown_class
from crake.evaluation.protocol.refit import answers_the_most_probable
from crake.evaluation.result.classification import Evaluation
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.scoring import Scoring
from crake.learners.registry import is_baseline, title_of
from crake.learners.warm import warm
from crake.table import codes
from crake.table.batch import UNSEEN, Codes
from crake.table.matching import matched_column
from crake.table.schema import Column, Kind, Label, Schema, sorted_levels
from crake.table.sources.scanned_table import encode_scan
from crake.table.table import Table

PLAN = "a fitted model, tested on these rows"
UNKNOWN_CLASS = "unknown to the model"


def evaluate_model(
    model: Any, table: Table, *, positive: Label | None = None, scoring: Scoring | None = None
) -> Evaluation:
    """What a fitted model is worth on the rows of a labelled table, which it should not have been trained on.

    Columns and labels are matched by name and as they are written. A label the model does not know is a class that it
    never answers: such rows count as errors, and a note says how many there are. Rows without a label are left out.
    Afterwards a `scoring` that is given knows what was new to the model.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> from crake.table.examples import load
    >>> iris = load("iris")
    >>> model = NaiveBayesClassifier().fit(iris.take(np.arange(0, 150, 2)))
    >>> print(evaluate_model(model, iris.take(np.arange(1, 150, 2))).accuracy)
    0.960 [0.889, 0.986]
    """
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
    found = OutOfFold(
        tested,
        np.zeros(len(tested), np.int32),
        actual[tested],
        with_new_classes(probabilities, len(classes))[tested],
        weights,
        fit_seconds=0.0,
        predict_seconds=seconds,
        answered=None if answers_the_most_probable(model) else answers[tested].astype(np.int32),
    )
    notes = notes_on_labels(model.schema_.classes, classes, actual, target)
    name = title_of(model)
    return Evaluation(name, table.name, target, classes, PLAN, found, notes, positive, is_baseline(model))


def constant_answer(evaluation: Evaluation) -> Evaluation:
    """The most frequent class of the tested rows as the answer to each of them, with the classes' shares."""
    shares = evaluation.confusion.actual_totals / evaluation.confusion.total
    found = evaluation.out_of_fold
    answers = np.tile(shares, (len(found.rows), 1))
    tested = replace(found, probabilities=answers, answered=None, fit_seconds=0.0, predict_seconds=0.0)
    terms = None if evaluation.bootstrap is None else evaluation.bootstrap.of_constant(error_by_row(tested))
    return replace(evaluation, name="majority class", out_of_fold=tested, notes=(), is_baseline=True, bootstrap=terms)


def rows_to_test(actual: Codes, table: Table, target: str) -> tuple[NDArray[np.intp], Floats]:
    """The numbers of the rows with a known class and a positive weight, and their weights; refused if there is none."""
    weights = np.ones(len(table)) if table.weights is None else table.weights
    tested = np.flatnonzero((actual >= 0) & (weights > 0))
    if len(tested) == 0:
        raise DataError(f"no row of {table.name} has a known {target!r}; there is nothing to test on")
    return tested, weights[tested]


def target_of(model: TableClassifier, table: Table) -> str:
    """The column with the labels: the table's target if it has one, or else the column the model predicts."""
    target = table.schema.target if table.schema.target is not None else model.schema_.target
    if target is None or target not in table.schema or table.schema[target].kind is Kind.IGNORED:
        names = [column.name for column in table.schema.columns if column.kind is not Kind.IGNORED]
        raise TargetNotFound(target, names, where=f" in {table.name}")
    return target


def actual_codes(known: tuple[Label, ...], table: Table, target: str) -> tuple[tuple[Label, ...], Codes]:
    """All classes, those the model does not know last, and the class of every row."""
    if not table.in_memory:
        return _scanned_codes(known, table, target)
    column, array = table.schema[target], table.column(target)
    held = codes.Coded(column.levels, array) if column.kind is Kind.NOMINAL else codes.distinct(array)
    labels = matched_column(held, known)
    new = sorted_levels(label for label in codes.used_labels(labels) if label not in known)
    classes = (*known, *new)
    return classes, codes.encode(labels, classes)


def _scanned_codes(known: tuple[Label, ...], table: Table, target: str) -> tuple[tuple[Label, ...], Codes]:
    """The same by one scan of the labels alone; all that the model does not know are one class."""
    labels = Schema((Column(target, Kind.NOMINAL, known),), target)
    scanned = encode_scan(table.with_target(target), labels)
    actual = np.concatenate([batch.target for batch in scanned.batches()])
    if not (actual == UNSEEN).any():
        return known, actual
    return (*known, UNKNOWN_CLASS), np.where(actual == UNSEEN, len(known), actual).astype(np.int32)


def with_new_classes(probabilities: Floats, classes: int) -> Floats:
    """A column of zeros more for every class that the model does not know."""
    more = classes - probabilities.shape[1]
    return np.pad(probabilities, ((0, 0), (0, more))) if more else probabilities


def notes_on_labels(
    known: tuple[Label, ...], classes: tuple[Label, ...], actual: Codes, target: str
) -> tuple[str, ...]:
    """On rows without a label, and on those of a class that was not learned."""
    return (*_left_out(actual, target), *_unknown_classes(len(known), classes, actual, target))


def _left_out(actual: Codes, target: str) -> tuple[str, ...]:
    unknown = int(np.sum(actual < 0))
    said = (
        "1 row without a known {} is left out"
        if unknown == 1
        else f"{unknown:,} rows without a known {{}} are left out"
    )
    return (said.format(target),) if unknown else ()


def _unknown_classes(known: int, classes: tuple[Label, ...], actual: Codes, target: str) -> tuple[str, ...]:
    rows = int(np.sum(actual >= known))
    if rows == 0:
        return ()
    new = ", ".join(map(repr, classes[known : known + 5])) + (" …" if len(classes) > known + 5 else "")
    have = "1 row has" if rows == 1 else f"{rows:,} rows have"
    return (f"{have} a {target} that the model does not know ({new}): counted as errors",)
