"""Learning curves: training error against testing error, by rows learned from or by any parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.errors import CrakeError
from crake.evaluation.evaluate import table_and_rows
from crake.evaluation.protocol.arguments import learner_of
from crake.evaluation.protocol.other_libraries import ForeignRows, foreign_answer
from crake.evaluation.protocol.plan_columns import left_to_learn, with_its_column
from crake.learners.base.classifier import reads_tables
from crake.learners.registry import title_of
from crake.metrics.intervals import corrected_interval
from crake.plans import Assignment, CrossValidation, Plan
from crake.plans import dealing as plan_rows
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.table.table import Table

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
        """The place of the least test error; of equals the first."""
        return self.places[int(np.argmin(self.test_error))]

    def draw(self, width: float = 560) -> Drawing:
        """Both errors as lines, the interval of the test error as a band."""
        from crake.evaluation.drawing import draw_learning  # noqa: PLC0415 (it reads LearningCurves)

        return draw_learning(self, width)

    def grid(self) -> Grid:
        """One line a place."""
        rows = tuple(
            (str(place), f"{train:.4f}", f"{test:.4f}", "" if band is None else f"[{band[0]:.4f}, {band[1]:.4f}]")
            for place, train, test, band in zip(
                self.places, self.training_error, self.test_error, self.bands, strict=True
            )
        )
        head = (self.axis, "training error", "test error", "95 % interval")
        return Grid(f"{self.name} by {self.axis}: {self.plan}", head, rows)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
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

    learner = learner_of(learner)
    return _curve(learner, table, y, plan, parts, "rows")


def complexity_curve(
    learner: Any, table: Any, y: Any = None, *, parameter: str, values: Sequence[Any], plan: Plan | None = None
) -> LearningCurve:
    """The same rows, another value of a parameter at each place: where a model begins to overfit.

    >>> from crake.learners.tree.algorithms.cart import CARTClassifier
    >>> from crake.table.examples import load
    >>> print(complexity_curve(CARTClassifier(), load("iris"), parameter="max_depth", values=[1, 2, 5]))
    CART by max_depth: stratified 10-fold cross-validation, seed 1
      max_depth  training error  test error     95 % interval
      1                  0.3333      0.3333
      2                  0.0393      0.0800  [0.0000, 0.1652]
      5                  0.0022      0.0733  [0.0222, 0.1245]
    """
    learner = learner_of(learner)
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
    """Without `places` they are the rows learned from, of an average fold."""
    whole, given = table_and_rows(table, y, learner)
    plan, rows = with_its_column(plan or CrossValidation(), whole)
    foreign, codes = left_to_learn(given, whole, rows), rows.target.astype(np.intp)
    errors, counts, ratios = [], [], []
    for assignment in plan.rounds(rows.target, rows.schema.classes):
        for fold, (training, tested) in enumerate(assignment.splits()):
            tried = list(parts(assignment, fold, codes))
            errors.append([_errors(chosen, rows, foreign, train, tested) for chosen, train in tried])
            counts.append([len(train) for _, train in tried])
            ratios.append(len(tested) / max(1, len(training)))
    in_training, in_test = np.array(errors).transpose(2, 1, 0)  # one line a place, one column a fold
    return LearningCurve(
        title_of(learner),
        axis,
        tuple(round(each) for each in np.mean(counts, axis=0)) if places is None else places,
        in_training.mean(axis=1),
        in_test.mean(axis=1),
        tuple(_band(of_place, float(np.mean(ratios))) for of_place in in_test),
        len(ratios),
        plan.describe(),
    )


def _errors(learner: Any, table: Table, foreign: ForeignRows | None, train: Rows, test: Rows) -> tuple[float, float]:
    if reads_tables(learner):
        model = clone(learner).fit(table.take(train))
        answers = [model.decide(model.probabilities(table, part)) for part in (train, test)]
    else:
        given = foreign or ForeignRows.of(table, learner)
        fitted = given.fitted(clone(learner), train)
        found = [foreign_answer(fitted, given.features(part), given.classes) for part in (train, test)]
        answers = [np.argmax(p, axis=1) if codes is None else codes for p, codes in found]
    weights = np.ones(len(table)) if table.weights is None else table.weights
    wrong = [found != table.target[part] for found, part in zip(answers, (train, test), strict=True)]
    first, second = (
        float(weights[part][w].sum() / weights[part].sum()) for w, part in zip(wrong, (train, test), strict=True)
    )
    return first, second


def _band(values: Floats, ratio: float) -> tuple[float, float] | None:
    found = corrected_interval(values, ratio)
    return None if found is None else (max(0.0, found[0]), min(1.0, found[1]))


def _even_order(train: Rows, codes: NDArray[np.intp], random_state: int) -> Rows:
    """The training rows in an order of which every beginning has about the classes' shares.

    The i-th of m shuffled rows of a class takes the place (i + ½)/m; the places of all classes are merged.
    """
    by_class = plan_rows.shuffled(codes[train], random_state, by_class=True)
    sizes = np.bincount(codes[train])
    place = np.concatenate([(np.arange(m) + 0.5) / m for m in sizes if m])
    return train[by_class[np.argsort(place, kind="stable")]]
