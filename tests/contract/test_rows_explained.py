"""Every learner can be asked why, and what would change its answer: on real tables, with missing and unseen values."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from tests.arithmetic import assert_all_work_out
from tests.contract.estimators import CLASSIFIERS, REGRESSORS, VARIANTS, title

import crake
from crake.learners import registry
from crake.render.workings import number
from crake.table.examples import load
from crake.table.schema import Kind
from crake.table.table import Table

TABLES = ("iris", "weather", "golf", "breast-cancer", "tax")
every = pytest.mark.parametrize("estimator", VARIANTS, ids=title)


@cache
def fitted(estimator: Any, name: str) -> tuple[Any, Table]:
    """The estimators are the same objects in every test: each is fitted once to each table."""
    examples = load(name)
    if name == "breast-cancer":  # enough of it for every learner to have something to do
        examples = examples.take(np.arange(0, len(examples), 4))
    return clone(estimator).fit(examples), examples


def some_rows(model: Any, examples: Table) -> list[Any]:
    """Rows as they are, one of them without some values, one with values never seen, one without any."""
    places = (0, len(examples) // 3, len(examples) // 2, len(examples) - 1)
    rows: list[Any] = [examples.take(np.array([i])) for i in places]
    features = [column.name for column in model.schema_.features]
    cells = {name: value for name, value in rows[2].to_arrow().to_pylist()[0].items() if name in features}
    nominal = [column.name for column in model.schema_.nominal]
    return [
        *rows,
        {name: cells[name] for name in features[::2]},
        {**cells, **dict.fromkeys(nominal, "never seen")},
        {},
    ]


def test_every_learner_on_offer_is_covered() -> None:
    covered = {type(estimator) for estimator in VARIANTS}
    assert set(registry.CLASSIFIERS.values()) <= covered
    assert set(CLASSIFIERS) <= covered


@every
@pytest.mark.parametrize("name", TABLES)
def test_the_calculation_ends_in_the_prediction(estimator: Any, name: str) -> None:
    model, examples = fitted(estimator, name)
    for at, row in enumerate(some_rows(model, examples)):
        workings = model.explain(row)
        table = model._one_row(row)
        p = model.probabilities(table)[0]
        assert [label for label, _ in workings.answer] == [str(label) for label in model.classes_]
        np.testing.assert_array_equal([value for _, value in workings.answer], p)
        assert_last_steps(workings, p)
        assert_all_work_out(workings)
        json.dumps(workings.to_dict(), allow_nan=False)
        if at in (0, 4, 5):  # as it is, with gaps, with values never seen
            assert all((str(workings), workings.html(), workings.markdown(), workings.latex()))
        assert len(str(workings.shortened(4)).splitlines()) <= len(str(workings).splitlines())


def assert_last_steps(workings: Any, p: Any) -> None:
    """Where a step says P(class …), the last one that does ends in the digits of the prediction."""
    for (label, _), value in zip(workings.answer, p, strict=True):
        said = [s for s in workings.steps if s.value and s.statement in (f"P({label})", f"P({label} | row)")]
        assert not said or said[-1].value == number(float(value)), (str(said[-1]), value)


@pytest.mark.parametrize("estimator", [clone(each) for each in REGRESSORS], ids=title)
def test_regressors_end_in_the_prediction(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=60), rng.integers(0, 3, 60)])
    model = estimator.fit(X, X[:, 0] * 2 + X[:, 1] + rng.normal(size=60))
    for row in (X[0], X[7], [np.nan, 1.0]):
        workings = model.explain(row)
        ((_, value),) = workings.answer
        np.testing.assert_allclose(value, model.predict(np.array([row]))[0], rtol=1e-12)
        assert number(value) in [step.value for step in workings.steps]
        assert_all_work_out(workings)


def changed(model: Any, row: Table, column: str, value: Any) -> Table:
    cells = row.to_arrow().to_pylist()[0]
    return model._one_row({**{c.name: cells.get(c.name) for c in model.schema_.features}, column: value})


def answer(model: Any, table: Table) -> Any:
    return model.predict(table)[0]


@every
@pytest.mark.parametrize("name", TABLES)
def test_every_change_changes_the_answer(estimator: Any, name: str) -> None:
    model, examples = fitted(estimator, name)
    for i in (0, len(examples) // 2):
        row = examples.take(np.array([i]))
        found = model.changes(row, examples)
        now = answer(model, model._one_row(row))
        assert found.answer == now
        assert sorted([*(c.column for c in found), *found.unmoved]) == sorted(c.name for c in model.schema_.features)
        assert [c.distance for c in found] == sorted(c.distance for c in found)
        for change in found:
            table = changed(model, row, change.column, change.to)
            assert answer(model, table) == change.answer != now
            for other in change.others:
                assert answer(model, changed(model, row, change.column, other)) != now
        assert all((str(found), found._repr_html_(), found.markdown(), found.latex()))
        json.dumps(found.to_dict(), allow_nan=False)


@every
@pytest.mark.parametrize("name", ["iris", "tax"])
def test_no_nearer_change_where_it_is_exact(estimator: Any, name: str) -> None:
    """Values between the row's and the change's leave the answer as it is; so do all others, where none was found."""
    model, examples = fitted(estimator, name)
    row = examples.take(np.array([len(examples) // 2]))
    found = model.changes(row, examples)
    if not found.is_exact:
        assert "searched" in found.searched
        return
    by_column = {change.column: change for change in found}
    for column in model.schema_.features:
        change = by_column.get(column.name)
        if column.kind is Kind.NOMINAL:
            if change is None:
                answers = {answer(model, changed(model, row, column.name, level)) for level in column.levels}
                assert answers == {found.answer}
            continue
        now = float(row.source.column(column.name)[0])
        far = 50 * (abs(now) + 1) if change is None else abs(change.boundary - now) * (1 - 1e-6)
        values = now + np.linspace(-far, far, 401)
        if change is not None and change.boundary == now:
            continue
        cells = row.to_arrow().to_pylist()[0]
        columns = {c.name: [cells[c.name]] * len(values) for c in model.schema_.features} | {column.name: values}
        assert set(model.predict(crake.read(pa.table(columns))).tolist()) == {found.answer}, column.name
