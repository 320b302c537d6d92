"""Nearest neighbours against a slow twin, scikit-learn and hand calculations; bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from tests.plain import neighbors_twin as twin

import crake
from crake.learners.base.state import StateReader
from crake.learners.neighbors import search
from crake.learners.neighbors.space import apart, space_of
from crake.modelfile import describe

NUMERIC = (True, False, True, False)
cells = st.tuples(
    st.one_of(st.none(), st.sampled_from([0.0, 1.0, 2.5, 4.0])),
    st.sampled_from([None, "a", "b", "c"]),
    st.one_of(st.none(), st.floats(-5, 5).map(lambda x: round(x, 1))),
    st.sampled_from(["u", "v"]),
)
WAYS = [
    {},
    {"weights": "distance"},
    {"weights": "inverse", "ties": "first"},
    {"weights": "similarity"},
    {"metric": "manhattan"},
    {"metric": "manhattan", "weights": "distance", "ties": "first"},
]


@pytest.fixture(params=["few", "kernel"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways through the search."""
    monkeypatch.setattr(search, "FEW", 10**9 if request.param == "few" else 0)
    return str(request.param)


def columns(rows: list[Any]) -> np.ndarray:
    return np.array([[np.nan if x is None and NUMERIC[j] else x for j, x in enumerate(r)] for r in rows], object)


@pytest.mark.parametrize("way", WAYS, ids=repr)
@settings(max_examples=25)
@given(
    rows=st.lists(st.tuples(cells, st.sampled_from("xyz")), min_size=1, max_size=25),
    queries=st.lists(cells, min_size=1, max_size=5),
    k=st.integers(1, 8),
)
def test_the_votes_of_the_slow_twin(way: dict[str, Any], rows: Any, queries: Any, k: int) -> None:
    known, labels = [row for row, _ in rows], [label for _, label in rows]
    model = crake.NeighborsClassifier(k, nominal=[1, 3], **way).fit(columns(known), labels)
    power = 1 if way.get("metric") == "manhattan" else 2
    asked = {name: way[name] for name in ("weights", "ties") if name in way}
    for limit in (10**9, 0):
        search.FEW, before = limit, search.FEW
        try:
            found = model.predict_proba(columns(queries))
        finally:
            search.FEW = before
        for query, shares in zip(queries, found, strict=True):
            expected = twin.votes(query, known, labels, NUMERIC, k, power=power, **asked)
            assert dict(zip(model.classes_, shares, strict=True)) == pytest.approx(
                {label: expected.get(label, 0.0) for label in model.classes_}, abs=1e-12
            )


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("columns", [2, 9])
def test_the_answers_of_scikit_learn(path: str, weights: str, columns: int) -> None:
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(300, columns)), rng.normal(size=(100, columns))
    y = rng.integers(0, 3, 300)
    mine = crake.NeighborsClassifier(7, weights=weights, scale=None).fit(X, y)
    its = KNeighborsClassifier(7, weights=weights, algorithm="brute").fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(Q), its.predict_proba(Q), atol=1e-9)
    z = X[:, 0] + rng.normal(size=300)
    number = crake.NeighborsRegressor(7, weights=weights, scale=None).fit(X, z)
    peer = KNeighborsRegressor(7, weights=weights, algorithm="brute").fit(X, z)
    np.testing.assert_allclose(number.predict(Q), peer.predict(Q), rtol=1e-9)


def test_a_tree_finds_what_the_kernel_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    X, Q = rng.normal(size=(2000, 3)).round(1), rng.normal(size=(500, 3)).round(1)  # many are equally far
    y = rng.integers(0, 3, 2000)
    monkeypatch.setattr(search, "FEW", 0)
    kernel = crake.NeighborsClassifier(4, weights="distance").fit(X, y)
    expected, chosen = kernel.predict_proba(Q), crake.NeighborsClassifier("auto").fit(X[:900], y[:900])
    monkeypatch.setattr(search, "TREE_ROWS", 1)
    by_tree = crake.NeighborsClassifier(4, weights="distance").fit(X, y)
    assert by_tree.poll_.index._has_tree
    np.testing.assert_array_equal(by_tree.predict_proba(Q), expected)
    again = crake.NeighborsClassifier("auto").fit(X[:900], y[:900])
    np.testing.assert_array_equal(again.leave_one_out_, chosen.leave_one_out_)


@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_k_by_leaving_each_row_out(path: str, ties: str, weights: str) -> None:
    """One search gives what leaving out each row in turn gives, for every k; ranges are those of all rows."""
    table = crake.read("tax")
    values = table.source.matrix(["taxable_income"], np.float64)
    X = np.column_stack([values, table.source.column("refund"), table.source.column("marital_status")])
    X[:, 0] = (X[:, 0] - X[:, 0].min()) / np.ptp(X[:, 0])
    y = table.target
    options = {"nominal": [1, 2], "ties": ties, "weights": weights, "scale": None}
    model = crake.NeighborsClassifier("auto", **options).fit(X, y)
    for k in range(1, 10):
        right = 0
        for i in range(10):
            others = np.arange(10) != i
            right += crake.NeighborsClassifier(k, **options).fit(X[others], y[others]).predict(X[[i]])[0] == y[i]
        assert model.leave_one_out_[k - 1] == pytest.approx(right / 10)
    assert model.k_ == np.argmax(model.leave_one_out_) + 1


