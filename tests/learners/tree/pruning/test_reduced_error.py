"""Reduced-error pruning: no pruned subtree beats its leaf on the held-out rows, and every kept one does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crake
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import arriving, recounted
from crake.learners.tree.pruning.by_rows import validation_rows
from crake.learners.tree.pruning.reduced_error import pruned_by_errors
from crake.table.convert.frames import from_xy
from crake.table.examples import load


def noisy(rows: int, seed: int, gaps: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4)).round(1)
    y = (X[:, 0] + X[:, 1] > 0) ^ (rng.random(rows) < 0.2)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y


def training(X: np.ndarray, y: np.ndarray) -> Training:
    table = from_xy(X, y)
    (batch,) = table.batches()
    return Training.of(table.schema, batch)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_rows_of_growing_arrive_where_they_were_counted(gaps: float) -> None:
    rows = training(*noisy(300, 1, gaps))
    tree = grow(rows, Growth(criterion="entropy"))
    np.testing.assert_allclose(recounted(tree, rows).counts, tree.counts, atol=1e-9)
    np.testing.assert_allclose(arriving(tree, rows).sum(axis=1)[0], 300)


def test_rows_with_gaps_arrive_by_surrogates() -> None:
    X, y = noisy(300, 2, 0.2)
    X[:, 2] = X[:, 0] + np.random.default_rng(0).normal(size=300) / 10  # a stand-in for the first column
    model = crake.CARTClassifier(max_surrogates=3).fit(X, y)
    assert len(model.tree_.surrogates)
    np.testing.assert_allclose(arriving(model.tree_, training(X, y)), model.tree_.counts)


def plain_errors(tree: Any, held: Training, node: int, rows: np.ndarray) -> tuple[float, float]:
    """Errors as a leaf, and the fewest that pruning below can give, by recursion over rows without gaps."""
    counts = tree.counts[node] if tree.counts[node].sum() > 0 else tree.counts[tree.parent_of(node)]
    as_leaf = float(np.sum(held.target[rows] != np.argmax(counts)))
    if tree.kind[node] == LEAF:
        return as_leaf, as_leaf
    below = held.values[rows, tree.feature[node]] <= tree.threshold[node]
    parts = [rows[below], rows[~below]]
    best = sum(plain_errors(tree, held, child, part)[1] for child, part in zip(tree.children(node), parts, strict=True))
    return as_leaf, min(as_leaf, best)


@pytest.mark.parametrize("seed", range(5))
def test_no_pruned_tree_makes_fewer_errors(seed: int) -> None:
    tree = grow(training(*noisy(200, seed)), Growth(criterion="entropy"))
    held = training(*noisy(100, seed + 100))
    pruned = pruned_by_errors(tree, held)
    everyone = np.arange(len(held))
    fewest = plain_errors(tree, held, 0, everyone)[1]
    arrived = arriving(pruned, held)
    leaves = pruned.kind == LEAF
    wrong = arrived.sum(axis=1) - arrived[np.arange(len(pruned)), np.argmax(pruned.counts, axis=1)]
    assert wrong[leaves].sum() == fewest
    for node in np.flatnonzero(~leaves):  # what is left is worth it: its leaf would err more often
        assert wrong[node] > subtree_errors(pruned, wrong, int(node))
    assert len(pruned) < len(tree)


def subtree_errors(tree: Any, wrong: np.ndarray, node: int) -> float:
    if tree.kind[node] == LEAF:
        return float(wrong[node])
    return sum(subtree_errors(tree, wrong, child) for child in tree.children(node))


@pytest.mark.parametrize("make", [crake.C45Classifier, crake.ID3Classifier, crake.CARTClassifier])
def test_as_a_setting_of_the_learners(make: Any) -> None:
    X, y = noisy(600, 7, 0.1)
    pruned = make(pruning="reduced-error").fit(X[:400], y[:400])
    grown = make(pruning=None).fit(X[:400], y[:400])
    assert pruned.n_leaves_ < grown.n_leaves_
    assert pruned.tree_.weight[0] == pytest.approx(400)  # all rows are counted in the end
    if make is not crake.C45Classifier:  # which has other means against noise
        assert pruned.score(X[400:], y[400:]) > grown.score(X[400:], y[400:]) + 0.03
    again = make(pruning="reduced-error").fit(X[:400], y[:400])
    assert str(again) == str(pruned)
    other = make(pruning="reduced-error", random_state=2).fit(X[:400], y[:400])
    assert str(other) != str(pruned)


def test_the_held_out_part_is_stratified() -> None:
    X, _ = noisy(300, 3)
    learned, kept = validation_rows(training(X, np.where(np.arange(300) < 30, "rare", "frequent")), 1 / 3, 1) or (
        (),
        (),
    )
    assert (len(learned), len(kept)) == (200, 100)
    assert np.sum(np.asarray(kept) < 30) == 10


def test_too_little_to_hold_out() -> None:
    model = crake.C45Classifier(pruning="reduced-error").fit([[1.0], [2.0]], ["a", "b"])
    assert model.predict_proba([[1.0]]).sum() == 1
    assert crake.ID3Classifier(pruning="reduced-error").fit([[1.0]], ["a"]).n_leaves_ == 1


def test_on_a_fitted_model() -> None:
    table = load("iris")
    odd, even = table.take(np.arange(1, 150, 2)), table.take(np.arange(0, 150, 2))
    model = crake.C45Classifier(pruning=None, min_samples_leaf=1).fit(odd)
    assert model.prune("reduced-error", even).n_leaves_ <= model.n_leaves_
