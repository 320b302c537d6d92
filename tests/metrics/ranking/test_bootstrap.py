"""Intervals of ranking measures: against a plain bootstrap of rows, their coverage, their cost and what has none."""

from __future__ import annotations

import time

import numpy as np
import pytest

from crake.metrics.ranking.auc import auc_weighted
from crake.metrics.ranking.average_precision import average_precision, average_precision_weighted
from crake.metrics.ranking.bootstrap import STEPS, coarsened, gain_of, largest_gap, precision_at
from crake.metrics.ranking.delong import delong_variance
from crake.metrics.ranking.hand_till import hand_till
from crake.metrics.ranking.influence import auc_influence, average_precision_influence
from crake.metrics.ranking.kolmogorov_smirnov import kolmogorov_smirnov
from crake.metrics.ranking.lift import gain_at, lift_at
from crake.metrics.ranking.ranking import rank_scores
from crake.metrics.ranking.three_point import NEARLY, three_point_average

OF_A_RANKING = {
    "average precision": average_precision,
    "three points": three_point_average,
    "KS": kolmogorov_smirnov,
    "lift": lambda ranking: lift_at(ranking, 0.2),
    "gain": lambda ranking: gain_at(ranking, 0.2),
}
OF_CLASSES = {"AUC": auc_weighted, "Hand and Till": hand_till, "average precision": average_precision_weighted}


def two_sides(rng, n, shift=1.2, share=0.3):
    y = rng.random(n) < share
    return y, y * shift + rng.normal(size=n)


def four_classes(rng, n):
    y = rng.choice(4, n, p=[0.1, 0.2, 0.3, 0.4])
    z = rng.normal(size=(n, 4))
    z[np.arange(n), y] += 1.2
    return y, np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", OF_A_RANKING)
def test_as_a_bootstrap_of_rows(name):
    measure = OF_A_RANKING[name]
    rng = np.random.default_rng(1)
    y, s = two_sides(rng, 400)
    found = measure(rank_scores(y, s))
    drawn = [float(measure(rank_scores(y[i], s[i]))) for i in (rng.integers(0, 400, 400) for _ in range(300))]
    low, high = np.quantile(drawn, [0.025, 0.975])
    if name == "KS":  # turned about
        low, high = 2 * found.value - high, 2 * found.value - low
    width = high - low
    assert found.interval == pytest.approx((low, high), abs=0.25 * width)
    assert "95 %" in found.method


@pytest.mark.parametrize("name", OF_CLASSES)
def test_of_many_classes_as_a_bootstrap_of_rows(name):
    measure = OF_CLASSES[name]
    rng = np.random.default_rng(2)
    y, P = four_classes(rng, 400)
    drawn = [float(measure(y[i], P[i])) for i in (rng.integers(0, 400, 400) for _ in range(200))]
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert measure(y, P).interval == pytest.approx((low, high), abs=0.3 * (high - low))
    assert measure(y, P).method.endswith("infinitesimal jackknife 95 %, logit scale")


def test_coverage():
    """30 samples of 150 rows each: the true value (of 400,000 rows) lies within as often as is said, roughly."""
    rng = np.random.default_rng(3)
    truth = {name: float(measure(rank_scores(*two_sides(rng, 400_000)))) for name, measure in OF_A_RANKING.items()}
    del truth["gain"]
    hits = dict.fromkeys(truth, 0)
    for _ in range(30):
        ranking = rank_scores(*two_sides(rng, 150))
        for name, true in truth.items():
            low, high = OF_A_RANKING[name](ranking).interval
            hits[name] += low <= true <= high
    least = {"average precision": 26, "three points": 26, "KS": 26, "lift": 26}
    assert all(hits[name] >= least[name] for name in truth), hits


def test_coverage_of_many_classes():
    rng = np.random.default_rng(4)
    big = four_classes(rng, 200_000)
    truth = {name: float(measure(*big)) for name, measure in OF_CLASSES.items()}
    hits = dict.fromkeys(truth, 0)
    for _ in range(60):
        rows = four_classes(rng, 250)
        for name, measure in OF_CLASSES.items():
            low, high = measure(*rows).interval
            hits[name] += low <= truth[name] <= high
    assert all(hits[name] >= 52 for name in truth), hits


