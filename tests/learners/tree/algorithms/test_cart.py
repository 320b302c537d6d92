"""CART beside scikit-learn's tree, its ways with missing values, its limits and its pruning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import crake
from crake.kernels import threads
from crake.learners.tree.explaining.labelled_rows import labelled_rows
from crake.learners.tree.predicting.arrivals import arriving
from crake.learners.tree.pruning import cross_validated as cv
from crake.learners.tree.pruning.best_first import best_first
from crake.learners.tree.pruning.cost_complexity import impurity_risk, path, pruned_at
from crake.learners.tree.tree import NO_CHILD, Tree
from crake.table.examples import load


def rows(seed: int, classes: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that single precision holds, as scikit-learn's trees do."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).astype(np.float32).astype(np.float64)
    score = 2 * X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))


def in_our_order(peer: Any) -> tuple[Tree, np.ndarray]:
    """scikit-learn's tree with nodes numbered level by level, and the risk of each node."""
    held = peer.tree_
    order, at = [0], 0
    while at < len(order):
        if held.children_left[order[at]] >= 0:
            order += [held.children_left[order[at]], held.children_right[order[at]]]
        at += 1
    kept = np.array(order)
    branches = np.where(held.children_left[kept] >= 0, 2, 0).astype(np.int64)
    first = np.where(branches > 0, 1 + np.cumsum(branches) - branches, NO_CHILD)
    weight = held.weighted_n_node_samples[kept]
    nodes = len(kept)
    tree = Tree(
        kind=(branches > 0).astype(np.int32),
        feature=held.feature[kept].astype(np.int32),
        threshold=held.threshold[kept],
        value=np.full(nodes, -1),
        first=first,
        branches=branches,
        counts=weight.reshape(-1, 1),
        missing=np.full(nodes, -1, np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
    )
    return tree, held.impurity[kept] * weight / weight[0]


def assert_the_same_but_for_ties(ours: Any, criterion: str, peer: Any) -> int:
    """Walk both trees: the same split at every node, or another one that removes as much; then stop there."""
    tree, held = ours.tree_, peer.tree_
    risk = impurity_risk(tree, criterion)
    theirs = held.impurity * held.weighted_n_node_samples / held.weighted_n_node_samples[0]
    compared, waiting = 0, [(0, 0)]
    while waiting:
        a, b = waiting.pop()
        compared += 1
        assert risk[a] == pytest.approx(theirs[b], abs=1e-10)
        assert (tree.branches[a] == 0) == (held.children_left[b] < 0)
        if tree.branches[a] == 0:
            continue
        mine = [int(tree.first[a]), int(tree.first[a]) + 1]
        its = [held.children_left[b], held.children_right[b]]
        assert risk[a] - risk[mine].sum() == pytest.approx(theirs[b] - theirs[its].sum(), abs=1e-10)
        if tree.feature[a] == held.feature[b] and np.isclose(tree.threshold[a], held.threshold[b], rtol=1e-6):
            waiting += zip(mine, its, strict=True)
    return compared


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"min_samples_leaf": 7}, {"min_samples_split": 30}], ids=str)
def test_the_tree_of_scikit_learn_but_for_ties(criterion: str, classes: int, limits: dict[str, Any]) -> None:
    for seed in range(3):
        X, y = rows(seed, classes)
        peer = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits).fit(X, y)
        ours = crake.CARTClassifier(criterion, **limits).fit(X, y)
        assert assert_the_same_but_for_ties(ours, criterion, peer) > 3


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_as_accurate_as_scikit_learn(criterion: str) -> None:
    X, y = rows(1, 3, 1500)
    unseen, actual = rows(2, 3, 3000)
    ours = crake.CARTClassifier(criterion).fit(X, y)
    peers = [DecisionTreeClassifier(criterion=criterion, random_state=seed).fit(X, y) for seed in range(5)]
    assert (ours.predict(X) == y).all()
    theirs = [np.mean(peer.predict(unseen) == actual) for peer in peers]
    assert abs(np.mean(ours.predict(unseen) == actual) - np.mean(theirs)) < 0.03


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(4))
def test_cost_complexity_of_scikit_learns_own_tree(criterion: str, seed: int) -> None:
    """The path, the trees at any alpha and those of so many leaves, on the very same grown tree."""
    X, y = rows(seed, 3)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    full = DecisionTreeClassifier(criterion=criterion, random_state=0).fit(X, y, weights)
    tree, risk = in_our_order(full)
    ours, theirs = path(tree, risk), full.cost_complexity_pruning_path(X, y, weights)
    last = np.append(np.diff(theirs.ccp_alphas) > 1e-14, True)
    mine = np.append(np.diff(ours.alphas) > 1e-14, True)
    np.testing.assert_allclose(ours.alphas[mine], theirs.ccp_alphas[last], atol=1e-13)
    np.testing.assert_allclose(ours.impurities[mine], theirs.impurities[last], atol=1e-12)
    for alpha in (0.002, 0.01, 0.05):
        peer = DecisionTreeClassifier(criterion=criterion, random_state=0, ccp_alpha=alpha).fit(X, y, weights)
        assert int(np.sum(pruned_at(tree, risk, alpha).branches == 0)) == peer.get_n_leaves()
    for most in (2, 7, 20):
        peer = DecisionTreeClassifier(criterion=criterion, random_state=0, max_leaf_nodes=most).fit(X, y, weights)
        _, peer_risk = in_our_order(peer)
        leaves = best_first(tree, risk, most)
        assert int(np.sum(leaves.branches == 0)) == peer.get_n_leaves()
        kept = peer.tree_.children_left < 0
        assert len(peer_risk) == len(leaves)
        assert kept.sum() == peer.get_n_leaves()


