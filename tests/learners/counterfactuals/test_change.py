"""What would change an answer: closed forms beside brute force, missing cells, whole numbers, nothing to be done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import crake
from crake.learners.counterfactuals.change import Change
from crake.learners.counterfactuals.rounding import beyond
from crake.learners.naive_bayes.crossings import _equal, _level
from crake.table.convert.frames import from_xy
from crake.table.examples import load

finite = st.floats(-100, 100)
positive = st.floats(0.01, 100)


def log_density(x: float, m: float, s: float) -> float:
    return -0.5 * ((x - m) / s) ** 2 - float(np.log(s)) - 0.5 * float(np.log(2 * np.pi))


@given(finite, positive, finite, positive, st.floats(-50, 50))
def test_two_densities_are_equal_where_they_cross(m: float, s: float, n: float, t: float, gap: float) -> None:
    for x in _equal(m, s, n, t, gap):
        if np.isfinite(x) and abs(x) < 1e8:
            one, other = gap + log_density(x, m, s), log_density(x, n, t)
            assert one == pytest.approx(other, rel=1e-4, abs=1e-4 * (1 + abs(one)))


@given(finite, positive, finite, positive, st.floats(-20, 20))
def test_no_crossing_is_missed(m: float, s: float, n: float, t: float, gap: float) -> None:
    """Where the order of the two changes between two of many points, a crossing lies between them."""
    x = np.linspace(-400, 400, 801)
    one, other = (np.array([log_density(v, *of) for v in x]) for of in ((m, s), (n, t)))
    difference = gap + one - other
    # Densities that are equal but for a rounding cross wherever the rounding has it.
    clear = np.abs(difference) > 1e-9 * (1 + np.abs(one) + np.abs(other))
    above = difference > 0
    roots = np.array(_equal(m, s, n, t, gap))
    for at in np.flatnonzero((above[1:] != above[:-1]) & clear[1:] & clear[:-1]):
        assert np.any((roots >= x[at] - 1e-6) & (roots <= x[at + 1] + 1e-6))


@given(finite, positive, st.floats(-50, 5))
def test_a_density_has_its_height(m: float, s: float, height: float) -> None:
    for x in _level(m, s, height):
        assert log_density(x, m, s) == pytest.approx(height, rel=1e-6, abs=1e-6)


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_a_short_number_lies_beyond(boundary: float, now: float) -> None:
    for value in beyond(boundary, now, whole=False):
        assert (value >= boundary) if boundary >= now else (value <= boundary)


def test_a_floor_makes_densities_level() -> None:
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    model = crake.NaiveBayesClassifier(floor=1e-6, prior=[0.9, 0.1]).fit(X, ["a", "a", "a", "b", "b", "b"])
    found = model.changes([1.0])
    (change,) = found
    assert model.predict([[change.to]])[0] == "b"
    scan = np.linspace(1.0, change.boundary - 1e-6, 2000)[:, None]
    assert set(model.predict(scan)) == {"a"}
    # Far beyond both classes all densities are at the floor, and the prior decides.
    assert model.changes([1e6]).answer == "a"


@pytest.mark.parametrize("learner", [crake.LogisticClassifier(), crake.NaiveBayesClassifier(), crake.C45Classifier()])
def test_missing_and_unseen_cells(learner: Any) -> None:
    model = learner.fit(load("tax"))
    for row in ({}, {"refund": "never seen"}, {"taxable_income": 90}):
        found = model.changes(row)
        for change in found:
            assert model.predict(_row(model, {**row, change.column: change.to}))[0] == change.answer != found.answer
            if change.column not in row:
                assert (change.now, change.distance) == ("missing", 1.0)


def _row(model: Any, cells: dict[str, Any]) -> Any:
    return model._one_row(cells)


def test_whole_numbers_stay_whole() -> None:
    ages = np.arange(20, 60)
    y = np.where(ages > 41, "old", "young")
    for learner in (crake.C45Classifier(), crake.CARTClassifier()):
        model = learner.fit(ages[:, None].astype(float), y)
        (change,) = model.changes([30.0])
        assert (change.to, change.answer) == (42.0, "old")
        (change,) = model.changes([50.0])
        assert (change.to, change.answer) == (41.0, "young")
        (change,) = model.changes([30.5])
        assert 41 < change.to < 42


def test_nothing_changes_a_constant_answer() -> None:
    model = crake.MajorityClassifier().fit(load("iris"))
    found = model.changes([5.0, 3.0, 4.0, 1.0])
    assert len(found) == 0
    assert "No single change of a value makes it another than setosa" in str(found)
    assert found.is_exact
    one_class = crake.LogisticClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert len(one_class.changes([1.5])) == 0


def test_beyond_the_range_is_told_apart() -> None:
    X = np.column_stack([np.arange(40.0), np.tile([0.0, 1.0], 20)])
    y = np.where(X[:, 0] + 0.01 * X[:, 1] + np.tile([3, -3, 0, 0], 10) > 20, "b", "a")
    model = crake.LogisticClassifier().fit(X, y)
    found = model.changes([2.0, 0.0])
    far = {change.column: change.is_beyond for change in found}
    assert far["x0"] is False
    assert far["x1"] is True
    assert "only beyond its range would do: x1" in str(found)
    assert "x1" not in str(found).split("Note:")[0]


def test_a_search_says_so() -> None:
    found = crake.NeighborsClassifier().fit(load("iris")).changes([5.9, 3.0, 4.6, 1.5])
    assert not found.is_exact
    assert "searched at 51 values" in found.searched
    assert found.to_dict()["is_exact"] is False


def test_costs_and_cutoffs_decide() -> None:
    """What changes is the answer by the cutoff, not the most probable class."""
    tumours = load("breast-cancer")
    model = crake.WithCutoff(crake.LogisticClassifier(), cutoff=0.05, positive="malignant").fit(tumours)
    one = tumours.take(np.array([19]))
    for change in list(model.changes(one, tumours))[:5]:
        cells = one.to_arrow().to_pylist()[0]
        cells.pop(model.schema_.target)
        assert model.predict(_row(model, {**cells, change.column: change.to}))[0] == change.answer


def test_a_foreign_learner_is_refused() -> None:
    X = np.arange(20.0)[:, None]
    for inner in (LogisticRegression(), GaussianNB()):
        model = crake.WithCutoff(inner, cutoff=0.5, positive="b").fit(X, np.where(X[:, 0] > 9, "b", "a"))
        with pytest.raises(crake.CrakeError, match="not one of crake's"):
            model.changes([1.0])


def test_levels_that_would_do_are_listed() -> None:
    model = crake.OneRuleClassifier().fit(load("weather"))
    (change,) = model.changes({"outlook": "Sunny"})
    assert {change.to, *change.others} == {"Overcast", "Rainy"}
    assert change.written == "Overcast or Rainy"


def test_a_machine_knows_the_range_it_was_scaled_by() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) * 300 + 1500
    y = np.where(X[:, 0] > 1500, "u", "v")
    ranged = crake.SVMClassifier(scale="range").fit(X, y).changes(X[0]).found[0]
    assert ranged.distance == pytest.approx(abs(ranged.to - X[0, 0]) / np.ptp(X[:, 0]))
    # As they are, numbers leave no range behind: nothing was searched, and that is said.
    plain = crake.SVMClassifier(scale=False, C=0.001).fit(X, y)
    assert plain.changes(X[0]).found == ()
    assert "knows no range of its numbers: give a table" in plain.changes(X[0]).searched
    assert "No single change of a value was found that makes it another than" in str(plain.changes(X[0]))
    assert plain.changes(X[0], from_xy(X, y)).found[0].column == "x0"


def test_the_next_number_is_written_in_words() -> None:
    """A rule with ">= 3.2" fails at the float below, which looks the same."""
    below = Change("width", "3.2", float(np.nextafter(3.2, 0)), "no", 0.9, 1e-16, boundary=3.2)
    assert below.written == "just below 3.2"
    assert replace(below, to=float(np.nextafter(3.2, 9))).written == "just above 3.2"
    assert replace(below, to=3.19).written == "3.19"
