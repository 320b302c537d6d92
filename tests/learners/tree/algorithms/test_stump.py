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
from crake.kernels.tree.impurity import GINI
from crake.kernels.tree.stumps import best_cut

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


def test_two_classes_by_gini_are_scanned_to_the_same_bits() -> None:
    """A third class without rows takes the general scan."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        n = 60
        rank = np.sort(rng.integers(0, 25, n)).astype(np.int32)
        order = rng.permutation(n).astype(np.int32)
        target, weights = rng.integers(0, 2, n).astype(np.int32), rng.random(n) + 0.01
        two, three = (np.bincount(target, weights, minlength=k) for k in (2, 3))
        assert best_cut(order, rank, n, target, weights, two, GINI) == best_cut(
            order, rank, n, target, weights, three, GINI
        )
