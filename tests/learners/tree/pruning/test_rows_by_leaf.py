"""Rows laid out by the leaves that they reach: every row once, those of each leaf and subtree side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.learners.tree.growing.room import Room
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.routing import leaves_of_training
from crake.learners.tree.pruning.rows_by_leaf import by_leaf
from crake.learners.tree.tree import Tree


def nodes_above(tree: Tree, leaf: int) -> list[int]:
    path = [leaf]
    while path[-1]:
        path.append(int(np.flatnonzero((tree.first <= path[-1]) & (path[-1] < tree.first + tree.branches))[0]))
    return path


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("at_once", [1, 40, 10_000])
def test_rows_of_a_subtree_lie_side_by_side(gaps: bool, at_once: int) -> None:
    draw = np.random.default_rng(3)
    x, name = draw.normal(size=(300, 2)), draw.choice(["a", "b", "c"], 300)
    label = np.where(x[:, 0] + draw.normal(0, 0.5, 300) > 0, name, np.where(x[:, 1] > 0.5, "b", "d"))
    is_gap = gaps & (draw.random((3, 300)) < 0.1)
    columns = {"p": pa.array(x[:, 0], mask=is_gap[0]), "q": pa.array(x[:, 1], mask=is_gap[1])}
    table = crake.read(pa.table({**columns, "name": pa.array(name, mask=is_gap[2]), "y": label}), "y")
    tree = crake.C45Classifier(pruning=None).fit(table).tree_
    assert len(tree) > 20
    (batch,) = table.batches()
    room = Room()
    room.sorted_at_once = at_once
    training = replace(Training.of(table.schema, batch), room=room)

    laid_out, place = by_leaf(tree, training)

    assert sorted(place.tolist()) == list(range(300))
    np.testing.assert_array_equal(laid_out.values[place], training.values)
    np.testing.assert_array_equal(laid_out.codes[:, place], training.codes)
    np.testing.assert_array_equal(laid_out.target[place], training.target)
    if not gaps:
        leaf = leaves_of_training(tree, training)
        assert (np.diff(place[leaf == leaf[0]]) == 1).all()
        for node in range(len(tree)):
            below = [each for each in np.unique(leaf) if node in nodes_above(tree, each)]
            its = place[np.isin(leaf, below)]
            assert not len(its) or its.max() - its.min() == len(its) - 1, node
