"""The decision stump: the best of all questions, by trying them all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crake
from crake import criteria
from crake.kernels.tree.impurity import ENTROPY, GINI
from crake.kernels.tree.sorting import sorted_columns
from crake.kernels.tree.stumps import best_cut, best_cut_of_two
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.predicting.arrivals import recounted

ROWS = st.lists(
    st.tuples(st.sampled_from(["p", "q", "r", None]), st.sampled_from([0.5, 1.0, 2.0, None]), st.sampled_from("xyz")),
    min_size=2,
    max_size=25,
)


def after(branches: list[np.ndarray], labels: np.ndarray, criterion: str) -> float:
    measure = criteria.entropy if criterion == "entropy" else criteria.gini
    counts = [[np.sum(labels[rows] == k) for k in "xyz"] for rows in branches]
    return sum(sum(n) / len(labels) * float(measure(n)) for n in counts)


def every_question(frame: pd.DataFrame, labels: np.ndarray, criterion: str) -> list[float]:
    """The impurity after each question there is, missing values apart."""
    found = []
    known = frame["a"].notna().to_numpy()
    for value in sorted(set(frame["a"].dropna())):
        is_value = (frame["a"] == value).to_numpy()
        found.append(after([is_value, known & ~is_value, ~known], labels, criterion))
    known = frame["b"].notna().to_numpy()
    for cut in criteria.midpoints(frame["b"].to_numpy(float)):
        below = (frame["b"] <= cut).to_numpy()
        found.append(after([below, known & ~below, ~known], labels, criterion))
    return found


@settings(max_examples=80)
@given(ROWS, st.sampled_from(["entropy", "gini"]))
def test_no_question_is_better(rows: Any, criterion: str) -> None:
    labels = np.array([row[2] for row in rows])
    frame = pd.DataFrame({"a": pd.Series([row[0] for row in rows], dtype=object), "b": [row[1] for row in rows]})
    frame["b"] = frame["b"].astype(float)
    if frame["a"].notna().sum() == 0:
        frame = frame.assign(a="p")
    model = crake.DecisionStump(criterion).fit(frame, labels)
    tree = model.tree_
    kept = {k: tree.counts[:, i] for i, k in enumerate(model.classes_)}
    leaves = np.array([kept.get(k, np.zeros(len(tree))) for k in "xyz"]).T[1:] if len(tree) > 1 else None
    measure = criteria.entropy if criterion == "entropy" else criteria.gini
    whole = float(measure([np.sum(labels == k) for k in "xyz"]))
    mine = whole if leaves is None else float(leaves.sum(axis=1) @ measure(leaves) / len(labels))
    assert mine == pytest.approx(min([whole, *every_question(frame, labels, criterion)]), abs=1e-12)
    np.testing.assert_array_equal(tree.counts[0], tree.counts[1:].sum(axis=0) if len(tree) > 1 else tree.counts[0])


def test_missing_values_have_a_branch_or_are_divided() -> None:
    X, y = [[1.0], [2.0], [8.0], [9.0], [None], [None]], ["a", "a", "b", "b", "b", "b"]
    apart = crake.DecisionStump().fit(X, y)
    assert apart.n_leaves_ == 3
    np.testing.assert_allclose(apart.predict_proba([[np.nan], [1.0], [7.0]]), [[0, 1], [1, 0], [0, 1]])
    divided = crake.DecisionStump(missing="fractional").fit(X, y)
    assert divided.n_leaves_ == 2
    np.testing.assert_allclose(divided.predict_proba([[np.nan], [1.0]]), [[1 / 3, 2 / 3], [2 / 3, 1 / 3]])


def test_nothing_to_ask() -> None:
    model = crake.DecisionStump().fit([["u", 1.0]] * 4, ["a", "b", "a", "a"])
    assert model.n_leaves_ == 1
    np.testing.assert_allclose(model.predict_proba([["v", None]]), [[0.75, 0.25]])


@pytest.mark.parametrize("criterion", [GINI, ENTROPY])
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_blocks_that_are_passed_over_hold_no_better_cut(criterion: int, decimals: int) -> None:
    generator = np.random.default_rng(decimals)
    x, weights = generator.normal(size=(900, 1)).round(decimals), generator.exponential(size=900)
    target = (x[:, 0] + 2 * generator.normal(size=900) > 0.5).astype(np.int32)
    order, rank = (each[0] for each in sorted_columns(x)[:2])
    for known in (1, 2, 129, 900):
        whole = np.bincount(target[order[:known]], weights[order[:known]], minlength=2)
        signed = np.where(target == 0, -weights, weights)
        every = best_cut(order, rank, known, target, weights, whole, criterion)
        assert best_cut_of_two(order, rank, known, signed, whole, criterion) == every


def test_the_sides_of_complete_numbers_are_counted_as_rows_arrive() -> None:
    generator = np.random.default_rng(5)
    X, y, weights = generator.normal(size=(80, 3)), generator.integers(0, 3, 80), generator.exponential(size=80)
    tree = crake.DecisionStump().fit(X, y, sample_weight=weights).tree_
    layout = Layout(np.ones(3, bool), np.arange(3, dtype=np.int32), np.zeros(3, np.int32))
    training = Training(X, np.zeros((0, 80), np.int32), y.astype(np.uint8), weights, 3, layout)
    assert tree.counts.tobytes() == recounted(tree, training).counts.tobytes()
