"""Mutual information: what a shuffled column gives, exactly, and an interval that holds its level."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from crake.metrics.dependence.grouping import cross_table, number_groups
from crake.metrics.dependence.mutual_information import (
    independence_p,
    mutual_information,
    plain_information,
    shuffled_information,
)
from crake.table.examples import load


@pytest.mark.parametrize(
    ("column", "gain"), [("outlook", 0.247), ("temp", 0.029), ("humidity", 0.152), ("windy", 0.048)]
)
def test_the_gains_of_golf_are_those_of_quinlan(column, gain):
    golf = load("golf")
    counts = cross_table(golf.column(column).astype(np.intp), golf.target.astype(np.intp), 2)
    assert plain_information(counts) == pytest.approx(gain, abs=0.0006)


def test_the_mean_over_all_shuffles_is_exact():
    values, classes = np.array([0, 0, 1, 1, 1, 2]), np.array([0, 1, 0, 1, 1, 1])
    every = [mutual_info_score(values, order) / np.log(2) for order in permutations(classes)]
    assert shuffled_information(cross_table(values, classes, 2)) == pytest.approx(np.mean(every), abs=1e-12)


def test_an_id_says_nothing():
    counts = np.array([[1, 0], [0, 1]] * 20, float)  # 40 values of one row each
    assert plain_information(counts) == pytest.approx(1)
    assert mutual_information(counts).value == pytest.approx(0, abs=1e-12)
    assert independence_p([1.0], [shuffled_information(counts)], 40)[0] > 0.3


@pytest.mark.parametrize(
    "shares",
    [
        np.ones((6, 2)),
        [[0.3, 0.2], [0.2, 0.3]],
        [[0.05, 0.01], [0.05, 0.89]],
        np.c_[np.linspace(0.1, 0.9, 10), np.linspace(0.9, 0.1, 10)],
    ],
)
def test_the_interval_holds_its_level(shares):
    p = np.asarray(shares) / np.sum(shares)
    truth = plain_information(p * 1e6)
    rng = np.random.default_rng(3)
    estimates = [mutual_information(rng.multinomial(300, p.ravel()).reshape(p.shape)) for _ in range(300)]
    covered = np.mean([each.low <= truth + 1e-12 and truth <= each.high for each in estimates])
    assert covered >= 0.92
    assert np.mean([each.value for each in estimates]) == pytest.approx(truth, abs=0.01)


def test_columns_of_noise_are_rarely_beyond_chance():
    rng = np.random.default_rng(5)
    classes = np.arange(120) % 2
    tables = [cross_table(number_groups(rng.normal(size=120)), classes, 2) for _ in range(1000)]
    plain, by_chance = map(plain_information, tables), map(shuffled_information, tables)
    assert np.mean(independence_p(list(plain), list(by_chance), 120) <= 0.05) <= 0.07


def test_one_value_or_one_class_has_no_interval():
    for counts in ([[3, 4]], [[3], [4]], [[5, 0], [3, 0]]):
        assert (mutual_information(counts).value, mutual_information(counts).interval) == (0, None)
    assert mutual_information(np.zeros((0, 2))).reason == "no rows"
