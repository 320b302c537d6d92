"""What of a tree is drawn: its nodes from the root on, with labels, down to a depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Longs
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import condition_to
from crake.learners.tree.showing.text import leaf_text
from crake.learners.tree.tree import Tree
from crake.render.plain_text import shown
from crake.table.schema import Schema

LABEL = 80
"""Characters of a label; longer ones lose their middle."""


@dataclass(frozen=True)
class Drawn:
    """A node: the one above (−1: none), the condition that leads to it, its label, how many below are hidden."""

    node: int
    above: int
    depth: int
    edge: str
    label: str
    is_leaf: bool
    hidden: int = 0


def drawn(tree: Tree, schema: Schema, max_depth: int | None = None, most: int | None = None) -> list[Drawn]:
    """The nodes in the order of the printed tree; an inner node at `max_depth` says how many lie below it.

    After `most` nodes inner ones hide what is below them as well.
    """
    if max_depth is not None and max_depth < 0:
        raise CrakeError(f"max_depth={max_depth}; expected 0 or more questions to draw, or None for all")
    below = _below(tree) if max_depth is not None or most is not None else None
    nodes: list[Drawn] = []
    waiting = [(0, -1, 0)]
    while waiting:
        node, above, depth = waiting.pop()
        is_leaf = bool(tree.kind[node] == LEAF)
        is_cut = not is_leaf and (depth == max_depth or (most is not None and len(nodes) >= most))
        nodes.append(
            Drawn(
                node,
                above,
                depth,
                "" if above < 0 else shown(condition_to(tree, schema, node).bare, LABEL),
                leaf_text(tree, schema, node) if is_leaf else shown(schema.features[tree.feature[node]].name, LABEL),
                is_leaf,
                int(below[node]) if is_cut and below is not None else 0,
            )
        )
        if not is_leaf and not is_cut:
            waiting.extend((child, node, depth + 1) for child in reversed(tree.children(node)))
    return nodes


def _below(tree: Tree) -> Longs:
    """How many nodes lie below each."""
    below, parent = np.zeros(len(tree), np.int64), tree.parent
    for node in range(len(tree) - 1, 0, -1):
        below[parent[node]] += 1 + below[node]
    return below
