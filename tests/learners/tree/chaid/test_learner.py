"""CHAID beside its plain twin, and what its options do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.plain import chaid_twin

import crake
from crake.kernels.chaid import chi_square as independence
from crake.kernels.tree.arrays import INTERVALS
from crake.learners.base.state.reader import StateReader
from crake.learners.tree.chaid.merge import merged_groups
from crake.learners.tree.chaid.settings import Merging
from crake.learners.tree.chaid.significance import log_multiplier
from crake.learners.tree.number_text import p_text
from crake.table.examples import load

ORDERS = st.sampled_from(["nominal", "ordinal", "floating"])
TABLES = st.tuples(st.integers(1, 6), st.integers(2, 3), st.sampled_from([2, 12, 40])).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, shape[2]), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


@settings(max_examples=150)
@given(TABLES, ORDERS, st.sampled_from([0.05, 0.2]), st.sampled_from([None, 0.9, 0.4]), st.sampled_from([1, 5]))
def test_merging_is_its_plain_twin(rows: Any, order: Any, alpha: float, part: float | None, min_leaf: int) -> None:
    table = np.array(rows, float)
    resplit = None if part is None else part * alpha
    mine = merged_groups(table, order, Merging(alpha, resplit, "pearson", min_leaf))
    assert mine == chaid_twin.merged(table, order, alpha, resplit, min_leaf)


PARTED = (
    ("ordinal", [[30, 34], [30, 12], [24, 6], [0, 18], [29, 37], [26, 23], [15, 8], [11, 11]], [4, 5, 6, 7]),
    ("nominal", [[1, 10], [5, 6], [2, 7], [0, 8], [7, 11], [7, 7], [8, 5], [11, 7]], [0, 2, 3]),
)


@pytest.mark.parametrize(("order", "rows", "group"), PARTED)
def test_a_group_grown_step_by_step_is_parted_where_its_ends_differ(order: Any, rows: Any, group: list[int]) -> None:
    table = np.array(rows, float)
    together = merged_groups(table, order, Merging(0.2, None))
    parted = merged_groups(table, order, Merging(0.2, 0.19))
    assert group in together
    assert group not in parted
    assert parted == chaid_twin.merged(table, order, 0.2, 0.19, 1)


def test_groups_of_more_than_ten_values_are_parted_by_shares() -> None:
    parted = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        table = rng.poisson(10 * (1 + rng.random((14, 4)) * (np.arange(14) % 2)[:, None])).astype(float)
        table[:, seed % 3] = 0  # a class that no row has takes its turn too
        mine = merged_groups(table, "nominal", Merging(1e-6, 0.3))
        assert mine == chaid_twin.merged(table, "nominal", 1e-6, 0.3, 1)
        parted += max(map(len, merged_groups(table, "nominal", Merging(1e-6, None)))) > 10 and len(mine) > 2
    assert parted


@pytest.mark.parametrize("order", ["nominal", "ordinal", "floating"])
def test_bonferroni_counts_every_way_of_merging(order: Any) -> None:
    for values in range(2, 8):
        for groups in range(2, values + 1):
            assert np.exp(log_multiplier(values, groups, order)) == pytest.approx(
                chaid_twin.ways(values, groups, order)
            )


def test_stirling_numbers_beyond_those_counted() -> None:
    assert log_multiplier(401, 3, "nominal") == pytest.approx(log_multiplier(400, 3, "nominal") + np.log(3), rel=1e-9)


@pytest.mark.parametrize("dof", [1, 2, 6, 40])
def test_p_smaller_than_any_double(dof: int) -> None:
    """The tail goes on where scipy's ends, as smoothly as before: ln p is concave and falls by nearly half a unit."""
    x = np.arange(1000.0, 2000.0, 10)
    log_p = np.array([independence.log_p(float(each), dof) for each in x])
    fine = x < 1200
    np.testing.assert_allclose(log_p[fine], chi2.logsf(x[fine], dof), rtol=1e-12)
    assert np.abs(np.diff(log_p, 3)).max() < 1e-4
    assert np.exp(log_p[-1]) == 0


def test_numbers_become_intervals_of_neighbours() -> None:
    x = np.arange(200.0)
    y = np.where((x > 59) & (x < 140), "in", "out")
    model = crake.CHAIDClassifier(bins=10).fit(x.reshape(-1, 1), y)
    tree = model.tree_
    assert (tree.kind[0], tree.branches[0]) == (INTERVALS, 3)
    assert tree.cuts.tolist() == [59.5, 139.5]
    assert (model.predict(x.reshape(-1, 1)) == y).all()
    assert "59.5 < x0 <= 139.5: in (80)" in str(model)


def test_missing_numbers_float_to_the_group_they_resemble() -> None:
    x = np.r_[np.arange(200.0), np.full(40, np.nan)].reshape(-1, 1)
    y = np.r_[np.where(np.arange(200) < 100, "low", "high"), np.repeat("low", 40)]
    model = crake.CHAIDClassifier().fit(x, y)
    assert "x0 <= 99.5 or missing: low (140)" in str(model)
    assert model.predict([[np.nan]]) == ["low"]
    alone = crake.CHAIDClassifier().fit(x, np.r_[y[:200], np.repeat("none", 40)])
    assert "x0 missing: none (40)" in str(alone)
    assert alone.predict([[np.nan], [1e9], [-1e9]]).tolist() == ["none", "high", "low"]
    divided = crake.CHAIDClassifier(missing="fractional").fit(x, y)
    np.testing.assert_allclose(divided.predict_proba([[np.nan]]), [[100 / 240, 140 / 240]])