@pytest.mark.parametrize(
    "limits",
    [{}, {"max_depth": 3}, {"min_impurity_decrease": 0.05}, {"ccp_alpha": 0.03}, {"max_leaf_nodes": 9}],
    ids=str,
)
def test_the_regression_tree_of_scikit_learn_but_for_ties(limits: dict[str, Any]) -> None:
    for seed in range(3):
        X, _ = rows(seed, 2)
        y = 2 * X[:, 0] + np.sin(3 * X[:, 1]) + np.random.default_rng(seed).normal(size=len(X))
        for weights in (None, np.random.default_rng(9).uniform(0.5, 2, len(X))):
            peer = DecisionTreeRegressor(random_state=0, **limits).fit(X, y, weights)
            ours = crake.CARTRegressor(**limits).fit(X, y, weights)
            assert assert_the_same_but_for_ties(ours, "squared_error", peer) > 3
            if not limits:
                np.testing.assert_allclose(ours.predict(X), y)


def test_what_no_single_question_can_tell_is_asked_all_the_same() -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2, float), [0, 1, 1, 0] * 2
    for missing in ("surrogate", "branch"):
        assert (crake.CARTClassifier(missing=missing).fit(X, y).predict(X) == y).all()
        assert (crake.CARTClassifier(missing=missing, nominal="all").fit(X, y).predict(X) == y).all()
    np.testing.assert_array_equal(crake.CARTRegressor().fit(X, y).predict(X), y)
    assert crake.CARTClassifier(min_impurity_decrease=1e-9).fit(X, y).n_leaves_ == 1


SIZES = [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [8.0, 8.0], [9.0, 9.0], [np.nan, 9.5], [10.0, np.nan]]
KINDS = ["s", "s", "s", "t", "t", "t", "t"]


def test_a_surrogate_stands_in() -> None:
    model = crake.CARTClassifier().fit(SIZES, KINDS)
    tree = model.tree_
    # Of six rows with a first value the second tells five: (3 − (6 − 5)) / 3.
    assert tree.surrogates.feature.tolist() == [1]
    np.testing.assert_allclose(tree.surrogates.association, [2 / 3])
    assert model.predict([[np.nan, 1.5], [np.nan, 9.0], [np.nan, np.nan], [2.0, 9.0]]).tolist() == ["s", "t", "t", "s"]
    assert str(model) == "x0 <= 5.5: s (3)\nx0 > 5.5: t (4)\n\n2 leaves, 3 nodes"