def test_k_for_numbers_has_the_least_squared_error() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    model = crake.NeighborsRegressor("auto", scale=None, max_neighbors=12).fit(X, y)
    errors = []
    for k in range(1, 13):
        left = [
            crake.NeighborsRegressor(k, scale=None).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0]
            for i in range(60)
        ]
        errors.append(np.mean((np.array(left) - y) ** 2))
    assert model.k_ == np.argmin(errors) + 1


def test_value_difference_by_hand() -> None:
    """d² = ½·Σ (P(c|a) − P(c|b))²: a has 1 of 2 x, b 0 of 1, c 1 of 1; the nearest to b after b itself is a."""
    X, y = [["a"], ["a"], ["b"], ["c"]], ["x", "y", "y", "x"]
    model = crake.NeighborsClassifier(2, nominal_distance="value-difference").fit(X, y)
    lines, offsets = model.space_.lines(np.array([[1], [-1], [-2]], np.int32))
    np.testing.assert_allclose(lines[0, offsets[0] + 2 :], [0.25, 0, 1])
    assert (lines[1:] == 1).all()
    assert model.predict_proba([["b"]]).tolist() == [[1 / 3, 2 / 3]]  # b, and the two rows of a, which are equally far


def test_explained_votes_are_the_probabilities() -> None:
    table = crake.read("tax")
    model = crake.NeighborsClassifier(3, weights="distance").fit(table)
    row = {"refund": "No", "marital_status": "Single", "taxable_income": 100}
    worked = model.explain(row)
    frame = pd.DataFrame([row])
    assert dict(worked.answer) == dict(zip(model.classes_, model.predict_proba(frame)[0], strict=True))
    text = str(worked)
    assert "d(taxable_income: 100, 90) = |0.25 − 0.1875| = 0.0625" in text
    assert "d(refund: No, No) = 0" in text
    assert "training row  distance  evade" in text
    assert worked["No"] + worked["Yes"] == pytest.approx(1)


def test_rows_are_numbered_as_they_were_given() -> None:
    X, y = [["a"], ["b"], ["c"], ["a"]], ["x", None, "y", "y"]
    model = crake.NeighborsClassifier(1).fit(X, y, sample_weight=[0, 1, 1, 1])
    assert model.rows_.numbers.tolist() == [2, 3]
    assert "training row 3" in str(model.explain(["a"]))


def test_more_neighbours_than_rows_are_all_rows_and_said() -> None:
    model = crake.NeighborsClassifier(50).fit([[1.0], [2.0], [9.0]], ["x", "x", "y"])
    assert model.k_ == 3
    np.testing.assert_allclose(model.predict_proba([[9.0]]), [[2 / 3, 1 / 3]])
    assert "n_neighbors=50 is more than there are rows" in str(model)
    assert "n_neighbors=50 is more than there are training rows" in str(model.explain([9.0]))


def test_scales_of_any_size_a_constant_column_and_one_class(path: str) -> None:
    X = np.array([[1e300, 5.0, 1e-300], [-1e300, 5.0, 3e-300], [0.5e300, 5.0, 1e-300], [1e308, 5.0, -2e-300]])
    y = ["a", "b", "a", "b"]
    model = crake.NeighborsClassifier(1).fit(X, y)
    assert model.predict(X).tolist() == y
    found = model.predict_proba([[1e308, 1e308, 1e308], [np.nan, np.nan, np.nan], [-1e308, 7.0, 5e-324]])
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(
        model.predict_proba([[1e300, 5.0, 0.0]]), model.predict_proba([[1e300, -9.0, 0.0]])
    )  # the constant column has no influence
    one = crake.NeighborsClassifier().fit(X, ["a"] * 4)
    assert one.predict_proba(X).tolist() == [[1.0]] * 4
    numbers = crake.NeighborsRegressor(2).fit(X, [1e308, 1e308, 1e308, -1e308])
    assert numbers.predict(X).max() == 1e308


