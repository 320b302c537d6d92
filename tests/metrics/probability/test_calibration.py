from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from tests.plain import measures_twin as plain

from crake.errors import CrakeError, DataError
from crake.metrics.bootstrap import bootstrap_interval
from crake.metrics.intervals import wilson
from crake.metrics.probability.binning import bin_edges, bin_of
from crake.metrics.probability.calibration import calibration_table, called_rows, class_rows, isotonic_view
from crake.metrics.probability.calibration_error import ece, ece_of_scores

Scored = list[tuple[bool, int, int]]
scored = st.lists(st.tuples(st.booleans(), st.integers(0, 16), st.integers(0, 3)), min_size=1, max_size=30).filter(
    lambda rows: any(w for _, _, w in rows)
)


def columns(rows: Scored) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    positive, sixteenths, weights = (np.array(column) for column in zip(*rows, strict=True))
    return positive, sixteenths / 16, weights


@given(scored, st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_the_error_is_the_plain_twins(rows: Scored, bins: int) -> None:
    positive, p, weights = columns(rows)
    expected = plain.ece(positive.tolist(), [Fraction(s, 16) for _, s, _ in rows], weights.tolist(), bins)
    assert float(ece_of_scores(positive, p, weights, bins=bins)) == pytest.approx(float(expected), abs=1e-12)


@given(scored, st.integers(1, 20), st.sampled_from(["width", "mass"]))
def test_the_error_is_the_mean_gap_of_the_table(rows: Scored, bins: int, by: str) -> None:
    positive, p, weights = columns(rows)
    table = calibration_table(positive, p, weights, bins=bins, by=by)
    error = float(np.dot(table.rows, np.abs(table.gap)) / table.rows.sum())
    assert float(ece_of_scores(positive, p, weights, bins=bins, by=by)) == pytest.approx(error, abs=1e-12)
    assert table.rows.sum() == weights.sum()
    assert (table.rows > 0).all()
    for line in table.lines():
        assert line["lower"] <= line["predicted"] <= line["upper"] + 1e-15
        assert (line["low"], line["high"]) == pytest.approx(wilson(line["observed"] * line["rows"], line["rows"]))


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=60), st.integers(1, 20))
def test_the_table_is_scikit_learns(rows: list[tuple[bool, float]], bins: int) -> None:
    positive, p = (np.array(column) for column in zip(*rows, strict=True))
    observed, predicted = calibration_curve(positive, p, n_bins=bins, pos_label=True)
    table = calibration_table(positive, p, bins=bins)
    assert table.observed == pytest.approx(observed, abs=1e-12)
    assert table.predicted == pytest.approx(predicted, abs=1e-12)


@given(scored, st.integers(1, 8))
def test_bins_of_equal_mass_part_no_equals_and_hold_what_they_should(rows: Scored, bins: int) -> None:
    _, p, weights = columns(rows)
    edges = bin_edges(p, weights.astype(float), bins, "mass")
    place = bin_of(p, edges)
    total = weights.sum()
    for value in np.unique(p):
        assert len(set(place[p == value])) == 1
    cuts = {cut(p, weights, k, bins) for k in range(1, bins)}
    assert set(edges) == {0.0, 1.0, *cuts}
    # Copies are weights.
    assert np.array_equal(edges, bin_edges(np.repeat(p, weights), np.ones(total), bins, "mass"))


def cut(p: np.ndarray, weights: np.ndarray, k: int, bins: int) -> float:
    """The smallest probability that k/bins of the rows reach, looked for one by one."""
    reached = (float(v) for v in np.unique(p[weights > 0]) if weights[p <= v].sum() >= k / bins * weights.sum())
    return next(reached)


@given(scored)
def test_the_isotonic_view_is_the_plain_twins(rows: Scored) -> None:
    positive, p, weights = columns(rows)
    exact = plain.isotonic(positive.tolist(), [Fraction(s, 16) for _, s, _ in rows], weights.tolist())
    view = isotonic_view(positive, p, weights)
    for value, share in exact.items():
        step = np.flatnonzero((view.lower <= float(value)) & (float(value) <= view.upper))
        assert len(step) == 1
        assert view.observed[step[0]] == pytest.approx(float(share), abs=1e-12)
    assert (np.diff(view.observed) > 0).all()
    assert view.rows.sum() == weights.sum()


