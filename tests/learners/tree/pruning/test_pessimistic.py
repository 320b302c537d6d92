"""Pessimistic pruning beside its plain twin, and the room it takes in a deep tree."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from tests.plain.pessimistic_twin import Pruner, flat

from crake.kernels.tree.pruning.branch_rows import SEGMENT
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.predicting.arrivals import recounted
from crake.learners.tree.pruning import pessimistic
from crake.learners.tree.pruning.pessimistic import pruned_with_room
from crake.learners.tree.tree import Tree

CONFIDENCE = 0.25


def rows_of(values: np.ndarray, target: np.ndarray, weights: np.ndarray | None = None) -> Training:
    layout = Layout(np.array([True]), np.array([0], np.int32), np.array([0], np.int32))
    none = np.zeros((0, len(target)), np.int32)
    return Training(
        values.reshape(-1, 1).astype(float), none, target.astype(np.uint8),
        np.zeros(0) if weights is None else weights, 2, layout,
    )  # fmt: skip


def chain(depth: int, copies: int, gaps: int, noise: float, seed: int = 0) -> tuple[Tree, Training]:
    """Values 0 … depth in alternating classes, each so many times: every cut takes off one value. Then rows with gaps,
    which are at every node.
    """
    rng = np.random.default_rng(seed)
    values = np.repeat(np.arange(depth + 1.0), copies)
    grown = rows_of(values, values % 2)
    tree = grow(grown, Growth(criterion="entropy"))
    assert tree.depth.max() == depth
    target = np.where(rng.random(len(values)) < noise, 1 - values % 2, values % 2)
    held = rows_of(np.append(values, np.full(gaps, np.nan)), np.append(target, rng.integers(0, 2, gaps)))
    order = rng.permutation(len(held))
    return tree, held.take(order)


def check_as_twin(tree: Tree, held: Training) -> Tree:
    single = np.float32(CONFIDENCE)
    twin = Pruner(tree, held, float(single), float(ndtri(float(np.float32(1) - single)))).pruned()
    pruned, _ = pruned_with_room(tree, held, CONFIDENCE, raising=True)
    expected = flat(tree, twin)
    assert len(pruned) == len(expected)
    np.testing.assert_array_equal(pruned.threshold, [threshold for threshold, _ in expected])
    np.testing.assert_allclose(pruned.counts, [counts for _, counts in expected], rtol=1e-9, atol=1e-12)
    return pruned


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("has_weights", [False, True])
def test_as_the_plain_twin_with_gaps(seed: int, has_weights: bool) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 25, 90).astype(float)
    target = (values > 12) ^ (rng.random(90) < 0.25)
    values[rng.random(90) < 0.2] = np.nan
    training = rows_of(values, target, rng.random(90) + 0.5 if has_weights else None)
    tree = grow(training, Growth(criterion="gain_ratio", tolerance=1e-6))
    assert 1 < len(check_as_twin(tree, training)) < len(tree)


@pytest.mark.parametrize("seed", range(4))
def test_rows_in_many_parts_are_pruned_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with gaps divide rows among many branches; the rows of all leaves are held at the same time, or not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 150)
    codes = np.vstack([(rng.integers(0, 4, 150) + y) % 4, rng.integers(0, 6, 150), rng.integers(0, 3, 150)])
    codes[rng.random(codes.shape) < 0.15] = -1
    layout = Layout(np.zeros(3, bool), np.arange(3, dtype=np.int32), np.array([4, 6, 3], np.int32))
    none, weights = np.zeros((150, 0)), rng.random(150) + 0.5
    training = Training(none, codes.astype(np.int32), y.astype(np.uint8), weights, 2, layout)
    tree = grow(training, Growth(criterion="gain_ratio", tolerance=1e-6))
    pruned, room = pruned_with_room(tree, training, 0.4, raising=True)
    assert 1 < len(pruned) < len(tree)
    assert room > 0
    monkeypatch.setattr(pessimistic, "MOST_COPIES", -7)
    other, _ = pruned_with_room(tree, training, 0.4, raising=True)
    for name in ("kind", "feature", "value", "first", "branches"):
        np.testing.assert_array_equal(getattr(pruned, name), getattr(other, name))
    np.testing.assert_allclose(pruned.counts, other.counts, rtol=1e-9, atol=1e-12)


def test_a_chain_of_more_than_a_segment_as_the_plain_twin() -> None:
    tree, held = chain(SEGMENT + 30, copies=2, gaps=5, noise=0.1, seed=1)
    tree = recounted(tree, held)
    assert 1 < len(check_as_twin(tree, held)) < len(tree)


def test_the_room_for_rows_does_not_grow_with_every_level() -> None:
    tree, held = chain(5 * SEGMENT, copies=1, gaps=20, noise=0.0)
    _, room = pruned_with_room(tree, held, CONFIDENCE, raising=True)
    assert room < 40 * len(held)  # those of all nodes on the way would be 180 times as many as there are
    complete = held.take(np.flatnonzero(~np.isnan(held.values[:, 0])))
    assert pruned_with_room(tree, complete, CONFIDENCE, raising=True)[1] <= 10 * len(complete)
    assert pruned_with_room(tree, held, CONFIDENCE, raising=False)[1] == 0
