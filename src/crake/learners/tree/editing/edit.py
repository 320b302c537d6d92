"""A change made to a tree by hand, as a model keeps it: which node, what was done there, and the words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.tree import Tree
from crake.table.schema import Label

HEADING = "Edited by hand:"


@dataclass(frozen=True)
class Edit:
    """A node that was made a leaf (`column` is None), or was given a split of `column`.

    `node` is the number that it had in the tree before. `branches` are the branches that lead to it from the root; None
    once the tree was pruned as a whole, and places may have moved. Numbers up to `at`, or the values `levels`, go into
    the first branch; without either the learner chose how to split the column. `text` says it in words.
    """

    node: int
    branches: tuple[int, ...] | None
    text: str
    column: str | None = None
    at: float | None = None
    levels: tuple[Label, ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Return True if the node was made a leaf."""
        return self.column is None

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return the edit for JSON."""
        levels = [str(level) for level in self.levels] or None
        kind = "leaf" if self.is_leaf else "split"
        return {
            "kind": kind, "node": self.node, "column": self.column, "at": self.at, "levels": levels, "text": self.text,
        }  # fmt: skip


def edited_nodes(tree: Tree, edits: Sequence[Edit]) -> dict[int, Edit]:
    """Return the edits that still show in the tree, by the number that their node has now.

    An edit above another one, made later, leaves nothing of it.
    """
    nodes: dict[int, Edit] = {}
    for place, edit in enumerate(edits):
        if edit.branches is None or any(_covers(later, edit.branches) for later in edits[place + 1 :]):
            continue
        node = _node_at(tree, edit.branches)
        if node >= 0 and bool(tree.kind[node] == LEAF) == edit.is_leaf:
            nodes[node] = edit
    return nodes


def without_places(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits of a tree that was pruned since: nobody knows where their nodes are."""
    return tuple(replace(edit, branches=None) for edit in edits)


def branches_to(tree: Tree, node: int) -> tuple[int, ...]:
    """Return the branches that lead from the root to a node."""
    steps = []
    while node > 0:
        above = tree.parent_of(node)
        steps.append(node - int(tree.first[above]))
        node = above
    return tuple(reversed(steps))


def edits_text(edits: Sequence[Edit]) -> str:
    """Return the lines below a printed tree; nothing without edits.

    >>> print(edits_text([Edit(3, (0, 1), "node 3 was made a leaf")]))
    Edited by hand:
      1. node 3 was made a leaf
    """
    if not edits:
        return ""
    return "\n".join([HEADING, *(f"  {place}. {edit}" for place, edit in enumerate(edits, 1))])


def edits_note(edits: Sequence[Edit]) -> str:
    """Return the sentence about edits for a picture or a report; nothing without edits.

    >>> edits_note([Edit(3, (0, 1), "node 3 was made a leaf")])
    'Edited by hand: node 3 was made a leaf.'
    """
    return f"{HEADING} {'; '.join(map(str, edits))}." if edits else ""


def _covers(later: Edit, branches: tuple[int, ...]) -> bool:
    return later.branches is not None and branches[: len(later.branches)] == later.branches


def _node_at(tree: Tree, branches: tuple[int, ...]) -> int:
    node = 0
    for branch in branches:
        if branch >= tree.branches[node]:
            return -1
        node = int(tree.first[node]) + branch
    return node
