"""Learning curves: training against test error, or any measure, by rows learned from or by any parameter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation.protocol.arguments import (
    has_numeric_target,
    learner_of,
    numbers_of,
    predicts_numbers,
    refuse_unknown_class,
)
from crake.evaluation.protocol.folds import regressor_steps
from crake.evaluation.protocol.memory import deal
from crake.evaluation.protocol.other_libraries import array_rows, fit_rows, foreign_answer, some_rows
from crake.evaluation.protocol.roads import rows_of
from crake.evaluation.result.data import InMemory
from crake.learners.base.classifier import reads_tables
from crake.learners.base.scikit_learn import clone
from crake.learners.registry import answers_of, title_of
from crake.metrics.intervals import corrected_interval
from crake.metrics.measures import REGRESSION, find_measure
from crake.metrics.predictions import Answers, PredictedRows, PredictedValues
from crake.plans import Assignment
from crake.plans import dealing as plan_rows
from crake.plans.splitter import plan_of
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.short_repr import short_repr
from crake.table.schema import Label

Part = tuple[Any, Rows]
"""A learner, and the rows of a fold's training part that it learns from: one place of the curve."""
Parts = Callable[[Assignment, int, NDArray[np.intp]], Iterator[Part]]
"""Takes an assignment, a fold and the class codes; returns the parts of all places."""

ClassPredictions = tuple[Floats, NDArray[Any], Answers | None]
"""A column per class, the predicted codes, and the kind of the columns; None for probabilities."""

SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """At each place (rows learned from, or a parameter's value) the mean error over the folds, in training and in test.

    In place of the error it may be any `measure`. `bands` holds Nadeau and Bengio's 95 % interval of the test error at
    each place, None where there is one fold.
    """

    name: str
    axis: str
    places: tuple[Any, ...]
    training: Floats
    test: Floats
    bands: tuple[tuple[float, float] | None, ...]
    folds: int
    plan: str
    measure: str = "error"
    greater_is_better: bool = False

    __repr__ = short_repr

    @property
    def training_error(self) -> Floats:
        """Return the error, or the measure, on the rows learned from."""
        return self.training

    @property
    def test_error(self) -> Floats:
        """Return the error, or the measure, on rows held out."""
        return self.test

    @property
    def best(self) -> Any:
        """Return the place of the least test error, or of the best value of the measure; of equals the first."""
        return self.places[int(np.argmax(self.test) if self.greater_is_better else np.argmin(self.test))]

    def draw(self, width: float = 560) -> Drawing:
        """Draw training and test as lines, the interval of the test values as a band."""
        from crake.evaluation.drawing import draw_learning  # noqa: PLC0415 (a facade)

        return draw_learning(self, width)

    def grid(self) -> Grid:
        """Return one line per place."""
        rows = tuple(
            (str(place), f"{train:.4f}", f"{test:.4f}", "" if band is None else f"[{band[0]:.4f}, {band[1]:.4f}]")
            for place, train, test, band in zip(self.places, self.training, self.test, self.bands, strict=True)
        )
        words = self.measure.replace("_", " ")
        head = (self.axis, f"training {words}", f"test {words}", "95 % interval")
        return Grid(f"{self.name} by {self.axis}: {self.plan}", head, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve for JSON."""
        return {
            "learner": self.name,
            "axis": self.axis,
            "places": list(self.places),
            f"training_{self.measure}": self.training.tolist(),
            f"test_{self.measure}": self.test.tolist(),
            "bands": [None if band is None else list(band) for band in self.bands],
            "folds": self.folds,
            "plan": self.plan,
        }

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def learning_curve(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    rows: Sequence[float] = SHARES,
    plan: Any = None,
    random_state: int = 1,
    measure: str | None = None,
    positive: Label | None = None,
) -> LearningCurve:
    """Learn from ever more rows: `rows` are shares of each fold's training part (or counts, if above 1).

    The smaller parts lie within the larger ones and keep the shares of the classes; the rows tested stay the same.
    The error is the share of wrong predictions, or of regressors the root mean squared error, unless `measure` names
    another measure; `positive` is the class that it speaks of.

    >>> from crake.table.examples import load
    >>> print(learning_curve("naive-bayes", load("iris"), rows=[0.1, 1.0]))
    naive Bayes by rows: stratified 10-fold cross-validation, seed 1
      rows  training error  test error     95 % interval
      14            0.0071      0.0533  [0.0000, 0.1080]
      135           0.0393      0.0467  [0.0000, 0.1037]
    """
    shares = sorted(rows)
    if not shares or shares[0] <= 0:
        raise CrakeError(f"rows = {list(rows)}; expected shares such as 0.1 … 1.0, or numbers of rows")

    def parts(assignment: Assignment, fold: int, codes: NDArray[np.intp]) -> Iterator[Part]:
        train, _ = assignment.split(fold)
        order = _even_order(train, codes, random_state + fold)
        for share in shares:
            count = min(len(order), max(2, round(share * len(order)) if share <= 1 else int(share)))
            yield learner, np.sort(order[:count])

    learner = learner_of(learner, numbers=has_numeric_target(table))
    return _curve(learner, table, y, plan, parts, "rows", scoring=(measure, positive))


def complexity_curve(
    learner: Any,
    table: Any,
    y: Any = None,
    *,
    parameter: str,
    values: Sequence[Any],
    plan: Any = None,
    measure: str | None = None,
    positive: Label | None = None,
) -> LearningCurve:
    """Learn from the same rows with another value of a parameter at each place: a model begins to overfit somewhere.

    >>> from crake.learners.tree.algorithms.cart import CARTClassifier
    >>> from crake.table.examples import load
    >>> print(complexity_curve(CARTClassifier(), load("iris"), parameter="max_depth", values=[1, 2, 5]))
    CART by max_depth: stratified 10-fold cross-validation, seed 1
      max_depth  training error  test error     95 % interval
      1                  0.3333      0.3333
      2                  0.0393      0.0800  [0.0000, 0.1652]
      5                  0.0022      0.0733  [0.0222, 0.1245]
    """
    learner = learner_of(learner, numbers=has_numeric_target(table))
    if parameter not in learner.get_params():
        raise CrakeError(
            f"{title_of(learner)} has no parameter {parameter!r}; it has {', '.join(learner.get_params())}"
        )
    if len(values) == 0:
        raise CrakeError("values is empty; expected the values of the parameter to try")

    def parts(assignment: Assignment, fold: int, _codes: NDArray[np.intp]) -> Iterator[Part]:
        train, _ = assignment.split(fold)
        for value in values:
            yield clone(learner).set_params(**{parameter: value}), train

    return _curve(learner, table, y, plan, parts, parameter, tuple(values), scoring=(measure, positive))


def _curve(
    learner: Any,
    table: Any,
    y: Any,
    plan: Any,
    parts: Parts,
    axis: str,
    places: tuple[Any, ...] | None = None,
    *,
    scoring: tuple[str | None, Label | None],
) -> LearningCurve:
    """Return the curve. Without `places` they are the rows learned from, of an average fold."""
    plan, data, rounds = deal(learner, rows_of(learner, table, y), plan_of(plan))
    is_numeric = predicts_numbers(learner)
    codes = np.zeros(len(data.table), np.intp) if is_numeric else data.table.target.astype(np.intp)
    score = _score(is_numeric, data, *scoring)
    predict = _predicted_values if is_numeric else _predicted_classes
    scores, counts, ratios = [], [], []
    for assignment in rounds:
        for fold, (training, tested) in enumerate(assignment.splits()):
            tried = list(parts(assignment, fold, codes))
            both = [(predict(chosen, data, train, tested), (train, tested)) for chosen, train in tried]
            scores.append([list(map(score.of, predictions, rows)) for predictions, rows in both])
            counts.append([len(train) for _, train in tried])
            ratios.append(len(tested) / max(1, len(training)))
    in_training, in_test = np.array(scores).transpose(2, 1, 0)  # one line per place, one column per fold
    return LearningCurve(
        title_of(learner),
        axis,
        tuple(round(each) for each in np.mean(counts, axis=0)) if places is None else places,
        _means(in_training, score.name),
        _means(in_test, score.name),
        tuple(_band(of_place, float(np.mean(ratios)), score.bounds) for of_place in in_test),
        len(ratios),
        plan.describe(),
        score.name,
        score.greater_is_better,
    )


@dataclass(frozen=True)
class _Score:
    """The value of some rows' predictions: an error, or a measure of the registry."""

    name: str
    of: Callable[[Any, Rows], float]
    bounds: tuple[float, float]
    greater_is_better: bool = False


def _score(is_numeric: bool, data: InMemory, name: str | None, positive: Label | None) -> _Score:
    table = data.table
    weights = np.ones(len(table)) if table.weights is None else table.weights
    if is_numeric:
        return _value_score(numbers_of(data), weights, name, positive)
    refuse_unknown_class(positive, table.schema.classes)
    if name is None:
        return _Score("error", partial(_share_wrong, table.target, weights), (0.0, 1.0))
    measure = find_measure(name).with_costs(None)

    def value(predictions: ClassPredictions, rows: Rows) -> float:
        labelled = table.schema.classes, table.target[rows]
        columns, codes, kind = predictions[0], predictions[1], predictions[2] or "probabilities"
        if reason := measure.why_not(kind):
            raise UndefinedMeasure(f"{measure.name} is undefined: {reason}")
        return measure.value(PredictedRows(*labelled, columns, codes, weights[rows], positive, kind))

    return _Score(measure.name, value, measure.bounds, measure.greater_is_better)


def _value_score(y: Floats, weights: Floats, name: str | None, positive: Label | None) -> _Score:
    if positive is not None:
        raise CrakeError(f"positive = {positive!r} speaks of classes, and the target holds numbers")
    if name is None:
        return _Score("error", partial(_root_mean_square, y, weights), (0.0, math.inf))
    measure = find_measure(name, REGRESSION)
    return _Score(
        measure.name,
        lambda predicted, rows: measure.value(PredictedValues(y[rows], predicted, weights[rows])),
        measure.bounds,
        measure.greater_is_better,
    )


def _share_wrong(target: NDArray[Any], weights: Floats, predictions: ClassPredictions, rows: Rows) -> float:
    wrong = predictions[1] != target[rows]
    return float(weights[rows][wrong].sum() / weights[rows].sum())


def _root_mean_square(y: Floats, weights: Floats, predicted: Floats, rows: Rows) -> float:
    return math.sqrt(float(np.average((y[rows] - predicted) ** 2, weights=weights[rows])))


def _predicted_classes(learner: Any, data: InMemory, train: Rows, test: Rows) -> list[ClassPredictions]:
    """Return the probabilities and the predicted codes of the training and the test rows."""
    table = data.table
    if reads_tables(learner):
        model = clone(learner).fit(table.take(train))
        both = [model.probabilities(table, part) for part in (train, test)]
        kind = answers_of(learner, len(table.schema.classes))
        return [(probabilities, model.decide(probabilities), kind) for probabilities in both]
    rows = data.arrays or array_rows(table, learner)
    fitted = fit_rows(rows, clone(learner), train)
    return [foreign_answer(fitted, some_rows(rows.X, part), rows.classes) for part in (train, test)]


def _predicted_values(learner: Any, data: InMemory, train: Rows, test: Rows) -> list[Floats]:
    """Return the predicted values of the training and the test rows."""
    steps = regressor_steps(learner, data)
    fit, predict = steps(train, test)
    model = fit()
    _, predict_training = steps(train, train)
    return [predict_training(model), predict(model)]


def _means(values: Floats, name: str) -> Floats:
    """Return the mean over the folds of each place; folds without a value are left out."""
    if not np.isnan(values).any():
        return np.asarray(values.mean(axis=1))
    if np.isnan(values).all(axis=1).any():
        raise CrakeError(f"{name} is undefined in every fold of a place; take fewer folds or another measure")
    return np.asarray(np.nanmean(values, axis=1))


def _band(values: Floats, ratio: float, bounds: tuple[float, float]) -> tuple[float, float] | None:
    interval = corrected_interval(values[~np.isnan(values)], ratio)
    return None if interval is None else (max(bounds[0], interval[0]), min(bounds[1], interval[1]))


def _even_order(train: Rows, codes: NDArray[np.intp], random_state: int) -> Rows:
    """Return the training rows in an order of which every beginning has about the shares of the classes.

    The i-th of m shuffled rows of a class takes the place (i + ½)/m; the places of all classes are merged.
    """
    by_class = plan_rows.shuffled(codes[train], random_state, by_class=True)
    sizes = np.bincount(codes[train])
    place = np.concatenate([(np.arange(m) + 0.5) / m for m in sizes if m])
    return train[by_class[np.argsort(place, kind="stable")]]
