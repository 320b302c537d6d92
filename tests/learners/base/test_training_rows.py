"""Rows and columns that break other programs, for regressions, neighbours and support vector machines alike."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import DataError, SchemaError

RNG = np.random.default_rng(0)
N = 60
FRAME = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.choice(["u", "v"], N)})
NUMBER = 2 * FRAME.a.to_numpy() + RNG.normal(size=N)
CLASS = np.where(NUMBER > 0, "yes", "no")

LEARNERS: dict[str, Any] = {
    "linear": crake.LinearRegressor(),
    "logistic": crake.LogisticClassifier(),
    "neighbours": crake.NeighborsClassifier(3),
    "neighbours, numbers": crake.NeighborsRegressor(3),
    "svm": crake.SVMClassifier(),
    "svm, rbf": crake.SVMClassifier("rbf"),
}
every = pytest.mark.parametrize("name", LEARNERS)


def target(learner: Any, rows: int = N) -> Any:
    return (CLASS if hasattr(learner, "predict_proba") else NUMBER)[:rows]


def assert_answers(learner: Any, rows: Any) -> np.ndarray:
    """Finite numbers, or probabilities that add up to 1."""
    if not hasattr(learner, "predict_proba"):
        found: np.ndarray = learner.predict(rows)
        assert np.isfinite(found).all()
        return found
    shares: np.ndarray = learner.predict_proba(rows)
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=0, atol=1e-12)
    return shares


def fitted(name: str, X: Any, **given: Any) -> Any:
    learner = LEARNERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return learner.fit(X, given.pop("y", target(learner, len(X))), **given)


@every
def test_codes_of_a_billion_and_a_name_for_every_row(name: str) -> None:
    wide = FRAME.assign(code=RNG.integers(0, 10**9, N), id=[f"r{k}" for k in range(N)])
    assert_answers(fitted(name, wide), wide.assign(id="another"))


@every
def test_values_never_seen_and_gaps_where_there_were_none(name: str) -> None:
    new = pd.DataFrame({"a": [0.3, np.nan, 0.1], "b": ["w", None, "u"]})
    assert_answers(fitted(name, FRAME), new)


@every
@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_columns_of_any_size(name: str, scale: float) -> None:
    plain = np.column_stack([FRAME.a, RNG.normal(size=N)])
    scaled = plain * [scale, 1.0]
    one = assert_answers(fitted(name, plain), plain)
    np.testing.assert_allclose(assert_answers(fitted(name, scaled), scaled), one, atol=1e-6)
    assert_answers(LEARNERS[name], [[1.7e308, -1.7e308], [0.0, 0.0]])


@every
def test_columns_twice_and_columns_that_never_change(name: str) -> None:
    X = np.column_stack([FRAME.a, FRAME.a, 2 * FRAME.a + 1, np.full(N, 7.0), np.full(N, np.nan)])
    assert_answers(fitted(name, X), X)
    nothing = np.full((N, 2), 3.0)
    assert np.ptp(assert_answers(fitted(name, nothing), nothing), axis=0).max() == 0


@every
def test_fit_with_more_columns_than_rows(name: str) -> None:
    X = RNG.normal(size=(10, 400))
    assert_answers(fitted(name, X), X)


@every
def test_one_class_one_number_one_row(name: str) -> None:
    learner = LEARNERS[name]
    same = np.full(N, target(learner)[0])
    assert np.ptp(assert_answers(fitted(name, FRAME, y=same), FRAME)) < 1e-12
    assert_answers(fitted(name, FRAME[:1]), FRAME)


@every
def test_weights(name: str) -> None:
    absent = np.ones(N)
    absent[[0, 7]] = 0
    kept = FRAME[absent > 0]
    one = assert_answers(fitted(name, FRAME, sample_weight=absent), FRAME)
    np.testing.assert_allclose(one, assert_answers(fitted(name, kept, y=target(LEARNERS[name])[absent > 0]), FRAME))
    for bad, said in (
        (np.full(N, -1.0), "row 0 has the weight -1"),
        (np.full(N, np.nan), "row 0 has the weight nan"),
        (np.ones(N - 1), "one weight for each of 60 rows"),
        (np.zeros(N), "every weight is zero"),
        (["x"] * N, "not a number"),
    ):
        with pytest.raises(crake.CrakeError, match=said):
            fitted(name, FRAME, sample_weight=bad)


@every
def test_training_rows_raises_on_bad_requests(name: str) -> None:
    with pytest.raises(crake.CrakeError, match="'a' holds infinity"):
        fitted(name, FRAME.assign(a=np.inf))
    with pytest.raises(crake.CrakeError, match="nothing to learn from"):
        fitted(name, FRAME, y=np.array([None] * N, object))
    model = fitted(name, FRAME)
    with pytest.raises(crake.CrakeError, match="'a' holds 'x', which is not a number"):
        model.predict(FRAME.assign(a="x"))
    with pytest.raises(ValueError, match="now missing"):
        model.predict(FRAME[["a"]])


def test_a_separation_is_named_whatever_else_there_is() -> None:
    X = FRAME.assign(total=FRAME.a * 2, wide=FRAME.a * 1e200)
    model = crake.LogisticClassifier().fit(X, FRAME.a > 0)
    assert model.separation_ is not None
    assert "separated completely by a" in str(model.separation_)
    assert model.converged_
    with pytest.raises(crake.CrakeError, match="no standard errors: the classes are separated"):
        _ = model.standard_errors_


@pytest.mark.parametrize(
    "of", [pd.DataFrame, lambda frame, columns: pa.table([*zip(*frame, strict=True)], names=columns)]
)
def test_two_columns_of_one_name_are_refused_by_name(of: Any) -> None:
    X = of([[1, 2.0], [2, 3.0], [3, 1.0]], columns=["a", "a"])
    with pytest.raises(SchemaError, match="2 columns of X are called 'a'"):
        crake.MajorityClassifier().fit(X, ["x", "y", "x"])


@pytest.mark.parametrize("is_loaded", [True, False])
@pytest.mark.parametrize("make", [crake.CARTRegressor, crake.BoostedTreesRegressor, crake.LinearRegressor])
def test_a_target_alone_is_nothing_to_learn_from(make: Any, is_loaded: bool, tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": [1.0, 2.5, 3.0]}), tmp_path / "rows.parquet")
    table = crake.read(tmp_path / "rows.parquet", "y", numeric=["y"], in_memory=is_loaded)
    with pytest.raises(DataError, match=r"rows\.parquet has no column to learn from besides the target"):
        make().fit(table)
