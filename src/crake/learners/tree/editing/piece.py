"""Trees put in the place of nodes of another tree, with whatever a learner keeps for each node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.tree import Surrogates, Tree, reached_nodes, renumbered

OF_NODE = ("kind", "feature", "threshold", "value", "first", "branches", "counts", "missing", "responses")


@dataclass(frozen=True, eq=False)
class Piece:
    """A tree, and arrays with one entry for each of its nodes, such as the tests of CHAID's splits."""

    tree: Tree
    tests: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def with_piece(self, node: int, piece: Piece) -> Piece:
        """Return the tree whose node is the root of the piece; the nodes that are kept have the numbers of before.

        What was below the node is reached by none.
        """
        offset = len(self.tree)
        moved = _with_shares_as(self.tree, piece.tree)
        moved = replace(moved, first=np.where(moved.first >= 0, moved.first + offset, moved.first))
        joined = Tree.joined([self.tree, moved])
        arrays = {name: _taken(getattr(joined, name), node, offset) for name in OF_NODE}
        tests = {
            name: _taken(np.concatenate([values, piece.tests[name]]), node, offset)
            for name, values in self.tests.items()
        }
        return Piece(replace(joined, **arrays, surrogates=_of_root(joined.surrogates, node, offset)), tests)

    def in_order(self) -> Piece:
        """Return only the nodes that the root reaches, numbered level by level."""
        kept = reached_nodes(self.tree)
        return Piece(renumbered(self.tree), {name: values[kept] for name, values in self.tests.items()})


def _taken(values: NDArray[Any], node: int, source: int) -> NDArray[Any]:
    """Return the values, those of a node taken from another one; nothing of nothing."""
    if not len(values):
        return values
    changed = values.copy()
    changed[node] = changed[source]
    return changed


def _with_shares_as(tree: Tree, piece: Tree) -> Tree:
    """Return the piece with shares of its own where the tree has them, and without where it has none."""
    if bool(len(tree.share)) == bool(len(piece.share)):
        return piece
    return replace(piece, share=shares(piece) if len(tree.share) else np.zeros(0))


def _of_root(surrogates: Surrogates, node: int, root: int) -> Surrogates:
    """Return the surrogates, those of the node being the root's."""
    if not len(surrogates):
        return surrogates
    kept = np.flatnonzero(surrogates.node != node)
    own = {name: getattr(surrogates, name)[kept] for name in Surrogates.__dataclass_fields__}
    return Surrogates(**{**own, "node": np.where(own["node"] == root, node, own["node"])})
