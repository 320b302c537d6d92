"""The fast code of CART beside slow and obvious code: divisions of values, pruned trees, stand-ins."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plain import cart_twin

import crake
from crake.learners.tree.pruning.cost_complexity import error_risk, impurity_risk, path, pruned_at

few = settings(max_examples=40)


def nominal(values: list[int]) -> list[list[str]]:
    return [[f"v{value:02}"] for value in values]


@few
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=2, max_size=25))
def test_the_best_division_of_values(pairs: list[tuple[int, int]]) -> None:
    X, y = nominal([v for v, _ in pairs]), [k for _, k in pairs]
    if len(set(y)) < 2:
        return
    tree = crake.CARTClassifier(max_depth=1).fit(X, y).tree_
    gained = 0.0
    if len(tree) > 1:
        risk = impurity_risk(tree, "gini")
        gained = risk[0] - risk[1] - risk[2]
    assert gained == pytest.approx(float(cart_twin.best_division(pairs, 3)), abs=1e-12)


@few
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-9, 9)), min_size=2, max_size=20))
def test_the_best_division_for_numbers(pairs: list[tuple[int, int]]) -> None:
    X, y = nominal([v for v, _ in pairs]), [float(number) for _, number in pairs]
    tree = crake.CARTRegressor(max_depth=1).fit(X, y).tree_
    left = tree.responses[tree.branches == 0, 1].sum()
    assert left == pytest.approx(float(cart_twin.best_division_of_numbers(pairs)), abs=1e-9)


def test_many_values_and_classes_are_divided_by_the_best_order_of_a_class() -> None:
    """12 values, 3 classes: more than are tried one by one. The best prefix of the best order is what is found."""
    rng = np.random.default_rng(3)
    values, y = rng.integers(0, 12, 400), rng.integers(0, 3, 400)
    y = np.where(values % 4 == 0, 0, y)
    tree = crake.CARTClassifier(max_depth=1).fit(nominal(values.tolist()), y).tree_
    table = np.array([[np.sum((values == v) & (y == k)) for k in range(3)] for v in range(12)])
    best = 0.0
    for k in range(3):
        order = np.argsort(table[:, k] / table.sum(axis=1), kind="stable")
        for cut in range(1, 12):
            left, right = table[order[:cut]].sum(axis=0).tolist(), table[order[cut:]].sum(axis=0).tolist()
            best = max(best, float(cart_twin.decrease(left, right)))
    risk = impurity_risk(tree, "gini")
    assert risk[0] - risk[1] - risk[2] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("missing", ["surrogate", "branch"])
def test_sums_that_change_step_by_step_are_those_that_are_made_anew(missing: str) -> None:
    """Rows of weight 1 have whole numbers of every class, rows of weight 1/4 do not; the scores are the same bits."""
    rng = np.random.default_rng(5)
    values, y = rng.integers(0, 40, (300, 2)), rng.integers(0, 25, 300)
    X = [[f"v{a}", None if b == 0 else f"w{b}"] for a, b in values]
    whole = crake.CARTClassifier(missing=missing).fit(X, y).tree_
    quarters = crake.CARTClassifier(missing=missing).fit(X, y, np.full(300, 0.25)).tree_
    assert len(whole) > 100
    for part in ("kind", "feature", "branches", "groups"):
        np.testing.assert_array_equal(getattr(whole, part), getattr(quarters, part), err_msg=part)
    np.testing.assert_array_equal(whole.counts, 4 * quarters.counts)


@pytest.mark.parametrize("copies", [1, 2], ids=["halves of rows", "halves that add up to rows"])
def test_sums_of_rows_that_are_shared_out_are_those_of_the_plain_code(copies: int) -> None:
    """Rows without a value of `a` go down both sides by halves; below, 14 values of `b` are divided by prefixes."""
    rng = np.random.default_rng(8)
    known = [(f"{'lr'[k % 2]}", f"b{rng.integers(14):02}", 3 * (k % 2) + rng.integers(3)) for k in range(200)]
    unknown = [(None, f"b{rng.integers(14):02}", rng.integers(6)) for _ in range(40)] * copies
    a, b, y = (np.array(part, object) for part in zip(*known, *unknown, strict=True))
    frame = pd.DataFrame({"a": a, "b": b})
    model = crake.CARTClassifier(missing="fractional", max_depth=2).fit(frame, y.astype(int))
    tree, risk = model.tree_, impurity_risk(model.tree_, "gini")
    for side in "lr":
        node = tree.parent[model.apply(pd.DataFrame({"a": [side], "b": ["b00"]}))[0]]
        assert tree.parent[node] == 0
        weights = np.where(a == side, 1.0, np.where(np.equal(a, None), 0.5, 0.0))
        table = np.array([[weights[(b == f"b{v:02}") & (y == k)].sum() for k in range(6)] for v in range(14)])
        np.testing.assert_allclose(tree.counts[node], table.sum(axis=0), atol=1e-12)
        best = 0.0
        for k in range(6):
            order = np.argsort(table[:, k] / table.sum(axis=1), kind="stable")
            for cut in range(1, 14):
                parts = table[order[:cut]].sum(axis=0), table[order[cut:]].sum(axis=0)
                best = max(best, sum(float(part @ part) / part.sum() for part in parts))
        whole = tree.counts[node]
        gained = (best - whole @ whole / whole.sum()) / len(y)
        children = list(tree.children(node))
        assert risk[node] - risk[children].sum() == pytest.approx(gained, abs=1e-12)


@few
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=14),
    st.floats(0, 0.3),
    st.booleans(),
)
def test_pruned_at_alpha_is_the_cheapest_subtree(rows: list[tuple[int, int, int]], alpha: float, errors: bool) -> None:
    X, y = np.array([row[:2] for row in rows], float), [row[2] for row in rows]
    if len(set(y)) < 2:
        return
    tree = crake.CARTClassifier(max_depth=4).fit(X, y).tree_
    risk = error_risk(tree) if errors else impurity_risk(tree, "gini")
    cost, leaves = cart_twin.cheapest(tree, risk, alpha)
    pruned = pruned_at(tree, risk, alpha + 1e-12)
    again = error_risk(pruned) if errors else impurity_risk(pruned, "gini")
    is_leaf = pruned.branches == 0
    assert again[is_leaf].sum() + alpha * is_leaf.sum() == pytest.approx(cost, abs=1e-9)
    assert is_leaf.sum() == leaves
    trees = path(tree, risk)
    assert (np.diff(trees.alphas) > 0).all()
    assert (np.diff(trees.leaves) < 0).all()
    assert trees.leaves[-1] == 1


@few
@given(
    st.lists(
        st.tuples(st.none() | st.integers(0, 5), st.none() | st.integers(0, 5), st.integers(0, 1)),
        min_size=4,
        max_size=20,
    )
)
def test_the_association_of_a_surrogate(rows: list[tuple[int | None, int | None, int]]) -> None:
    X = np.array([[np.nan if x is None else x for x in row[:2]] for row in rows], float)
    y = [row[2] for row in rows]
    if len(set(y)) < 2:
        return
    tree = crake.CARTClassifier(max_depth=1, max_surrogates=1).fit(X, y).tree_
    if len(tree) == 1:
        return
    asked = int(tree.feature[0])
    side = [-1 if np.isnan(x) else int(x > tree.threshold[0]) for x in X[:, asked]]
    other = [None if np.isnan(x) else float(x) for x in X[:, 1 - asked]]
    lighter, known = min(side.count(0), side.count(1)), side.count(0) + side.count(1)
    expected = (lighter - (known - cart_twin.best_agreement(side, other))) / lighter
    if expected > 0:
        np.testing.assert_allclose(tree.surrogates.association, [expected])
    else:
        assert len(tree.surrogates) == 0
