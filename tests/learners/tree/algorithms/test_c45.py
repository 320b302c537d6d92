"""C4.5's cuts between values that lie close together, and J48's least gap of 1e-5."""

from __future__ import annotations

import numpy as np
import pytest

import crake


def test_cuts_are_found_however_close_the_values_are() -> None:
    x = np.random.default_rng(0).random(100_000) / 10
    y = np.where(x > 0.05, "b", "a")
    assert crake.C45Classifier().fit(x[:, None], y).score(x[:, None], y) == 1
    steps = np.arange(20.0)[:, None]
    labels = np.repeat(["a", "b"], 10)
    for unit in (1.0, 1e-6, 1e-300):
        model = crake.C45Classifier().fit(steps * unit, labels)
        assert (model.n_leaves_, model.score(steps * unit, labels)) == (2, 1)
    one_bit_apart = np.repeat([1.0, np.nextafter(1, 2)], 10)[:, None]
    assert crake.C45Classifier().fit(one_bit_apart, labels).score(one_bit_apart, labels) == 1


def test_the_variant_of_j48_keeps_its_least_gap() -> None:
    labels = np.repeat(["a", "b"], 10)
    assert crake.C45Classifier(variant="j48").fit(np.arange(20.0)[:, None] * 1e-6, labels).n_leaves_ == 1
    assert crake.C45Classifier(variant="j48").fit(np.arange(20.0)[:, None] * 1e-4, labels).n_leaves_ == 2


def test_weights_that_are_less_than_two_leaves_are_warned_of() -> None:
    X, y = crake.read("golf").to_xy()
    with pytest.warns(crake.CrakeWarning, match=r"add up to 1.4e-07.*one leaf"):
        model = crake.C45Classifier().fit(X, y, sample_weight=np.full(14, 1e-8))
    assert model.n_leaves_ == 1
    assert crake.C45Classifier().fit(X, y, sample_weight=np.full(14, 100.0)).n_leaves_ == 5


def test_a_table_of_hardly_enough_rows_is_not_warned_of() -> None:
    X, y = crake.read("golf").to_xy()
    few, heavy = [1.0, 1.0, 1.0, 0.125], [1.0, *[0.1] * 13]
    assert crake.C45Classifier().fit(X[:4], y[:4], sample_weight=few).n_leaves_ == 1
    assert crake.C45Classifier().fit(X, y, sample_weight=heavy).n_leaves_ == 1