def test_ordinal_columns_merge_neighbours_only() -> None:
    size = np.repeat(["a", "b", "c", "d"], 50)
    y = np.repeat(["yes", "no", "yes", "no"], 50)
    frame = pd.DataFrame({"size": size})
    assert crake.CHAIDClassifier().fit(frame, y).n_leaves_ == 2
    assert crake.CHAIDClassifier(ordinal=["size"]).fit(frame, y).n_leaves_ == 4
    assert crake.CHAIDClassifier(ordinal=[0]).fit(frame, y).n_leaves_ == 4
    with pytest.raises(crake.CrakeError, match="Did you mean 'size'"):
        crake.CHAIDClassifier(ordinal=["sise"]).fit(frame, y)


def test_alternatives_keep_the_order_of_an_ordinal_column() -> None:
    colour = np.repeat(["red", "blue"], 100)
    size = np.tile(np.repeat(["a", "b", "c", "d"], 25), 2)
    y = np.where(np.isin(size, ["a", "c"]), "yes", "no")
    frame = pd.DataFrame({"colour": colour, "size": size})
    splits = {
        name: crake.CHAIDClassifier(ordinal=ordinal).fit(frame, y).node(0).alternatives(frame, y).rows[1][1]
        for name, ordinal in (("any", []), ("in order", ["size"]))
    }
    assert splits == {"any": "{a, c}", "in order": "= a | = b | = c | = d"}


@pytest.mark.parametrize("statistic", ["pearson", "likelihood"])
@pytest.mark.parametrize("bonferroni", [True, False])
def test_alternatives_show_the_p_that_decided(statistic: str, bonferroni: bool) -> None:
    """At every node the attribute with the arrow has the smallest, and it is the one that the tree holds."""
    table = load("iris")
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(dict(zip("abcd", np.array(table.source.matrix(table.schema.names[:4], float)).T, strict=True)))
    frame["e"] = np.where(rng.random(150) < 0.3, None, rng.choice(["p", "q", "r"], 150))
    frame.loc[rng.random(150) < 0.2, "d"] = np.nan
    y = np.array(table.labels(table.target))
    model = crake.CHAIDClassifier(statistic=statistic, bonferroni=bonferroni, min_samples_leaf=3).fit(frame, y)
    name = "adjusted p" if bonferroni else {"pearson": "chi² p", "likelihood": "G p"}[statistic]
    for node in np.flatnonzero(model.tree_.feature >= 0):
        grid = model.node(int(node)).alternatives(frame, y)
        shown = [row[grid.header.index(name)] for row in grid.rows]
        decided = shown[[row[0][0] for row in grid.rows].index("→")]
        assert decided == p_text(model.significance_.log_adjusted[node])
        assert float(decided) == min(float(p) for p, row in zip(shown, grid.rows, strict=True) if "not" not in row[-1])


def test_alternatives_tell_missing_from_a_single_value() -> None:
    frame = pd.DataFrame({"a": ["x"] * 30 + [None] * 30, "b": list("pq") * 30})
    y = ["u"] * 28 + ["w"] * 27 + ["u"] * 5
    apart = crake.CHAIDClassifier().fit(frame, y)
    assert apart.node(0).alternatives(frame, y).rows[0][:2] == ("→ a", "= x")
    divided = crake.CHAIDClassifier(missing="fractional").fit(frame, y)
    assert "one value" in divided.node(0).alternatives(frame, y).rows[0]


def test_bonferroni_forbids_what_many_values_give_by_chance() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 30, (300, 1)).astype(str), rng.integers(0, 2, 300)
    assert crake.CHAIDClassifier(bonferroni=False, min_samples_leaf=1).fit(X, y).n_leaves_ > 1
    assert crake.CHAIDClassifier(min_samples_leaf=1).fit(X, y).n_leaves_ == 1


def test_levels_that_a_node_has_not_seen_go_where_missing_goes() -> None:
    colour = np.repeat(["red", "blue", "green"], 40)
    shape = np.tile(["round", "square"], 60)
    y = np.where(colour == "green", "g", shape)
    frame = pd.DataFrame({"colour": colour, "shape": shape})
    model = crake.CHAIDClassifier().fit(frame, y)
    probabilities = model.predict_proba(pd.DataFrame({"colour": ["violet", None], "shape": ["round", "round"]}))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities[0], probabilities[1])


def test_tests_are_kept_in_states_and_pruned_models() -> None:
    table = load("iris")
    model = crake.CHAIDClassifier(min_samples_leaf=5).fit(table)
    again = crake.CHAIDClassifier(min_samples_leaf=5).restore(StateReader(model.state()))
    assert str(again) == str(model)
    assert "adjusted" in str(model)
    pruned = model.prune("collapse")
    splits = pruned.tree_.feature >= 0
    assert (pruned.significance_.dof > 0).tolist() == splits.tolist()
    assert pruned.significance_.statistic[0] == model.significance_.statistic[0]


def test_likelihood_ratio_is_the_gain_in_other_units() -> None:
    table = load("weather")
    settings_ = {"min_samples_leaf": 1, "min_samples_split": 2, "alpha_split": 1.0, "alpha_merge": 1.0, "max_depth": 1}
    model = crake.CHAIDClassifier(statistic="likelihood", bonferroni=False, alpha_resplit=None, **settings_).fit(table)
    gain = crake.criteria.information_gain(model.tree_.counts[1:])
    assert model.significance_.statistic[0] == pytest.approx(2 * np.log(2) * 14 * gain)


def test_too_many_values_are_left_out_with_a_warning() -> None:
    rows = 3000
    frame = pd.DataFrame({"id": [f"id{i}" for i in range(rows)], "x": np.arange(rows) % 2 == 0})
    with pytest.warns(crake.CrakeWarning, match="'id' has 3000 values"):
        model = crake.CHAIDClassifier().fit(frame, np.arange(rows) % 2)
    assert model.n_leaves_ == 2
