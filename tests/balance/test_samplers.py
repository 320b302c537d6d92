"""Samplers: counts exactly as asked, rows in the form they were given, and no row changed on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import crake
from crake.balance.facts import Balance
from crake.balance.forms import resampled
from crake.balance.names import SAMPLERS, sampler_by_name
from crake.balance.random_rows import _some_of_class
from crake.balance.sample import Sample, balanced_table, copied_table, table_of_columns
from crake.errors import CrakeError

X = np.arange(24.0).reshape(12, 2)
Y = np.array(["no"] * 9 + ["yes"] * 3)
FRAME = {"size": X[:, 0], "wind": list("abcabcabcabc")}


def table(weights: Any = None) -> crake.Table:
    read = crake.read(pa.table({**FRAME, "class": Y}), target="class")
    return read if weights is None else read.with_weights(np.asarray(weights, float))


def test_undersampling_keeps_the_order_and_all_rows_of_the_smallest_class() -> None:
    sampler = crake.Undersample(random_state=3)
    chosen, labels = sampler.fit_resample(X, Y)
    assert np.unique(labels, return_counts=True)[1].tolist() == [3, 3]
    assert (np.diff(sampler.sample_indices_) > 0).all()
    assert set(range(9, 12)) <= set(sampler.sample_indices_.tolist())
    np.testing.assert_array_equal(chosen, X[sampler.sample_indices_])


def test_oversampling_keeps_all_rows_and_draws_from_the_small_class_alone() -> None:
    sampler = crake.Oversample(0.5)
    chosen, labels = sampler.fit_resample(X, Y)
    np.testing.assert_array_equal(chosen[:12], X)
    assert labels[12:].tolist() == ["yes", "yes"]
    assert set(sampler.sample_indices_[12:].tolist()) <= {9, 10, 11}


def test_every_row_of_a_class_is_drawn_equally_often() -> None:
    left_out, again = np.zeros(12), np.zeros(12)
    for seed in range(300):
        rows = table()
        left_out[crake.Undersample(random_state=seed).sample(rows).rows] += 1
        again += np.bincount(crake.Oversample(random_state=seed).sample(rows).rows, minlength=12) - 1
    # 300 × 3/9 = 100 and 300 × 6/3 = 600, each within four standard deviations.
    assert np.abs(left_out[:9] - 100).max() < 4 * np.sqrt(300 * 2 / 9)
    assert np.abs(again[9:] - 600).max() < 4 * np.sqrt(300 * 6 * 2 / 9)
    assert not again[:9].any()


@pytest.mark.parametrize("name", [name for name in SAMPLERS if name != "gan"])
def test_a_seed_gives_the_same_sample_again(name: str) -> None:
    one, other = (sampler_by_name(name).sample(table()) for _ in range(2))
    np.testing.assert_array_equal(one.rows, other.rows)
    assert clone(sampler_by_name(name)).get_params() == sampler_by_name(name).get_params()


def test_weights_are_those_of_scikit_learn() -> None:
    weights = crake.Weights().fit_resample(table()).weights
    np.testing.assert_allclose(weights, np.where(Y == "yes", 12 / 6, 12 / 18))
    given = crake.Weights({"yes": 5}).fit_resample(table(np.arange(1, 13))).weights
    np.testing.assert_allclose(given, np.arange(1, 13) * np.where(Y == "yes", 5.0, 1.0))
    with pytest.raises(CrakeError, match="expected a Table, which can hold weights"):
        crake.Weights().fit_resample(X, Y)
    with pytest.raises(CrakeError, match="names the class 'yse'"):
        crake.Weights({"yse": 5}).sample(table())


@pytest.mark.parametrize(
    "form",
    [np.asarray, pd.DataFrame, lambda X: pl.DataFrame(X, schema=["a", "b"]), lambda X: pa.table({"a": X[:, 0]}), list],
)
def test_rows_come_back_in_their_form(form: Any) -> None:
    given = form(X)
    chosen, labels = crake.Undersample().fit_resample(given, Y)
    assert type(chosen) is (np.ndarray if isinstance(given, list) else type(given))
    assert len(chosen) == len(labels) == 6


def made_rows() -> crake.Table:
    columns = {"size": np.array([1.5, 2.5]), "wind": np.array([2, -1]), "class": np.array([1, 1])}
    return table_of_columns(table().schema, columns, 2)


@pytest.mark.parametrize("frame", [pd.DataFrame(FRAME), pl.DataFrame(FRAME), pa.table(FRAME)], ids=type)
def test_made_up_rows_follow_in_the_form_of_the_frame(frame: Any) -> None:
    rows = np.arange(12)
    named = frame.astype({"wind": "category"}) if hasattr(frame, "iloc") else frame
    chosen, labels = resampled(named, Y, rows, made_rows())
    as_arrow = chosen if isinstance(chosen, pa.Table) else pa.table(chosen)
    assert as_arrow.column("size").to_pylist() == [*X[:, 0], 1.5, 2.5]
    assert as_arrow.column("wind").to_pylist() == [*FRAME["wind"], "c", None]
    assert labels.tolist() == [*Y, "yes", "yes"]


def test_made_up_rows_follow_in_arrays_and_labels_of_any_form() -> None:
    numbers = table_of_columns(
        crake.read(pa.table({"a": [1.0], "b": [1.0], "class": ["no"]}), target="class").schema,
        {"a": np.array([0.5]), "b": np.array([7.0]), "class": np.array([0])},
        1,
    )
    chosen, labels = resampled(X.astype(int), pd.Series(Y), np.arange(12), numbers)
    assert chosen[-1].tolist() == [0.5, 7.0]
    assert isinstance(labels, pd.Series)
    assert labels.tolist()[-1] == "no"
    for kept in (Y.tolist(), pl.Series(Y), pa.array(Y.tolist())):
        assert list(resampled(X, kept, np.arange(2), numbers)[1])[-1] in ("no", pa.scalar("no"))


def test_copies_are_weights_and_rows_that_are_not_drawn_are_left_out() -> None:
    sample = Sample(np.array([0, 0, 0, 5, 9]), np.array([1.0, 1.0, 0.5, 2.0, 1.0]))
    balanced, copied = balanced_table(table(np.full(12, 2.0)), sample), copied_table(table(np.full(12, 2.0)), sample)
    assert balanced.column("size").tolist() == [0.0, 10.0, 18.0]
    assert balanced.weights.tolist() == [5.0, 4.0, 2.0]
    assert copied.weights.tolist() == [2.0, 2.0, 1.0, 4.0, 2.0]
    whole = table()
    assert balanced_table(whole, Sample(np.arange(12))) is whole
    assert balanced_table(whole, Sample(np.r_[0:12, 11])).source is whole.source


def test_made_up_rows_weigh_as_the_mean_row_of_their_class() -> None:
    weights = np.r_[np.ones(9), 2.0, 4.0, 6.0]
    sample = Sample(np.arange(12), made=made_rows(), origin=np.array([9, 10]))
    assert balanced_table(table(weights), sample).weights.tolist() == [*weights, 4.0, 4.0]
    facts = Balance.of(table(weights), sample)
    assert facts.weight_after.tolist() == [9.0, 20.0]
    assert facts.made.tolist() == [0, 2]
    assert facts.examples is not None
    assert facts.examples[1].column("size").tolist() == [18.0, 20.0]


@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_labels_in_a_table_of_one_column_come_back_in_a_row() -> None:
    for labels in (Y[:, None], pd.DataFrame({"class": Y})):
        called = crake.SMOTE(n_neighbors=1).fit_resample(X, labels)[1]
        assert called.tolist() == [*Y, *["yes"] * 6]


def test_notes_of_fit_resample_are_warnings() -> None:
    with pytest.warns(
        crake.CrakeWarning, match="SMOTE took fewer than 100 neighbours of class yes: 2, as it has 3 rows"
    ):
        crake.SMOTE(n_neighbors=100).fit_resample(X, Y)


def test_facts_in_words() -> None:
    facts = Balance.of(table(), crake.Oversample().sample(table()))
    assert facts.sentence() == "yes 25.0 % → 50.0 %, no 75.0 % → 50.0 %"
    assert facts.to_dict()["classes"][1] == {
        "class": "yes", "rows_before": 3, "rows_after": 9, "share_before": 0.25, "share_after": 0.5, "made_up": 0,
    }  # fmt: skip


@pytest.mark.parametrize("sampler", [crake.Undersample(), crake.Oversample(), crake.SMOTE()], ids=repr)
def test_rows_that_weigh_more_in_one_class_are_said(sampler: Any) -> None:
    heavy = table(np.where(Y == "yes", 3.0, 1.0))
    (note,) = Balance.of(heavy, sampler.sample(heavy)).notes[-1:]
    assert "a row of yes weighs 3 on average, one of no 1. Weights() balances the weights." in note
    even = table(np.full(12, 3.0))
    assert not any("weigh" in note for note in Balance.of(even, sampler.sample(even)).notes)
    assert not Balance.of(heavy, crake.Weights().sample(heavy)).notes


def test_rows_without_a_label_are_left_out() -> None:
    labels = [None, *Y[1:]]
    sampler = crake.Undersample()
    _, called = sampler.fit_resample(X, labels)
    assert 0 not in sampler.sample_indices_
    assert None not in list(called)


def test_unknown_ways_are_refused() -> None:
    with pytest.raises(CrakeError, match=r"expected one of under, .*, got 'smite'. Did you mean 'smote'"):
        sampler_by_name("smite")
    with pytest.raises(CrakeError, match="a Table brings its own target"):
        crake.Undersample().fit_resample(table(), Y)
    with pytest.raises(CrakeError, match="requires y"):
        crake.Undersample().fit_resample(X)


@pytest.mark.parametrize("wanted", [3, 9])
def test_undersampling_keeps_every_row_with_the_same_chance(wanted: int) -> None:
    """Keep 3 or 9 of 12 rows, 2,000 times: each row is kept as often as the others (chi-squared test)."""
    target = np.array([1, 0, 0, 1] * 6, np.int32)
    kept = sum(
        _some_of_class(target, 0, 12, wanted, np.random.default_rng(seed)).astype(np.int64) for seed in range(2000)
    )
    assert not kept[target == 1].any()
    assert kept.sum() == 2000 * wanted
    expected, share = 2000 * wanted / 12, wanted / 12
    statistic = np.sum((kept[target == 0] - expected) ** 2) / (expected * (1 - share)) * 11 / 12
    assert statistic < 31.3  # exceeded in 0.1 % of all cases with 11 degrees of freedom