def test_a_surrogate_may_be_turned_and_nominal() -> None:
    X = [[1.0, 9.0, "b"], [2.0, 8.0, "b"], [8.0, 2.0, "a"], [9.0, 1.0, "a"]]
    model = crake.CARTClassifier(max_surrogates=2).fit(X, ["s", "s", "t", "t"])
    assert model.tree_.surrogates.turned.tolist() == [True, False]
    gaps: list[list[Any]] = [[None, 9.0, "a"], [None, None, "a"], [None, None, "b"], [None, None, "new"]]
    assert model.predict(gaps).tolist() == ["s", "t", "s", "s"]


def test_without_gaps_in_training_the_heavier_side() -> None:
    X, y = [[1.0], [2.0], [8.0], [9.0], [9.5]], ["s", "s", "t", "t", "t"]
    for missing in ("surrogate", "branch"):
        model = crake.CARTClassifier(missing=missing).fit(X, y)
        assert len(model.tree_.surrogates) == 0
        assert model.predict([[np.nan]]).tolist() == ["t"]
    fractional = crake.CARTClassifier(missing="fractional").fit(X, y)
    np.testing.assert_allclose(fractional.predict_proba([[np.nan]]), [[0.4, 0.6]])


def test_a_branch_of_its_own() -> None:
    X = [[1.0], [2.0], [8.0], [9.0], [np.nan], [np.nan]]
    model = crake.CARTClassifier(missing="branch").fit(X, ["s", "s", "t", "t", "u", "u"])
    assert str(model) == "x0 <= 5: s (2)\nx0 > 5: t (2)\nx0 missing: u (2)\n\n3 leaves, 4 nodes"
    assert model.predict([[np.nan], [1.0], [99.0]]).tolist() == ["u", "s", "t"]
    colours = [["red"], ["red"], ["blue"], ["blue"], [None], [None]]
    model = crake.CARTClassifier(missing="branch").fit(colours, ["s", "s", "t", "t", "u", "u"])
    assert model.predict([["red"], ["blue"], [None], ["violet"]]).tolist() == ["s", "t", "u", "u"]
    numbers = crake.CARTRegressor(missing="branch").fit(X, [1, 1, 2, 2, 7, 7])
    assert numbers.predict([[np.nan], [0.0]]).tolist() == [7.0, 1.0]


def test_fractional_rows_count_in_the_score_and_in_the_leaves() -> None:
    X, y = [[1.0], [2.0], [8.0], [9.0], [np.nan]], ["s", "s", "t", "t", "t"]
    tree = crake.CARTClassifier(missing="fractional", max_depth=1).fit(X, y).tree_
    np.testing.assert_allclose(tree.counts[1:], [[2, 0.5], [0, 2.5]])


