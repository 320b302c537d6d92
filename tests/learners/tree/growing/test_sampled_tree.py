"""Trees of samples grown by one kernel are those grown level by level, to the last bit."""

from dataclasses import fields, replace

import numpy as np
import pytest

import crake
from crake.learners.tree.growing.grower import grow_by_levels
from crake.learners.tree.growing.sampled_tree import is_sampled, sampled_tree
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.tree import Tree

CART = Growth(nominal="subset", missing="surrogate", min_gain=1e-12, min_leaf=1e-12, is_forced=True)


def _training(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> Training:
    layout = Layout(np.ones(X.shape[1], bool), np.arange(X.shape[1], dtype=np.int32), np.zeros(X.shape[1], np.int32))
    none = np.zeros((0, len(y)), np.int32)
    return Training(np.ascontiguousarray(X), none, y.astype(np.uint8), weights, 2, layout).with_shared_lists(10**7)


def _different(one: Tree, other: Tree) -> list[str]:
    names = [each.name for each in fields(Tree) if each.name != "surrogates"]
    return [name for name in names if getattr(one, name).tobytes() != getattr(other, name).tobytes()]


@pytest.mark.parametrize("seed", range(12))
def test_the_tree_of_a_sample_is_that_of_levels(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows, columns = int(generator.integers(20, 300)), int(generator.integers(2, 7))
    X = generator.integers(0, 6, (rows, columns)).astype(float) if seed % 2 else generator.normal(size=(rows, columns))
    y = generator.integers(0, 2, rows)
    if seed % 3 == 0:  # no single cut makes these purer by much: splits are forced
        y = (X[:, 0].astype(int) + X[:, -1].astype(int)) % 2
    growth = replace(
        CART,
        features=(None, "sqrt", 1, 0.5)[seed % 4],
        seed=seed,
        max_depth=3 if seed == 5 else None,
        min_leaf=(1e-12, 2.5)[seed in (4, 7)],
        min_split=6 if seed == 8 else 0,
        min_decrease=0.005 if seed == 9 else 0.0,
    )
    training = _training(X, y, np.zeros(0) if seed == 2 else generator.poisson(1.0, rows).astype(float))
    assert is_sampled(training, growth)
    tree = sampled_tree(training, growth)
    assert len(tree) >= 3
    assert _different(tree, grow_by_levels(training, growth)) == []


def test_a_forced_first_split() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    training = _training(X, np.array([0, 1, 1, 0]), np.array([2.0, 2.0, 2.0, 2.0]))
    tree = sampled_tree(training, CART)
    assert len(tree) == 7
    assert _different(tree, grow_by_levels(training, CART)) == []


def test_other_rows_and_settings_are_grown_by_levels() -> None:
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 1, 0])
    training = _training(X, y, np.array([1.0, 2.0, 0.0, 1.0]))
    assert is_sampled(training, CART)
    for weights in ([0.5, 1, 1, 1], [128.0, 1, 1, 1]):
        assert not is_sampled(training.with_weights(np.array(weights)), CART)
    assert not is_sampled(replace(training, shared=None), CART)
    assert not is_sampled(_training(np.where(X == 3, np.nan, X), y, np.zeros(0)), CART)
    assert not is_sampled(training, replace(CART, criterion="entropy"))
    assert not is_sampled(training, replace(CART, surrogates=1))


def test_copies_and_weights_are_the_same_tree() -> None:
    generator = np.random.default_rng(3)
    X, copies = generator.normal(size=(60, 3)).round(1), generator.integers(1, 4, 60)
    y = (X[:, 0] + generator.normal(size=60) > 0).astype(int)
    repeated = crake.CARTClassifier().fit(np.repeat(X, copies, axis=0), np.repeat(y, copies)).tree_
    assert _different(sampled_tree(_training(X, y, copies.astype(float)), CART), repeated) == []
