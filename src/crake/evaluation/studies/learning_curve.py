"""Learning curves: training error against testing error, by rows learned from or by any parameter."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.errors import CrakeError
from crake.evaluation.protocol.arguments import has_numeric_target, learner_of, numbers_of, predicts_numbers
from crake.evaluation.protocol.memory import deal
from crake.evaluation.protocol.other_libraries import array_rows, fit_rows, foreign_answer, some_rows
from crake.evaluation.protocol.refit import regressor_steps
from crake.evaluation.protocol.roads import rows_of
from crake.evaluation.result.data import InMemory
from crake.learners.base.classifier import reads_tables
from crake.learners.registry import title_of
from crake.metrics.intervals import corrected_interval
from crake.plans import Assignment, Plan
from crake.plans import dealing as plan_rows
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

Part = tuple[Any, Rows]
"""A learner, and the rows of a fold's training part that it learns from: one place of the curve."""
Parts = Callable[[Assignment, int, NDArray[np.intp]], Iterator[Part]]
"""Of an assignment, a fold and the class codes: the parts of all places."""

SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """At each place (rows learned from, or a parameter's value) the mean error over the folds, in training and in test.

    `bands` holds Nadeau and Bengio's 95 % interval of the test error at each place, None where there is one fold.
    """

    name: str
    axis: str
    places: tuple[Any, ...]
    training_error: Floats
    test_error: Floats
    bands: tuple[tuple[float, float] | None, ...]
    folds: int
    plan: str

    @property
    def best(self) -> Any:
        """Return the place of the least test error; of equals the first."""
        return self.places[int(np.argmin(self.test_error))]

    def draw(self, width: float = 560) -> Drawing:
        """Draw both errors as lines, the interval of the test error as a band."""
        from crake.evaluation.drawing import draw_learning  # noqa: PLC0415 (a facade)

        return draw_learning(self, width)

    def grid(self) -> Grid:
        """Return one line per place."""
        rows = tuple(
            (str(place), f"{train:.4f}", f"{test:.4f}", "" if band is None else f"[{band[0]:.4f}, {band[1]:.4f}]")
            for place, train, test, band in zip(
                self.places, self.training_error, self.test_error, self.bands, strict=True
            )
        )
        head = (self.axis, "training error", "test error", "95 % interval")
        return Grid(f"{self.name} by {self.axis}: {self.plan}", head, rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve for JSON."""
        return {
            "learner": self.name,
            "axis": self.axis,
            "places": list(self.places),
            "training_error": self.training_error.tolist(),
            "test_error": self.test_error.tolist(),
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
    plan: Plan | None = None,
    random_state: int = 1,
) -> LearningCurve:
    """Learn from ever more rows: `rows` are shares of each fold's training part (or counts, if above 1).

    The smaller parts lie within the larger ones and keep the shares of the classes; the rows tested stay the same.
    The error is the share of wrong predictions, or of regressors the root mean squared error.

    >>> from crake.table.examples import load
    >>> print(learning_curve("naive-bayes", load("iris"), rows=[0.1, 1.0]))
    naive Bayes by rows: stratified 10-fold cross-validation, seed 1
      rows  training error  test error     95 % interval
      14            0.0071      0.0533  [0.0000, 0.1080]
      135           0.0393      0.0467  [0.0000, 0.1037]
    """
    wanted = sorted(rows)
    if not wanted or wanted[0] <= 0:
        raise CrakeError(f"rows = {list(rows)}; expected shares such as 0.1 … 1.0, or numbers of rows")

    def parts(assignment: Assignment, fold: int, codes: NDArray[np.intp]) -> Iterator[Part]:
        train, _ = assignment.split(fold)
        order = _even_order(train, codes, random_state + fold)
        for share in wanted:
            count = min(len(order), max(2, round(share * len(order)) if share <= 1 else int(share)))
            yield learner, np.sort(order[:count])

    learner = learner_of(learner, numbers=has_numeric_target(table))
    return _curve(learner, table, y, plan, parts, "rows")


def complexity_curve(
    learner: Any, table: Any, y: Any = None, *, parameter: str, values: Sequence[Any], plan: Plan | None = None
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

    return _curve(learner, table, y, plan, parts, parameter, tuple(values))


def _curve(
    learner: Any, table: Any, y: Any, plan: Plan | None, parts: Parts, axis: str, places: tuple[Any, ...] | None = None
) -> LearningCurve:
    """Return the curve. Without `places` they are the rows learned from, of an average fold."""
    plan, data, rounds = deal(learner, rows_of(learner, table, y), plan)
    is_numeric = predicts_numbers(learner)
    codes = np.zeros(len(data.table), np.intp) if is_numeric else data.table.target.astype(np.intp)
    error = _regression_errors if is_numeric else _errors
    errors, counts, ratios = [], [], []
    for assignment in rounds:
        for fold, (training, tested) in enumerate(assignment.splits()):
            tried = list(parts(assignment, fold, codes))
            errors.append([error(chosen, data, train, tested) for chosen, train in tried])
            counts.append([len(train) for _, train in tried])
            ratios.append(len(tested) / max(1, len(training)))
    in_training, in_test = np.array(errors).transpose(2, 1, 0)  # one line per place, one column per fold
    return LearningCurve(
        title_of(learner),
        axis,
        tuple(round(each) for each in np.mean(counts, axis=0)) if places is None else places,
        in_training.mean(axis=1),
        in_test.mean(axis=1),
        tuple(_band(of_place, float(np.mean(ratios)), np.inf if is_numeric else 1.0) for of_place in in_test),
        len(ratios),
        plan.describe(),
    )


def _errors(learner: Any, data: InMemory, train: Rows, test: Rows) -> tuple[float, float]:
    """Return the share of wrong predictions in training and in test."""
    table = data.table
    if reads_tables(learner):
        model = clone(learner).fit(table.take(train))
        predicted = [model.decide(model.probabilities(table, part)) for part in (train, test)]
    else:
        rows = data.arrays or array_rows(table, learner)
        fitted = fit_rows(rows, clone(learner), train)
        both = [foreign_answer(fitted, some_rows(rows, part), rows.classes) for part in (train, test)]
        predicted = [np.argmax(p, axis=1) if codes is None else codes for p, codes in both]
    weights = np.ones(len(table)) if table.weights is None else table.weights
    wrong = [each != table.target[part] for each, part in zip(predicted, (train, test), strict=True)]
    first, second = (
        float(weights[part][w].sum() / weights[part].sum()) for w, part in zip(wrong, (train, test), strict=True)
    )
    return first, second


def _regression_errors(learner: Any, data: InMemory, train: Rows, test: Rows) -> tuple[float, float]:
    """Return the root mean squared errors in training and in test."""
    steps, y = regressor_steps(learner, data), numbers_of(data)
    fit, predict = steps(train, test)
    model = fit()
    _, predict_training = steps(train, train)
    weights = np.ones(len(y)) if data.table.weights is None else data.table.weights
    first, second = (
        math.sqrt(float(np.average((y[part] - answer(model)) ** 2, weights=weights[part])))
        for part, answer in ((train, predict_training), (test, predict))
    )
    return first, second


def _band(values: Floats, ratio: float, most: float) -> tuple[float, float] | None:
    found = corrected_interval(values, ratio)
    return None if found is None else (max(0.0, found[0]), min(most, found[1]))


def _even_order(train: Rows, codes: NDArray[np.intp], random_state: int) -> Rows:
    """Return the training rows in an order of which every beginning has about the shares of the classes.

    The i-th of m shuffled rows of a class takes the place (i + ½)/m; the places of all classes are merged.
    """
    by_class = plan_rows.shuffled(codes[train], random_state, by_class=True)
    sizes = np.bincount(codes[train])
    place = np.concatenate([(np.arange(m) + 0.5) / m for m in sizes if m])
    return train[by_class[np.argsort(place, kind="stable")]]