def test_a_value_that_the_node_does_not_have_goes_to_its_heavier_side() -> None:
    X = [[1.0, "a"]] * 2 + [[1.0, "b"]] * 3 + [[9.0, "c"]] * 9
    model = crake.CARTClassifier().fit(X, ["s"] * 2 + ["t"] * 3 + ["u"] * 9)
    assert model.tree_.feature[0] == 0
    assert model.predict([[1.0, "c"], [1.0, "a"]]).tolist() == ["t", "s"]


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_pruned_by_cross_validation(missing: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    y = np.where(rng.uniform(size=300) < 0.85, np.nan_to_num(X[:, 0]) > 0, rng.uniform(size=300) < 0.5)
    full = crake.CARTClassifier(missing=missing).fit(X, y)
    best = crake.CARTClassifier(missing=missing, pruning="cost-complexity", folds=5).fit(X, y)
    one = crake.CARTClassifier(missing=missing, pruning="cost-complexity", folds=5, standard_errors=1).fit(X, y)
    assert one.n_leaves_ <= best.n_leaves_ < full.n_leaves_ / 3
    assert one.n_leaves_ >= 2
    numbers = crake.CARTRegressor(missing=missing, pruning="cost-complexity", folds=5, standard_errors=1).fit(X, y)
    assert 2 <= numbers.n_leaves_ < 10


def test_one_way_losses_are_those_of_pruned_trees() -> None:
    """The losses of all pruned trees from one walk are those of pruning and asking each of them."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 3, 120)
    for learner, target in ((crake.CARTClassifier(), y), (crake.CARTRegressor(), y.astype(float))):
        kept: list[Any] = []
        method = learner._method()
        grown = learner._grown
        learner._grown = lambda training, kept=kept, grown=grown: kept.append(training) or grown(training)
        learner.fit(X, target)
        training = kept[0]
        learned, tested = training.take(np.arange(80)), training.take(np.arange(80, 120))
        tree = method.grow(learned)
        alphas = np.append(path(tree, method.risk(tree)).alphas[1:] * 0.999, np.inf)
        quick = cv._losses(tree, tested, np.ones(40), alphas, method, 1)
        slow = cv._losses(tree, tested, np.ones(40), alphas, replace(method, reached=None), 1)
        plain = [float(method.losses(pruned_at(tree, method.risk(tree), alpha), tested).sum()) for alpha in alphas]
        np.testing.assert_allclose(quick, plain, atol=1e-9)
        np.testing.assert_allclose(slow, plain, atol=1e-9)


def test_prune_and_path_of_a_fitted_model() -> None:
    table = load("iris")
    model = crake.CARTClassifier().fit(table)
    trees = model.cost_complexity_path()
    assert (trees.leaves[0], trees.leaves[-1]) == (model.n_leaves_, 1)
    for alpha, leaves in zip(trees.alphas, trees.leaves, strict=True):
        assert model.prune("cost-complexity", alpha=alpha).n_leaves_ == leaves
    assert model.n_leaves_ == trees.leaves[0]
    numbers = crake.CARTRegressor().fit([[1.0], [2.0], [3.0]], [1.0, 1.0, 5.0])
    assert numbers.prune(alpha=100.0).predict([[1.0]]).tolist() == [pytest.approx(7 / 3)]
    with pytest.raises(crake.CrakeError, match="no pruning 'pessimistic'"):
        numbers.prune("pessimistic", alpha=1)


def test_a_deep_tree_needs_no_recursion() -> None:
    """Each response is half as large again as the last: splits part a few rows from all the others."""
    X = np.arange(800, dtype=float).reshape(-1, 1)
    model = crake.CARTRegressor().fit(X, 1.5 ** X[:, 0])
    assert model.depth_ > 200
    assert model.cost_complexity_path().leaves[-1] == 1
    assert model.prune(alpha=np.inf).n_leaves_ == 1
    with pytest.raises(crake.CrakeError, match="squares"):
        model.fit([[1.0], [2.0]], [1.0, 1e200])


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "branch"])
def test_columns_that_tell_nothing(missing: str) -> None:
    X = [[np.nan, 1.0, None, "k"], [np.nan, 1.0, None, "k"], [np.nan, 1.0, None, "k"]]
    model = crake.CARTClassifier(missing=missing).fit(np.array(X, object), ["a", "b", "b"])
    assert model.n_leaves_ == 1
    np.testing.assert_allclose(model.predict_proba(np.array(X[:1], object)), [[1 / 3, 2 / 3]])


def test_the_same_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).round(1)
    X[rng.uniform(size=X.shape) < 0.05] = np.nan
    y = rng.integers(0, 3, 3000)
    found = []
    for count in (1, 2, 4):
        with threads.limited(count):
            found.append(crake.CARTClassifier(max_depth=6).fit(X, y).tree_)
    for tree in found[1:]:
        for name in ("kind", "feature", "threshold", "counts", "missing"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(found[0], name))
        np.testing.assert_array_equal(tree.surrogates.association, found[0].surrogates.association)


def test_a_tree_does_not_change_under_a_monotone_transform() -> None:
    X, y = rows(3, 3)
    one, other = crake.CARTClassifier().fit(X, y), crake.CARTClassifier().fit(np.exp(X), y)
    np.testing.assert_array_equal(one.tree_.feature, other.tree_.feature)
    np.testing.assert_array_equal(one.tree_.counts, other.tree_.counts)


def test_surrogates_survive_a_pruning() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    X[:, 1] = X[:, 0] + 0.1 * rng.normal(size=200)
    y = (X[:, 0] > 0).astype(int) ^ (rng.uniform(size=200) < 0.1)
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    full = crake.CARTClassifier().fit(X, y)
    pruned = full.prune("cost-complexity", alpha=0.03)
    assert 1 < pruned.n_leaves_ < full.n_leaves_
    at_root = full.tree_.surrogates.node == 0
    np.testing.assert_array_equal(
        pruned.tree_.surrogates.feature[pruned.tree_.surrogates.node == 0], full.tree_.surrogates.feature[at_root]
    )
    assert set(pruned.tree_.surrogates.node) <= set(np.flatnonzero(pruned.tree_.branches))
    assert np.isfinite(pruned.predict_proba(X)).all()


def test_a_regressor_reads_tables_and_says_what_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "flats.csv"
    file.write_text("city,size,rent\nA,30,300.5\nA,60,600.5\nB,30,500.5\nB,60,\nB,70,900.5\n")
    table = crake.read(file, target="rent")
    model = crake.CARTRegressor().fit(table)
    assert model.left_out_ == 1
    assert model.predict(table)[[0, 1, 2, 4]].tolist() == [300.5, 600.5, 500.5, 900.5]
    with pytest.raises(crake.CrakeError, match="not numeric"):
        crake.CARTRegressor().fit(load("golf"))
    with pytest.raises(crake.CrakeError, match="nothing to learn from"):
        crake.CARTRegressor().fit([[1.0]], [np.nan])
    with pytest.raises(crake.CrakeError, match="brings its own target"):
        crake.CARTRegressor().fit(table, [1.0])
    with pytest.raises(ValueError, match="infinity"):
        crake.CARTRegressor().fit([[1.0], [2.0]], [np.inf, 1.0])


def test_sets_of_very_many_values_are_refused_before_they_fill_the_memory() -> None:
    rng = np.random.default_rng(0)
    names = np.array([f"v{i}" for i in range(20_000)], object).reshape(-1, 1)
    with pytest.warns(crake.CrakeWarning), pytest.raises(crake.CrakeError, match="20,000 values"):
        crake.CARTRegressor().fit(names, rng.normal(size=20_000))


def test_pessimistic_pruning_keeps_every_row_where_the_stand_ins_send_it() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    X[:, 1] = X[:, 0] + rng.normal(size=300) / 4
    y = (X[:, 0] + rng.normal(size=300) / 2 > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    full = crake.CARTClassifier().fit(X, y)
    pruned = full.prune("pessimistic", X, y)
    assert 1 < pruned.n_leaves_ < full.n_leaves_
    assert len(pruned.tree_.surrogates)
    np.testing.assert_array_equal(
        arriving(pruned.tree_, labelled_rows(pruned.node(0).model, X, y)), pruned.tree_.counts
    )


@pytest.mark.parametrize("classes", [2, 3])
def test_simple_cart_splits_by_gini_wherever_gaps_would_go(classes: int) -> None:
    """Without gaps all ways with missing values grow one tree, and weights of 1 are none."""
    X, y = rows(3, classes, n=60)
    trees = [
        str(crake.CARTClassifier(variant="simple-cart", missing=missing).fit(X, y, sample_weight=weights))
        for missing in ("fractional", "surrogate", "branch")
        for weights in (None, np.ones(60))
    ]
    assert len(set(trees)) == 1
    exact = crake.CARTClassifier(variant="simple-cart").fit(X, y)
    assert exact.score(X, y) == 1
    assert exact.n_leaves_ == crake.CARTClassifier().fit(X, y).n_leaves_


def test_a_threshold_at_zero_has_no_sign() -> None:
    X, y = [[-1.0], [-0.0], [1.0], [2.0]], [0, 0, 1, 1]
    assert str(crake.C45Classifier().fit(X, y)).splitlines()[0] == "x0 <= 0: 0 (2)"
    below = crake.CARTClassifier(variant="simple-cart").fit([[-1.0], [1.0]], [0, 1])
    assert str(below).splitlines()[0] == "x0 <= 0: 0 (1)"
