"""A fitted tree changed at one node: made a leaf there, or split in another way and grown anew below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF, MULTIWAY
from crake.learners.tree.conditions import branch_of
from crake.learners.tree.editing.edit import Edit, branches_to
from crake.learners.tree.editing.forced_split import Question, forced_split
from crake.learners.tree.editing.leaf import one_leaf
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.explaining.best_splits import split_text
from crake.learners.tree.explaining.labelled_rows import cells_of, labelled_rows, rows_at
from crake.learners.tree.explaining.model import OneSplit, TreeModel
from crake.learners.tree.explaining.node import Node, node_of
from crake.learners.tree.explaining.split_arithmetic import rows_text
from crake.learners.tree.growing.training_rows import Training, Whole
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree, reached_nodes, scaled_response
from crake.render.plain_text import shown
from crake.render.sentences import counted

LONGEST_PATH, LONGEST_SPLIT, LONGEST_NAME = 160, 80, 40


@dataclass(frozen=True, eq=False)
class Branch:
    """The rows of one branch of a forced split, and the depth that its tree begins at.

    `every` are all rows. Numbers to learn were divided by 2 to the `power`.
    """

    rows: Training
    every: Training
    depth: int
    power: int = 0

    @property
    def share(self) -> float:
        """The share of all rows that the branch has."""
        return float(self.rows.row_weights.sum() / self.every.row_weights.sum())

    @property
    def training(self) -> Training:
        """The rows to grow from, told of the table that they are a part of."""
        whole = Whole(self.every.total, self.every.is_complete, self.every.values)
        return replace(self.rows, whole=whole)


@dataclass(frozen=True, eq=False)
class Regrowth:
    """The part of a learner that grows below a forced split.

    `completed` returns the root of the split with what the learner adds to one: it takes the root with its branches,
    the rows of the node, all rows, and what the learner's own search found. `grown` returns the tree of a branch.
    `limited` returns the new subtree with no more leaves than the learner may have, beside those elsewhere.
    """

    completed: Callable[[Tree, Training, Training, OneSplit | None], Piece]
    grown: Callable[[Branch], Piece]
    limited: Callable[[Piece, int], Piece]


@dataclass(frozen=True, eq=False)
class Changed:
    """The tree after an edit, with what the learner keeps for each node."""

    tree: Tree
    edit: Edit
    tests: Mapping[str, NDArray[Any]]


def leaf_at(model: TreeModel, number: Any, tests: Mapping[str, NDArray[Any]]) -> Changed:
    """Return the tree in which a node is a leaf: it answers with its own rows, which it has kept."""
    node = node_of(model, number)
    if node.is_leaf:
        raise CrakeError(f"node {node.number} is a leaf already; expected a node that splits")
    is_leaf = np.arange(len(model.tree)) == node.number
    tree = with_leaves(model.tree, is_leaf)
    below = counted(len(model.tree) - len(tree), "node")
    text = f"{_called(node)} was made a leaf; it asked for {_asked(node)} and had {below} below it"
    kept = reached_nodes(_cut_below(model.tree, is_leaf))
    own = {name: np.where(is_leaf, 0, values).astype(values.dtype)[kept] for name, values in tests.items()}
    return Changed(tree, Edit(node.number, branches_to(model.tree, node.number), text), own)


def split_at(
    model: TreeModel,
    number: Any,
    question: Question,
    rows: tuple[Any, Any, Any],
    regrowth: Regrowth,
    tests: Mapping[str, NDArray[Any]],
) -> Changed:
    """Return the tree in which a node has the split that is asked for; `rows` are those the model was fitted on.

    Each branch is grown, and pruned, by the learner from the rows that come there. The rest of the tree stays.
    """
    node = node_of(model, number)
    _, levels = question.of(model)
    every, power = _scaled(labelled_rows(model, *rows))
    here = rows_at(model, every, node.number)
    _refuse_other_rows(here, node)
    split, found = forced_split(model, every, here, question)
    root = regrowth.completed(split, here, every, found)
    piece = root
    for child, mine in zip(root.tree.children(0), _rows_of_branches(model, root.tree, here), strict=True):
        branch = Branch(mine, every, node.depth + 1, power)
        grown = regrowth.grown(branch) if len(mine) else _nobody(root, child, model)
        piece = piece.with_piece(child, grown)
    elsewhere = _leaves(model.tree) - _leaves_below(model.tree, node.number)
    piece = regrowth.limited(piece.in_order(), elsewhere)
    piece = Piece(piece.tree.with_response_times(power), piece.tests)
    whole = Piece(model.tree, tests).with_piece(node.number, piece)
    whole = Piece(_own_counts(whole.tree, model.tree, node.number), whole.tests).in_order()
    words = _split_words(root.tree, model, 0)
    before = "it was a leaf" if node.is_leaf else f"it had asked for {_asked(node)}"
    text = f"{_called(node)} was split on {words} and grown anew below; {before}"
    at = None if question.at is None else float(question.at)
    edit = Edit(node.number, branches_to(model.tree, node.number), text, question.column, at, levels)
    return Changed(whole.tree, edit, whole.tests)


def _nobody(root: Piece, child: int, model: TreeModel) -> Piece:
    """Return the leaf of a branch that no row takes: it answers as the node above it."""
    means = root.tree.responses[:1] * [1.0, 0.0] if model.is_regression else None
    leaf = one_leaf(np.zeros_like(root.tree.counts[child : child + 1]), means)
    return Piece(leaf, {name: np.zeros(1, values.dtype) for name, values in root.tests.items()})


def _scaled(every: Training) -> tuple[Training, int]:
    """Return the rows with numbers to learn that can be squared, and the power of two they were divided by."""
    if not len(every.response):
        return every, 0
    response, power = scaled_response(every.response)
    return replace(every, response=response), power


def _rows_of_branches(model: TreeModel, root: Tree, here: Training) -> list[Training]:
    """Return the rows of each branch; one whose value is missing comes in parts, or where the split sends it."""
    branch = branch_of(root, model.schema, 0, lambda feature: cells_of(here, feature))
    part, parts = shares(root), []
    for side in range(int(root.branches[0])):
        weights = np.where(branch == side, 1.0, np.where(branch < 0, part[1 + side], 0.0))
        taken = np.flatnonzero(weights > 0)
        mine = here.take(taken)
        own = mine.row_weights * weights[taken]
        values = np.ascontiguousarray(mine.values)
        parts.append(replace(mine, values=values, weights=np.zeros(0) if np.all(own == 1.0) else own))
    return parts


def _refuse_other_rows(here: Training, node: Node) -> None:
    """Raise unless the rows that come to the node are those that it was grown from."""
    counts = np.bincount(here.target, here.row_weights, minlength=here.classes)
    if not np.allclose(counts, node.counts, rtol=1e-6, atol=1e-6):
        stored, come = rows_text(node.weight), rows_text(float(counts.sum()))
        raise CrakeError(
            f"node {node.number} holds {stored}, and {come} of those given come to it; "
            "expected the table that the model was fitted on, with the same weights"
        )


def _own_counts(tree: Tree, before: Tree, node: int) -> Tree:
    """Return the tree whose edited node has the sums of before: the same rows, added in another order, may differ."""
    counts = tree.counts.copy()
    counts[node] = before.counts[node]
    if not len(tree.responses):
        return replace(tree, counts=counts)
    responses = tree.responses.copy()
    responses[node] = before.responses[node]
    return replace(tree, counts=counts, responses=responses)


def _cut_below(tree: Tree, is_leaf: NDArray[np.bool_]) -> Tree:
    return replace(tree, branches=np.where(is_leaf, 0, tree.branches))


def _leaves(tree: Tree) -> int:
    return int(np.count_nonzero(tree.kind == LEAF))


def _leaves_below(tree: Tree, node: int) -> int:
    """Return the leaves at and below a node."""
    inside = np.zeros(len(tree), bool)
    inside[node] = True
    for below in range(node + 1, len(tree)):
        inside[below] = inside[tree.parent_of(below)]
    return int(np.count_nonzero(inside & (tree.kind == LEAF)))


def _called(node: Node) -> str:
    path = " and ".join(str(condition) for condition in node.path)
    return f"node {node.number} ({shown(path, LONGEST_PATH)})" if path else f"node {node.number} (the root)"


def _asked(node: Node) -> str:
    return _split_words(node.model.shown, node.model, node.number)


def _split_words(tree: Tree, model: TreeModel, node: int) -> str:
    """Write age <= 30; outlook, where each value has a branch."""
    name = shown(model.schema.features[tree.feature[node]].name, LONGEST_NAME)
    if tree.kind[node] == MULTIWAY:
        return name
    return shown(f"{name} {split_text(tree, model.schema, node)}", LONGEST_SPLIT)
