"""One cell of a row changed: the neighbours found by measuring one column are those of a search of whole rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crake
from crake.learners.base.row_query import RowQuery
from crake.learners.neighbors import edited_row as edited
from crake.table.examples import load
from crake.table.table import Table

LEVELS = ["a", "b", "c"]


def plain(table: Table) -> Table:
    """The same rows, from a source that does not know that they are one row."""
    return Table(table.schema, table.source.take(np.arange(len(table))))


def some_rows(draw: Any, rows: int) -> list[list[Any]]:
    """Two numbers, mostly from few values so that there are ties, and two names; with gaps."""
    number = st.one_of(st.sampled_from([0.0, 1.0, 2.5, np.nan]), st.floats(-10, 10))
    name = st.sampled_from([*LEVELS, None])
    row = st.tuples(number, number, name, name)
    return [list(draw(row)) for _ in range(rows)]


@st.composite
def asked_rows(draw: Any) -> RowQuery:
    n = draw(st.integers(2, 30))
    table = crake.read(_frame(some_rows(draw, n), draw(st.lists(st.sampled_from("xy"), min_size=n, max_size=n))), "y")
    if draw(st.booleans()):
        table = table.with_weights(np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=n, max_size=n))))
    model = crake.NeighborsClassifier(
        draw(st.integers(1, 8)),
        weights=draw(st.sampled_from(["uniform", "distance", "inverse"])),
        metric=draw(st.sampled_from(["euclidean", "manhattan"])),
        nominal_distance=draw(st.sampled_from(["overlap", "value-difference"])),
        scale=draw(st.sampled_from(["range", "deviation", None])),
        ties=draw(st.sampled_from(["all", "first"])),
    ).fit(table)
    own = table.take(np.array([draw(st.integers(0, n - 1))]))
    return RowQuery(model, model._one_row(own.select([c.name for c in table.schema.features])))


def _frame(rows: list[list[Any]], labels: list[str]) -> Any:
    frame = pd.DataFrame(rows, columns=["x0", "x1", "n0", "n1"])
    frame[["n0", "n1"]] = frame[["n0", "n1"]].astype(pd.CategoricalDtype(LEVELS))
    return frame.assign(y=pd.Categorical(labels, categories=["x", "y"]))


@given(asked_rows(), st.lists(st.floats(-20, 20), min_size=1, max_size=6))
def test_every_bit_is_that_of_whole_rows(asked: RowQuery, values: list[float]) -> None:
    edits = [(name, x) for name in ("x0", "x1") for x in [*values, 0.0, 1.0]]
    edits += [(name, code) for name in ("n0", "n1") for code in range(len(LEVELS))]
    for some in (edits[:3], edits, edits[::2]):  # what is known of one column serves the next question
        table = asked.edited(some)
        assert np.array_equal(asked.model.probabilities(table), asked.model.probabilities(plain(table)))


def test_only_few_rows_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a table with many more rows than neighbours the bounds leave few pairs, and the answers are the same."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 4))
    model = crake.NeighborsClassifier(5).fit(X, (X.sum(axis=1) > 0).astype(int))
    asked = RowQuery(model, model._one_row(X[7]))
    measured: list[int] = []
    summed = edited.Around._summed

    def counted(self: Any, column: Any, cells: Any, rows: Any) -> Any:
        measured.append(len(rows))
        return summed(self, column, cells, rows)

    monkeypatch.setattr(edited.Around, "_summed", counted)
    edits = [(f"x{j}", float(x)) for j in range(4) for x in np.linspace(-2, 2, 21)]
    table = asked.edited(edits)
    found = model.probabilities(table)
    assert sum(measured) < len(edits) * 3000 / 20
    assert np.array_equal(found, model.probabilities(plain(table)))


@pytest.mark.parametrize("k", [1, 150])
def test_far_values_and_all_rows(k: int) -> None:
    """Values far beyond the range, values that make all else rounding, and neighbours that are all rows there are."""
    iris = load("iris")
    model = crake.NeighborsClassifier(k).fit(iris)
    for cells in ([5.0, 3.0, 4.0, 1.0], [5.0, 3.0, 4.0, 1e250], [5.0, np.nan, 4.0, 1.0]):
        asked = RowQuery(model, model._one_row(cells))
        table = asked.edited([(c.name, x) for c in asked.columns for x in (-1e9, 0.0, 4.2, 7.0, 1e300)])
        assert np.array_equal(model.probabilities(table), model.probabilities(plain(table)))


def test_too_many_near_rows_are_searched_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edited, "MOST", 10)
    model = crake.NeighborsClassifier(5).fit(load("iris"))
    asked = RowQuery(model, model._one_row([5.9, 3.0, 4.6, 1.5]))
    table = asked.edited([("petal width (cm)", x) for x in np.linspace(0, 2.5, 9).tolist()])
    assert np.array_equal(model.probabilities(table), model.probabilities(plain(table)))


def test_a_learner_around_it_gains_too() -> None:
    """What is asked through a cutoff comes to the same search."""
    tumours = load("breast-cancer")
    model = crake.WithCutoff(crake.NeighborsClassifier(), cutoff=0.3, positive="malignant").fit(tumours)
    asked = RowQuery(model, model._one_row(tumours.take(np.array([19]))))
    name = asked.columns[0].name
    asked.predictions([(name, 12.0), (name, 20.0)])
    assert any(isinstance(known, edited.Around) for known in asked.memory.values())