def test_the_isotonic_view_is_scikit_learns() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(500).round(2)
    positive = rng.random(500) < p**2
    view = isotonic_view(positive, p)
    theirs = IsotonicRegression().fit(p, positive).predict(p)
    ours = view.observed[np.searchsorted(view.upper, p)]
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_the_interval_of_a_well_calibrated_learner_reaches_0() -> None:
    rng = np.random.default_rng(7)
    p = rng.random(3000)
    good, bad = ece_of_scores(rng.random(3000) < p, p), ece_of_scores(rng.random(3000) < p**3, p)
    assert good.interval[0] == 0
    assert 0.2 < bad.interval[0] < float(bad) < bad.interval[1] < 0.3
    assert (
        good.method == "10 bins of equal width; inverted test 95 % (at least 97.5 % of exact probabilities), 1000 draws"
    )


def test_drawing_bins_is_drawing_rows() -> None:
    rng = np.random.default_rng(8)
    p = rng.random(400)
    y = rng.random(400) < p**2
    place = bin_of(p, np.linspace(0, 1, 11))

    def error(w: np.ndarray) -> float:
        return float(np.abs(np.bincount(place, weights=w * (y - p))).sum() / w.sum())

    for weights in (np.ones(400), rng.integers(0, 4, 400).astype(float), rng.random(400)):
        found = ece_of_scores(y, p, weights)
        low, high = bootstrap_interval(error, 400, weights)
        value = float(found)
        assert found.interval == pytest.approx((2 * value - high, max(value, 2 * value - low)), abs=0.01)


def test_calls_and_classes() -> None:
    P = [[0.7, 0.2, 0.1], [0.4, 0.35, 0.25], [0.1, 0.1, 0.8]]
    right, confidence = called_rows([0, 1, 2], P)
    assert (right.tolist(), confidence.tolist()) == ([True, False, True], [0.7, 0.4, 0.8])
    assert float(ece([0, 1, 2], P)) == float(ece_of_scores(right, confidence))
    is_2, p = class_rows([0, 1, 2], P, 2)
    assert (is_2.tolist(), p.tolist()) == ([False, False, True], [0.1, 0.25, 0.8])
    assert float(ece([0, 1, 2], P, positive=2)) == float(ece_of_scores(is_2, p))
    with pytest.raises(DataError, match="positive = 3; expected the code of a class"):
        ece([0, 1, 2], P, positive=3)


def test_what_is_off_is_marked() -> None:
    table = calibration_table([True] * 50 + [False] * 50, [0.9] * 50 + [0.05] * 50, bins=2)
    assert table.is_off.tolist() == [False, True]
    assert len(table) == 2
    assert json.loads(json.dumps(table.to_dict()))["bins"][1]["rows"] == 50


def test_rows_that_fit_their_probabilities_without_an_error_have_no_interval() -> None:
    p = np.repeat([0.1, 0.7, 0.9], 10)
    y = np.concatenate([np.arange(10) < round(10 * each) for each in (0.1, 0.7, 0.9)])
    found = ece_of_scores(y, p)  # as a tree has it on the rows it was grown from
    assert float(found) == pytest.approx(0, abs=1e-15)
    assert found.interval is None


def test_no_rows_and_bad_rows() -> None:
    assert ece_of_scores([], []).reason == "no rows"
    assert len(calibration_table([], [])) == len(isotonic_view([True], [0.5], [0])) == 0
    for bins in (0, -1, 2.5, 10**9):
        with pytest.raises(CrakeError, match="expected a whole number from 1"):
            ece_of_scores([True], [0.5], bins=bins)  # type: ignore[arg-type]
    with pytest.raises(CrakeError, match="by = 'size'; expected 'width' or 'mass'"):
        calibration_table([True], [0.5], by="size")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"probability of row 0 is 1\.5"):
        calibration_table([True], [1.5])
    with pytest.raises(DataError, match="2 actual classes and 1 probabilities"):
        isotonic_view([True, False], [0.5])
    with pytest.raises(DataError, match="expected one number for each row"):
        isotonic_view([True], [[0.5]])