def test_the_influence_is_the_derivative_by_a_row():
    rng = np.random.default_rng(5)
    y, s = two_sides(rng, 30)
    s = np.round(s, 1)  # ties
    base = rank_scores(y, s)
    value = float(average_precision(base))
    of_positive, of_negative = average_precision_influence(base, value)
    for row in range(30):
        w = np.ones(30)
        w[row] += 1e-6
        slope = (float(average_precision(rank_scores(y, s, w))) - value) / 1e-6
        step = int(np.flatnonzero(base.scores == s[row])[0])
        assert slope == pytest.approx((of_positive if y[row] else of_negative)[step], abs=1e-5)


def test_the_influence_of_the_auc_is_delongs_variance():
    rng = np.random.default_rng(6)
    ranking = rank_scores(*two_sides(rng, 500))
    m, n = ranking.positives, ranking.negatives
    from crake.metrics.ranking.auc import area  # noqa: PLC0415

    of_positive, of_negative = auc_influence(ranking, area(ranking))
    positives, negatives = np.diff(ranking.true_positives, prepend=0), np.diff(ranking.false_positives, prepend=0)
    found = (positives * of_positive**2).sum() * m / (m - 1) + (negatives * of_negative**2).sum() * n / (n - 1)
    assert found == pytest.approx(delong_variance(ranking), rel=1e-9)


def test_the_formulas_on_replicates_are_the_measures():
    rng = np.random.default_rng(7)
    ranking = rank_scores(*two_sides(rng, 300))
    TP, FP = ranking.true_positives[None, :], ranking.false_positives[None, :]
    assert largest_gap(TP, FP)[0] == pytest.approx(float(kolmogorov_smirnov(ranking)))
    points = np.array([0.2, 0.5, 0.8])
    assert precision_at(TP, FP, points, NEARLY)[0] == pytest.approx(float(three_point_average(ranking)))
    for share in (0.05, 0.2, 1.0):
        assert gain_of(TP, FP, share)[0] == pytest.approx(float(gain_at(ranking, share)))


def test_many_rows_are_drawn_in_few_steps():
    rng = np.random.default_rng(8)
    ranking = rank_scores(*two_sides(rng, 200_000))
    coarse = coarsened(ranking, STEPS)
    assert len(coarse) <= STEPS + 1
    assert (coarse.positives, coarse.negatives) == (ranking.positives, ranking.negatives)
    begin = time.process_time()
    for measure in OF_A_RANKING.values():
        low, high = measure(ranking).interval
        assert low < float(measure(ranking)) < high
        assert high - low < 0.1
    assert time.process_time() - begin < 20  # no bar, a guard against a bootstrap of rows


def test_whole_weights_are_copies():
    rng = np.random.default_rng(9)
    y, s = two_sides(rng, 60)
    w = rng.integers(0, 3, 60)
    copies = np.repeat(np.arange(60), w)
    for measure in OF_A_RANKING.values():
        assert measure(rank_scores(y, s, w)).interval == measure(rank_scores(y[copies], s[copies])).interval
    codes, P = four_classes(rng, 60)
    for measure in OF_CLASSES.values():
        expected = measure(codes[copies], P[copies]).interval
        assert measure(codes, P, w).interval == pytest.approx(expected, rel=1e-9)


def test_what_has_no_interval():
    perfect = rank_scores([True, True, False], [3, 2, 1])
    assert average_precision(perfect).interval is None
    assert kolmogorov_smirnov(perfect).interval == (0.0, 1.0)  # of three rows
    assert hand_till([0, 1], [[0.9, 0.1], [0.1, 0.9]]).interval is None
    K = 101
    many = auc_weighted(np.arange(2 * K) % K, np.random.default_rng(0).dirichlet(np.ones(K), 2 * K))
    assert many.interval is None
    assert many.method.endswith("no interval for more than 100 classes")
