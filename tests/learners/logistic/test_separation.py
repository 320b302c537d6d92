"""Separation (fault 19), columns that say nothing or the same (20), and what else is refused or said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crake
from crake.table.examples import load


def assert_refused(model: Any, said: str) -> None:
    with pytest.raises(crake.CrakeError, match=said):
        _ = model.standard_errors_
    assert all(line.standard_error is None for _, lines in model.summary().outputs for line in lines)
    assert said in str(model.summary())


def test_a_number_that_separates_completely() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["low", "high"], 20)
    frame = pd.DataFrame({"noise": rng.normal(size=40), "clear": np.arange(40.0)})
    model = crake.LogisticClassifier().fit(frame, y)
    assert model.separation_ is not None
    assert model.separation_.complete
    assert model.separation_.columns == ("clear",)
    assert "clear ≤ 19 for 'low', ≥ 20 for the others" in str(model.separation_)
    assert_refused(model, "separated completely by clear")
    assert model.n_iter_ < 40
    assert (model.predict(frame) == y).all()
    assert np.isfinite(model.coefficients_).all()


def test_columns_that_separate_only_together() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = crake.LogisticClassifier().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert model.separation_ is not None
    assert model.separation_.complete
    assert model.separation_.columns[:2] in {("a", "b"), ("b", "a")}


def test_quasi_separation_at_one_value() -> None:
    x = [1.0, 2, 3, 4, 4, 4, 5, 6, 7]
    model = crake.LogisticClassifier().fit(np.array(x)[:, None], [0, 0, 0, 0, 1, 0, 1, 1, 1])
    assert model.separation_ is not None
    assert not model.separation_.complete
    assert_refused(model, "quasi-separation")


def test_a_level_without_one_of_the_classes() -> None:
    model = crake.LogisticClassifier().fit(load("weather"))
    assert model.separation_ is not None
    assert "outlook" in model.separation_.columns
    assert "no row with outlook = Overcast is 'No'" in str(model.separation_)
    assert_refused(model, "outlook = Overcast")
    row = {"outlook": "Overcast", "temp": "Hot", "humidity": "High", "windy": "False"}
    assert 0.99 < model.explain(row)["Yes"] < 1
    assert "slight ridge" in model.explain(row).notes[-1]


def test_one_of_three_classes_is_separated() -> None:
    model = crake.LogisticClassifier().fit(load("iris"))
    assert model.separation_ is not None
    assert not model.separation_.complete
    assert set(model.separation_.columns) == {"petal length (cm)", "petal width (cm)"}
    assert "for 'setosa'" in str(model.separation_)


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_small_tables_by_linear_programming(seed: int) -> None:
    """Whether a maximum exists, decided by a linear program written here; overlap is needed in every direction."""
    from scipy.optimize import linprog  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(4, 14)), int(rng.integers(1, 4))
    X = rng.integers(-2, 3, (rows, columns)).astype(float)
    y = rng.integers(0, 2, rows)
    if len(set(y)) < 2:
        return
    model = crake.LogisticClassifier().fit(X, y)
    A = np.column_stack([np.ones(rows), X]) * np.where(y == 1, 1, -1)[:, None]
    found = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(rows), bounds=[(-1, 1)] * (columns + 1), method="highs")
    exists = -found.fun < 1e-9
    assert (model.separation_ is None) == exists
    inside = linprog([0.0] * (columns + 1), A_ub=-A, b_ub=-np.ones(rows), bounds=[(None, None)] * (columns + 1))
    if model.separation_ is not None:
        assert model.separation_.complete == (inside.status == 0)
    assert model.converged_


def test_firth_and_ridge_go_on_where_classes_are_separated() -> None:
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], 5)
    for penalty in ("firth", "ridge"):
        model = crake.LogisticClassifier(penalty).fit(X, y)
        assert model.separation_ is None
        assert_refused(model, "penalty moves the coefficients")


def test_collinear_constant_and_doubled_columns() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 80))
    y = (rng.random(80) < 0.5).astype(int)
    frame = pd.DataFrame({"a": a, "same": 3.0, "b": b, "again": a, "sum": 2 * a - b})
    model = crake.LogisticClassifier().fit(frame, y)
    assert model.aliased_ == ("same", "again", "sum")
    expected = crake.LogisticClassifier().fit(frame[["a", "b"]], y)
    np.testing.assert_allclose(model.predict_proba(frame), expected.predict_proba(frame[["a", "b"]]), rtol=1e-8)
    np.testing.assert_allclose(model.standard_errors_[[0, 1, 3], 0], expected.standard_errors_[:, 0], rtol=1e-7)
    assert "without a coefficient: same, again, sum" in str(model)
    assert model.summary().parameters == 3


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_columns_at_the_ends_of_the_floats(scale: float) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    y = (rng.random(60) < 0.5).astype(int)
    expected = crake.LogisticClassifier().fit(X, y)
    model = crake.LogisticClassifier().fit(X * [scale, 1.0], y)
    np.testing.assert_allclose(model.predict_proba(X * [scale, 1.0]), expected.predict_proba(X), rtol=1e-8)


@pytest.mark.parametrize("scale", [1e-309, 1e-316])
def test_a_coefficient_beyond_all_floats(scale: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 2))
    y = (rng.random(60) < 0.5).astype(int)
    expected = crake.LogisticClassifier().fit(X, y)
    model = crake.LogisticClassifier().fit(X * [scale, 1.0], y)
    np.testing.assert_allclose(model.predict_proba(X * [scale, 1.0]), expected.predict_proba(X), rtol=1e-5)
    assert model.coefficients_[1, 0] == -np.inf
    np.testing.assert_allclose(model.coefficients_[[0, 2]], expected.coefficients_[[0, 2]], rtol=1e-5)
    np.testing.assert_allclose(model.standard_errors_[[0, 2]], expected.standard_errors_[[0, 2]], rtol=1e-5)
    small, large = model.summary().outputs[0][1][1:]
    assert (small.value, small.standard_error, small.p_value) == (-np.inf, None, None)
    assert large.p_value == pytest.approx(expected.summary().outputs[0][1][2].p_value, rel=1e-5)
    assert any("beyond the range of floats, multiply the column by a constant: x0" in note for note in model.notes_)
    # The summand is finite: by hand the sum is the score.
    steps = model.explain(X[0] * [scale, 1.0]).sections[0].steps
    assert [step.value for step in steps] == [step.value for step in expected.explain(X[0]).sections[0].steps]
    crake.save(model, tmp_path / "small.crake")
    assert str(crake.load(tmp_path / "small.crake")) == str(model)


def test_logistic_with_more_columns_than_rows() -> None:
    X = np.random.default_rng(5).normal(size=(8, 30))
    model = crake.LogisticClassifier().fit(X, [0, 1] * 4)
    assert model.separation_ is not None
    assert model.separation_.complete
    assert len(model.aliased_) == 23


def test_gaps() -> None:
    frame = pd.DataFrame({"x": [1.0, np.nan, 3, 4, 5, 6, 2, 5], "c": ["u", "v", None, "u", "v", "u", "v", "u"]})
    y = [0, 1, 1, 0, 1, 0, 1, 1]
    dropped = crake.LogisticClassifier(missing="drop").fit(frame, y)
    assert dropped.dropped_ == 2
    assert "2 rows with missing values were left out" in str(dropped)
    assert np.isfinite(dropped.predict_proba(frame)).all()
    with pytest.raises(crake.CrakeError, match="missing='error'"):
        crake.LogisticClassifier(missing="error").fit(frame, y)
    strict = crake.LogisticClassifier(missing="error").fit(frame.dropna(), np.array(y)[frame.notna().all(axis=1)])
    with pytest.raises(crake.CrakeError, match="'x' 1"):
        strict.predict_proba(frame)


def test_a_million_levels_cost_memory_by_level() -> None:
    X = np.arange(20_000)[:, None] % 9_000
    y = np.arange(20_000) % 2
    model = crake.LogisticClassifier(nominal="all").fit(X, y)
    assert model.separation_ is not None
    assert np.isfinite(model.predict_proba(X[:50])).all()


def test_new_levels_are_the_reference() -> None:
    rng = np.random.default_rng(6)
    X = rng.choice(["a", "b", "c"], (90, 1)).astype(object)
    model = crake.LogisticClassifier().fit(X, rng.integers(0, 2, 90))
    np.testing.assert_array_equal(model.predict_proba([["zebra"]]), model.predict_proba([["a"]]))
    assert "counts as the reference level a" in model.explain(["zebra"]).notes[0]
