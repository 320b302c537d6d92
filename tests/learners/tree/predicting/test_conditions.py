"""The branch that a row takes, as a condition says it and as compiled code decides it: equal on awkward values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crake.kernels.tree.arrays import INTERVALS, MULTIWAY, ONE_VALUE, SUBSET, THRESHOLD, RowArrays
from crake.kernels.tree.branch_of import branch_of, surrogate_branch
from crake.learners.tree import conditions
from crake.learners.tree.tree import Surrogates, Tree
from crake.table.schema import Column, Kind, Schema

TIE, NEXT = 0.1, np.nextafter(0.1, 1)
NUMBERS = np.array(
    [np.nan, -np.inf, -1e308, -1.0, -5e-324, -0.0, 0.0, 5e-324, np.nextafter(TIE, 0), TIE, NEXT, 1.0, 1e308, np.inf]
)
CODES = np.array([-2, -1, 0, 1, 2, 3], np.int32)
X, Z = Column("x", Kind.NUMERIC), Column("z", Kind.NUMERIC)
C, D = (Column(name, Kind.NOMINAL, ("a", "b", "c", "d")) for name in "cd")
SCHEMA = Schema((X, Z, C, D))
GROUPS = np.array([1, -1, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1], np.int32)
CUTS = np.array([-1e308, -0.0, TIE, 1.0, np.inf])


def one_node(
    kind: int, threshold: float = 0.0, value: int = 0, branches: int = 2, feature: int = 0, **more: Any
) -> Tree:
    """A node with leaves."""
    leaves = np.zeros(branches)
    return Tree(
        kind=np.append(kind, leaves).astype(np.int32), feature=np.append(feature, leaves).astype(np.int32),
        threshold=np.append(threshold, leaves), value=np.append(value, leaves).astype(np.int64),
        first=np.append(1, leaves).astype(np.int64), branches=np.append(branches, leaves).astype(np.int64),
        counts=np.ones((branches + 1, 2)), missing=np.append(-1, leaves).astype(np.int32), groups=GROUPS, cuts=CUTS,
        **more,
    )  # fmt: skip


NODES = {
    "threshold at a tie": one_node(THRESHOLD, TIE),
    "threshold 0": one_node(THRESHOLD, 0.0),
    "threshold -0": one_node(THRESHOLD, -0.0),
    "threshold below 0": one_node(THRESHOLD, -5e-324),
    "largest threshold": one_node(THRESHOLD, 1e308),
    "intervals, the last of them empty": one_node(INTERVALS, value=0, branches=6),
    "two intervals": one_node(INTERVALS, value=2, branches=2),
    "a branch per level": one_node(MULTIWAY, branches=4, feature=2),
    "one level": one_node(ONE_VALUE, value=2, feature=2),
    "groups, one level in none": one_node(SUBSET, value=0, feature=2),
    "other groups": one_node(SUBSET, value=4, feature=2),
}


@pytest.mark.parametrize("name", NODES)
def test_conditions_and_kernel_send_a_value_to_the_same_branch(name: str) -> None:
    tree = NODES[name]
    cells = CODES if tree.feature[0] == 2 else NUMBERS
    kind, threshold, value, branches = tree.kind[0], tree.threshold[0], tree.value[0], tree.branches[0]
    compiled = [
        branch_of(kind, threshold, value, branches, tree.groups, tree.cuts, x, code)
        for x, code in ((0.0, cell) if cells is CODES else (cell, 0) for cell in cells)
    ]
    assert conditions.branch_of(tree, SCHEMA, 0, lambda _: cells).tolist() == compiled
    for branch in range(int(branches)):
        holds = conditions.condition_of(tree, SCHEMA, 0, branch).holds(cells)
        assert np.flatnonzero(holds).tolist() == [at for at, taken in enumerate(compiled) if taken == branch]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("threshold", [TIE, 0.0, -0.0, -5e-324])
def test_surrogates_send_a_value_to_the_same_branch(threshold: float, turned: bool, order: list[int]) -> None:
    """The node's own value is missing; a number or a level decides, or the branch of missing values."""
    surrogates = Surrogates(
        node=np.zeros(2, np.int64), feature=np.array([1, 3], np.int32)[order],
        threshold=np.array([threshold, 0.0])[order],
        value=np.array([-1, 8])[order], turned=np.array([turned, False])[order], association=np.ones(2),
    )  # fmt: skip
    tree = one_node(THRESHOLD, surrogates=surrogates)
    numbers, codes = (grid.ravel() for grid in np.meshgrid(NUMBERS, CODES))
    values, places = np.stack([np.full(numbers.size, np.nan), numbers], 1), np.array([0, 1, 0, 1], np.int32)
    both = np.stack([np.zeros_like(codes), codes], 1).ravel()
    cells = RowArrays(values, both, 2, 1, np.array([True, True, False, False]), places)
    own = surrogates.arrays(len(tree))
    compiled = [surrogate_branch(0, 2, own, tree.groups, cells, row) for row in range(numbers.size)]
    columns = {0: values[:, 0], 1: numbers, 3: codes}
    assert conditions.branch_of(tree, SCHEMA, 0, columns.__getitem__).tolist() == compiled
