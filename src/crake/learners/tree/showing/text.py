"""A tree as text: one line per branch, indented by depth, with the rows and errors of each leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import condition_to
from crake.learners.tree.number_text import prediction_text, weight_text
from crake.learners.tree.tree import Tree
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.table.schema import Schema

LONGEST = 400
"""Lines printed before the rest is only counted."""


def tree_text(
    tree: Tree,
    schema: Schema,
    longest: int | None = LONGEST,
    notes: Sequence[str] | None = None,
    leaf: Callable[[int], str] | None = None,
) -> str:
    """`outlook = sunny`, below it `|   humidity = high: no (3)`: three rows, none wrong; (12/1): one of 12 wrong.

    `notes`, one per node, are written beside the nodes that split. `leaf` writes a leaf in another way.
    """
    # A deep tree has long lines: only those that are shown are written.
    lines = list(islice(_lines(tree, schema, notes, leaf or (lambda node: leaf_text(tree, schema, node))), longest))
    rest = max(len(tree) - 1 + bool(notes), 1) - len(lines)
    if rest > 0:
        lines.append(f"… {counted(rest, 'more line')}")
    return "\n".join([*lines, "", size_text(int(np.sum(tree.kind == LEAF)), len(tree))])


def size_text(leaves: int, nodes: int) -> str:
    """Write how large a tree is.

    >>> size_text(5, 8), size_text(1, 1)
    ('5 leaves, 8 nodes', '1 leaf, 1 node')
    """
    return f"{counted(leaves, 'leaf', 'leaves')}, {counted(nodes, 'node')}"


def _lines(tree: Tree, schema: Schema, notes: Sequence[str] | None, leaf: Callable[[int], str]) -> Iterator[str]:
    if tree.kind[0] == LEAF:
        yield f": {leaf(0)}"
        return
    if notes:
        yield notes[0]
    stack = [(child, 0) for child in reversed(tree.children(0))]
    while stack:
        node, depth = stack.pop()
        question = f"{'|   ' * depth}{condition_to(tree, schema, node).line}"
        if tree.kind[node] == LEAF:
            yield f"{question}: {leaf(node)}"
        else:
            yield f"{question} {notes[node]}" if notes else question
            stack.extend((child, depth + 1) for child in reversed(tree.children(node)))


def leaf_text(tree: Tree, schema: Schema, node: int) -> str:
    """Write what a leaf predicts (rows/errors): yes (12/1); no (0) where no row came, as the node above would.

    A leaf of a regression tree predicts its mean: 2.75 (4).
    """
    counts = tree.counts[node]
    if len(tree.responses):
        return f"{prediction_text(float(tree.responses[node, 0]))} ({weight_text(counts.sum())})"
    if counts.sum() <= 1e-6 and node > 0:
        return f"{visible(schema.classes[_majority(tree.counts[tree.parent_of(node)])])} (0)"
    best = _majority(counts)
    errors = counts.sum() - counts[best]
    wrong = f"/{weight_text(errors)}" if errors > 1e-6 else ""
    return f"{visible(schema.classes[best])} ({weight_text(counts.sum())}{wrong})"


def _majority(counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """The first of the heaviest classes; a later one must be heavier by more than a millionth."""
    best = 0
    for k in range(1, len(counts)):
        if counts[k] > counts[best] + 1e-6:
            best = k
    return best
