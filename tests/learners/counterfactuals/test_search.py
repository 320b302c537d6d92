"""The search of numbers beside a slow and obvious one: every value of the grid, one row at a time, then halving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake
from crake.learners.counterfactuals.search import GRID, HALVINGS
from crake.table.examples import load

LEARNERS = [
    crake.NeighborsClassifier(),
    crake.NeighborsClassifier(3, weights="distance"),
    crake.NaiveBayesClassifier(numeric="kernel"),
    crake.SVMClassifier(),
    crake.WithCutoff(crake.NeighborsClassifier(), cutoff=0.2, positive="virginica"),
]


def first_change(model: Any, row: dict[str, float], name: str, values: list[float]) -> float | None:
    """Where the answer changes as one cell moves; None if nowhere."""

    def answer(x: float) -> Any:
        return model.predict(model._one_row({**row, name: x}))[0]

    start, now = row[name], answer(row[name])
    flips = {x: answer(x) != now for x in values}
    if not any(flips.values()):
        return None
    value = min((x for x in values if flips[x]), key=lambda x: abs(x - start))
    last = max(
        (x for x in values if abs(x - start) < abs(value - start) and (x < start) == (value < start)),
        key=lambda x: abs(x - start),
        default=start,
    )
    for _ in range(HALVINGS):
        middle = (value + last) / 2
        value, last = (middle, last) if answer(middle) != now else (value, middle)
    return value


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_the_nearest_of_the_grid_then_halves(learner: Any) -> None:
    iris = load("iris")
    model = learner.fit(iris)
    names = [column.name for column in iris.schema.features]
    for cells in ([5.9, 3.0, 4.6, 1.5], [6.3, 2.8, 5.1, 1.5]):
        row = dict(zip(names, cells, strict=True))
        found = {change.column: change.boundary for change in model.changes(row, iris)}
        assert found
        for name in names:
            values = iris.source.column(name)
            grid = np.linspace(values.min(), values.max(), GRID).tolist()
            assert found.get(name) == first_change(model, row, name, grid)


def test_a_missing_cell_of_whole_numbers() -> None:
    """A gap in a column of whole numbers is filled by a whole number, on whichever side of the boundary it does."""
    tax = load("tax")
    for learner in (crake.LogisticClassifier(), crake.NeighborsClassifier(), crake.CARTClassifier()):
        model = learner.fit(tax)
        for change in model.changes({"refund": "No", "marital_status": "Single"}, tax):
            assert change.boundary is None or float(change.to).is_integer()