def test_a_file_holds_the_rows_and_says_so(tmp_path: Path) -> None:
    table = crake.read("iris")
    model = crake.NeighborsClassifier(3).fit(table)
    with pytest.warns(crake.CrakeWarning, match="holds 150 of the rows that the model was trained on"):
        crake.save(model, tmp_path / "iris.crake")
    found = describe(tmp_path / "iris.crake")
    assert found.rows_held == 150
    assert "HOLDS 150 TRAINING ROWS" in str(found)
    loaded = crake.load(tmp_path / "iris.crake")
    np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
    bagged = crake.BaggingClassifier(crake.NeighborsClassifier(1), n_estimators=2).fit(crake.read("golf"))
    with pytest.warns(crake.CrakeWarning, match=r"holds 1\d of the rows that the"):
        crake.save(bagged, tmp_path / "bagged.crake")
    parted = crake.ArbiterTreeClassifier(crake.NeighborsClassifier(1), n_partitions=2).fit(crake.read("golf"))
    with pytest.warns(crake.CrakeWarning, match=r"copies of the rows \(\d members hold theirs each\) that the"):
        crake.save(parted, tmp_path / "parted.crake")
    wrapped = crake.Calibrated(crake.NeighborsClassifier()).fit(table)
    with pytest.warns(crake.CrakeWarning, match="of the rows"):
        crake.save(wrapped, tmp_path / "calibrated.crake")
    crake.save(crake.NaiveBayesClassifier().fit(table), tmp_path / "bayes.crake")  # no rows, no warning
    assert describe(tmp_path / "bayes.crake").rows_held == 0


def test_evaluated_compared_and_of_numbers() -> None:
    iris = crake.read("iris")
    assert crake.evaluate("knn", iris).accuracy.value > 0.93
    assert "k nearest neighbours" in str(crake.compare(iris, learners=["majority", "knn"]))
    found = crake.evaluate(crake.NeighborsRegressor(), crake.read("iris", target="petal width (cm)"))
    assert found.r_squared.value > 0.9


def test_a_stranger_s_rows_are_checked() -> None:
    model = crake.NeighborsClassifier().fit(crake.read("tax"))
    state = model.state()
    for name, bad in (
        ("codes", np.full((10, 2), 7, np.int32)),
        ("target", np.full(10, 2, np.int32)),
        ("values", np.full((10, 1), np.nan)),
        ("gap", np.full((9, 1), 0, np.uint8)),
    ):
        rows = {**state["training_rows"], name: bad}
        with pytest.raises(crake.CrakeError, match=name):
            crake.NeighborsClassifier().restore(StateReader({**state, "training_rows": rows}))


def test_a_range_of_vanishing_deviations_is_as_far_as_can_be_squared() -> None:
    """A value of all but no weight leaves a deviation of all but nothing, and a gap a whole range away."""
    X = np.array([[0.0], [1.0], [np.nan], [1e160]])
    space = space_of(X, np.array([1e30, 1e30, 1.0, 1e-300]), "deviation", squared=True)
    apart_from_gap = apart(np.zeros((1, 1)), np.array([np.nan]), float(space.far[0]), squared=True)
    assert np.isfinite(apart_from_gap).all()


@pytest.mark.parametrize("weights", ["uniform", "distance", "inverse", "similarity"])
@pytest.mark.parametrize("smoothing", [0.0, 1.0, "1/n"])
def test_first_votes_are_votes_whatever_the_others_weigh(weights: str, smoothing: Any) -> None:
    X, y = [[0.0], [1.0], [4.0], [10.0]], ["a", "b", "b", "a"]
    model = crake.NeighborsClassifier(3, weights=weights, smoothing=smoothing, scale=None).fit(X, y)
    start = 0.25 if smoothing == "1/n" else float(smoothing)
    d = np.array([0.2, 0.8, 3.8])
    each = {"uniform": d**0, "distance": 1 / d, "inverse": 1 / (d + 0.001), "similarity": np.maximum(1 - d, 0)}[weights]
    expected = (each[0] + start) / (each.sum() + 2 * start)
    assert model.predict_proba([[0.2]])[0, 0] == pytest.approx(expected)
    assert f"= {expected:.4g}" in str(model.explain([0.2]))


def test_what_is_said_of_k() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), rng.choice(["a", "b"], 120)
    assert crake.NeighborsClassifier(90).fit(X, y).draw().finding.endswith("; the model asks 90, more than are drawn.")
    perfect = crake.NeighborsRegressor("auto").fit([[1.0], [2.0], [3.0]], [5.0, 5.0, 5.0])
    assert str(perfect).endswith("chosen by leaving each row out: the least squared error")


@pytest.mark.parametrize("weights", ["uniform", "distance", "inverse", "similarity"])
@pytest.mark.parametrize("smoothing", [1e300, 1.7e308])
def test_huge_first_votes_leave_probabilities(weights: str, smoothing: float) -> None:
    """Found by changing model files at random: 1e300 first votes over a vote of 1e-298 were infinite."""
    model = crake.NeighborsClassifier(3, weights=weights, smoothing=smoothing).fit([[0.0], [1.0], [3.0]], list("abc"))
    shares = model.predict_proba([[1e300], [0.0], [np.nan]])
    assert shares == pytest.approx(np.full((3, 3), 1 / 3))
