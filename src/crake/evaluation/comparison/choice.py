"""The measure that ranks: the one given, or the one that fits the task, with the reason for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.evaluation.comparison.criterion import (
    BY_ACCURACY,
    ByAccuracy,
    ByCost,
    ByFolds,
    ByRowLoss,
    Criterion,
    squared_errors,
)
from crake.evaluation.comparison.influence import ByAUC, ByAveragePrecision, ByHighest, ByMatrix
from crake.evaluation.result.classification import Evaluation
from crake.learners.base.classifier import reads_tables
from crake.learners.registry import answers_of
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.measure import Measure
from crake.metrics.measures import CLASSIFICATION, REGRESSION, find_measure
from crake.metrics.probability.log_loss import surprises
from crake.metrics.probability.weka_errors import residuals
from crake.render.format_numbers import percent
from crake.render.plain_text import shown
from crake.render.sentences import capital
from crake.table.schema import Label
from crake.table.table import Table

RARE = 0.4
"""A class is rare with less than this part of an even share of the rows: of two classes, under 20 %."""


def usual_measure(counts: NDArray[Any], classes: Sequence[Label], *, has_scores: bool = True) -> tuple[str, str]:
    """Return the name of the measure that fits these classes, and the reason where it is not accuracy.

    `counts` are the rows of each class. `has_scores` is False where a learner gives labels only, which have no AUC.

    >>> usual_measure(np.array([50, 50, 50]), ["a", "b", "c"])
    ('accuracy', '')
    >>> print(*usual_measure(np.array([970, 30]), ["no", "yes"]), sep=": ")
    auc: By AUC, as class 'yes' has 3.0 % of the rows; --measure accuracy changes that.
    """
    present = np.flatnonzero(counts)
    if len(present) < 2:
        return "accuracy", ""
    rarest = int(present[np.argmin(counts[present])])
    share = float(counts[rarest] / counts.sum())
    if share >= RARE / len(present):
        return "accuracy", ""
    name, title = ("auc", "AUC") if has_scores else ("balanced_accuracy", "balanced accuracy")
    rows = percent(share).replace("\N{NO-BREAK SPACE}", " ")
    return name, (
        f"By {title}, as class {shown(classes[rarest], 30)!r} has {rows} of the rows; --measure accuracy changes that."
    )


def check_measure(measure: str | None, *, numbers: bool, has_costs: bool) -> str | None:
    """Return the name of the measure in the registry; raise if it is none, or does not go with the costs."""
    if measure is None:
        return None
    chosen = find_measure(measure, REGRESSION if numbers else CLASSIFICATION)
    if chosen.needs_costs and not has_costs:
        raise CrakeError(f"the measure {chosen.name!r} needs costs: cost= in Python, --cost FILE on the command line")
    if has_costs and not chosen.needs_costs:
        raise CrakeError(f"costs rank by what errors cost; expected no other measure beside them, got {chosen.name!r}")
    return chosen.name


def measure_before(
    measure: str | None, learners: list[Any], table: Table | None, cost: Any, *, numbers: bool
) -> tuple[str | None, str]:
    """Return the measure that ranks and why, as far as it is known before learning: a scan has not counted classes."""
    if measure is not None or numbers or cost is not None:
        return measure or ("rmse" if numbers else "mean_cost"), ""
    if table is None:
        return None, ""
    counts = _class_counts(table)
    has_scores = all(_gives_scores(each, len(table.schema.classes)) for each in learners)
    return usual_measure(counts, table.schema.classes, has_scores=has_scores)


def _class_counts(table: Table) -> NDArray[Any]:
    """Return the rows of each class, by weight."""
    known = table.target >= 0
    weights = None if table.weights is None else table.weights[known]
    return np.bincount(table.target[known], weights=weights, minlength=len(table.schema.classes))


def rarer_class(table: Table) -> Label | None:
    """Return the rarer of two classes, of equals the last; None of more classes."""
    if len(table.schema.classes) != 2:
        return None
    first, last = _class_counts(table)
    return table.schema.classes[0] if first < last else table.schema.classes[1]


def _gives_scores(learner: Any, classes: int) -> bool:
    if reads_tables(learner):
        return answers_of(learner, classes) != "labels"
    return hasattr(learner, "predict_proba") or hasattr(learner, "decision_function")


def measure_of_tested(evaluations: Sequence[Any]) -> tuple[str, str]:
    """Return the measure that fits the classes of the tested rows, and why."""
    totals, has_scores = evaluations[0].confusion.actual_totals, all(each.answers != "labels" for each in evaluations)
    return usual_measure(totals, evaluations[0].classes, has_scores=has_scores)


def measured_by(evaluation: Evaluation, measure: str | None) -> tuple[Evaluation, Criterion, str]:
    """Return one evaluation, the criterion that it is headed by, and the reason where nobody named the measure.

    A measure of one class is that of the rarer one of two, unless the evaluation has a positive class.
    """
    if measure is None:
        name, reason = measure_of_tested([evaluation])
        return evaluation, criterion_of(name), reason
    criterion = criterion_of(measure)
    if evaluation.positive is not None or len(evaluation.classes) != 2 or not speaks_of_one_class(criterion.of.name):
        return evaluation, criterion, ""
    first, last = evaluation.confusion.actual_totals
    label = evaluation.classes[0] if first < last else evaluation.classes[1]
    return replace(evaluation, positive=label), criterion, of_class(criterion.of.name, label)


def speaks_of_one_class(name: str | None) -> bool:
    """Return True for a measure of one class that labels suffice for: F1, precision, recall."""
    measure = next((each for each in CLASSIFICATION if each.name == name), None)
    return measure is not None and measure.needs == "predictions" and bool(measure.averaging)


def of_class(name: str | None, label: Label) -> str:
    """Return the sentence that names the class which a measure speaks of.

    >>> of_class("f1", "yes")
    "F1 is that of class 'yes', the rarer one; --positive names another."
    """
    title = capital(find_measure(name).title)
    return f"{title} is that of class {shown(label, 30)!r}, the rarer one; --positive names another."


def with_best_constant(evaluations: tuple[Any, ...], name: str | None) -> tuple[Any, ...]:
    """Return the evaluations with the majority class as the constant prediction that does best by an F measure.

    Never predicting the positive class has an F of 0, which guessing beats. Predicting it always has 2·p / (1 + p).
    """
    if name not in ("f1", "f2", "f0.5"):
        return evaluations
    return tuple(
        each if each.key != "majority" or each.positive is None else _always(each, each.positive)
        for each in evaluations
    )


def _always(evaluation: Any, label: Label) -> Any:
    predictions = evaluation.out_of_fold
    answered = np.full(len(predictions.rows), evaluation.confusion.code(label), np.int32)
    name = f"constant {shown(label, 30)}"
    return replace(evaluation, name=name, out_of_fold=replace(predictions, answered=answered))


def criterion_of(name: str, costs: CostMatrix | None = None, *, numbers: bool = False) -> Criterion:
    """Return the measure of this name as a criterion, with the paired test that fits it.

    >>> criterion_of("auc").name, criterion_of("f1").name, criterion_of("accuracy") is BY_ACCURACY
    ('AUC', 'F1', True)
    """
    measure: Measure[Any] = find_measure(name, REGRESSION if numbers else CLASSIFICATION)
    if measure.name == "mean_cost" and costs is not None:
        return ByCost(costs)
    if measure.needs_costs:
        return ByFolds(measure.with_costs(costs))
    if measure.name in ("accuracy", "error"):
        return BY_ACCURACY if measure.name == "accuracy" else ByAccuracy(measure)
    if measure.name in ROW_LOSSES:
        return ByRowLoss(measure, *ROW_LOSSES[measure.name])
    if measure.on_counts is not None:
        return ByMatrix(measure)
    criterion: Criterion = CRITERIA.get(measure.name, ByFolds)(measure)
    return criterion


CRITERIA: dict[str, type[Any]] = {
    "auc": ByAUC,
    "average_precision": ByAveragePrecision,
    "kolmogorov_smirnov": ByHighest,
    "three_point_precision": ByHighest,
}
"""Measures of a ranking with a test of their own."""


def _squares(evaluation: Any) -> Floats:
    return np.asarray(np.square(residuals(evaluation.actual, evaluation.probabilities)).sum(axis=1))


def _absolutes(evaluation: Any) -> Floats:
    return np.asarray(np.abs(residuals(evaluation.actual, evaluation.probabilities)).mean(axis=1))


ROW_LOSSES: dict[str, tuple[Callable[[Any], Floats], str]] = {
    "log_loss": (lambda each: surprises(each.actual, each.probabilities), "log loss"),
    "brier": (_squares, "squared error of the probabilities"),
    "probability_mae": (_absolutes, "error of the probabilities"),
    "probability_rmse": (_squares, "squared error of the probabilities"),
    "rmse": (squared_errors, "squared error"),
    "mse": (squared_errors, "squared error"),
    "r_squared": (squared_errors, "squared error"),
    "mae": (lambda each: np.abs(each.out_of_fold.actual - each.out_of_fold.predicted), "absolute error"),
}
"""The loss of each row behind a measure, and its name."""
