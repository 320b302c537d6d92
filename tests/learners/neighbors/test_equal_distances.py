"""Equal distances are equal, whatever rounding does to them, on every path of the search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import crake
from crake.learners.neighbors import equal_distances, search
from crake.learners.neighbors.equal_distances import Rounding, can_be_listed, equalised


@pytest.fixture(params=["few", "kernel", "tree"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """All paths through the search."""
    monkeypatch.setattr(search, "FEW", 10**9 if request.param == "few" else 0)
    monkeypatch.setattr(search, "TREE_ROWS", 1 if request.param == "tree" else 10**9)
    return str(request.param)


def test_two_is_as_far_from_one_as_from_three(path: str) -> None:
    X, y = [[0], [1], [3], [10]], ["z", "a", "b", "z"]
    assert crake.NeighborsClassifier(1).fit(X, y).predict_proba([[2]]).tolist() == [[0.5, 0.5, 0.0]]
    assert crake.NeighborsClassifier(1, ties="first").fit(X, y).predict([[2]]).tolist() == ["a"]
    backwards = crake.NeighborsClassifier(1, ties="first").fit(X[::-1], y[::-1])
    assert backwards.predict([[2]]).tolist() == ["b"]  # the first row of those that are equally far
    assert crake.NeighborsRegressor(1).fit(X, [0.0, 1.0, 3.0, 0.0]).predict([[2]]).tolist() == [2.0]
    bitwise = crake.NeighborsClassifier(1, ties="bitwise").fit(X, y)
    assert bitwise.predict_proba([[2]]).tolist() == [[0.0, 1.0, 0.0]]


@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize(("metric", "power"), [("euclidean", 2), ("manhattan", 1)])
def test_all_ties_of_whole_numbers_are_found(path: str, metric: str, power: int, unit: float) -> None:
    rng = np.random.default_rng(7)
    ties = 0
    for columns, largest in [(1, 10), (2, 30), (3, 7), (4, 1000), (2, 100_000)]:
        X, Q = rng.integers(0, largest, (60, columns)), rng.integers(0, largest, (30, columns))
        X[0], X[1] = 0, largest  # one range for all columns: distances are whole numbers in the same unit
        X[2:20], Q[:20] = X[20:38] // 50 * 50, X[40:] // 50 * 50
        d = (np.abs(Q[:, None] - X[None]) ** power).sum(axis=2)
        for k in (1, 4):
            model = crake.NeighborsClassifier(k, metric=metric).fit(X * unit, np.arange(60) % 20)
            nearest = d <= np.sort(d, axis=1)[:, [k - 1]]
            votes = np.stack([nearest[:, np.arange(60) % 20 == c].sum(axis=1) for c in range(20)], axis=1)
            np.testing.assert_allclose(model.predict_proba(Q * unit), votes / votes.sum(axis=1, keepdims=True))
            ties += int(np.sum(nearest.sum(axis=1) > k))
    assert ties > 100


def test_rows_that_are_equal_come_before_rows_that_are_nearly_so(path: str) -> None:
    model = crake.NeighborsClassifier(1).fit([[0.0], [1.0], [1.0 + 1e-12], [2.0]], ["z", "a", "b", "z"])
    assert model.predict([[1.0], [1.0 + 1e-12]]).tolist() == ["a", "b"]


def test_a_file_keeps_the_rule_of_equal_distances(tmp_path: Path) -> None:
    X, y = [[0], [1], [3], [10]], ["z", "a", "b", "z"]
    for ties, expected in {"all": [0.5, 0.5, 0.0], "bitwise": [0.0, 1.0, 0.0]}.items():
        with pytest.warns(crake.CrakeWarning, match="holds 4 of the rows"):
            crake.save(crake.NeighborsClassifier(1, ties=ties).fit(X, y), tmp_path / "model.crake")
        assert crake.load(tmp_path / "model.crake").predict_proba([[2]]).tolist() == [expected]


def test_an_explanation_lists_the_rows_that_vote() -> None:
    model = crake.NeighborsClassifier(1).fit([[0], [1], [3], [10]], ["z", "a", "b", "z"])
    assert (model.explain([2])["a"], model.explain([2])["b"]) == (0.5, 0.5)
    assert [line[0] for line in model.explain([2]).sections[1].tables[0].rows] == ["1", "2"]


def test_looking_at_the_nearest_alone_changes_no_neighbour() -> None:
    rng = np.random.default_rng(3)
    rounding = equal_distances.Rounding(1e-12, 0.0, 0.0)
    for k in (1, 3, 7):
        # Whole distances with errors of rounding; in one query they follow one another across every border.
        d = rng.integers(1, 9, (40, 80)) * (1 + rng.integers(-2, 3, (40, 80)) * 1e-13)
        d[0] = 1 + np.arange(80) * 9e-13
        whole, near = (equal_distances.with_equals(d, rounding), equal_distances.nearest_with_equals(d, rounding, k))
        last = np.sort(whole, axis=1)[:, [k - 1]]
        assert np.array_equal(near <= last, whole <= last)
        assert np.array_equal(near[whole <= last], whole[whole <= last])
    assert np.unique(near[0]).size == 1


def test_rows_that_cannot_be_listed_equal_no_row_that_can() -> None:
    """Listed rows have the bits that all rows together give them, also where equals follow one another for long."""
    rounding, chain = Rounding(1e-12, 0.0, 0.0), 0.5 * (1 + 9e-13) ** np.arange(40)
    d = np.concatenate([[0.1, 0.3, 0.9], [0.1 + 0.2, 0.3, 0.2, 0.7, 0.3], chain[::-1], [0.6]])
    query = np.repeat([0, 1, 3], [3, 5, 41])
    row = np.arange(len(d))
    listed = can_be_listed(query, d, rounding, 2)
    assert listed.tolist() == [True, True, False, True, True, True, False, True, *[True] * 41]
    alone = equalised(query[listed], row[listed], d[listed], rounding)
    np.testing.assert_array_equal(alone, equalised(query, row, d, rounding)[listed])
