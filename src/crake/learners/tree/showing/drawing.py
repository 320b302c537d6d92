"""A fitted tree as a picture: which nodes are drawn, and what stands in their boxes and on their edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from crake.arrays import Longs
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import condition_of
from crake.learners.tree.number_text import prediction_text, weight_text
from crake.learners.tree.showing.text import size_text
from crake.learners.tree.tree import Tree
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.style import SERIES
from crake.render.drawing.tree import TreeNode, TreePicture, tree_drawing
from crake.render.drawing.tree_view import TreeView
from crake.render.format_numbers import amount, percent
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.table.schema import Label, Schema

ROOMY = 61
"""Boxes that are drawn unless another depth is asked for."""
MOST_BRANCHES = 30
"""Branches of one question; of more the heaviest are drawn."""
DIRECTIONS = ("down", "right")


def draw_tree(
    tree: Tree,
    schema: Schema,
    answers: Sequence[Label],
    name: str,
    *,
    depth: int | None = None,
    direction: str | None = None,
    title: str | None = None,
    leaf: Callable[[int], str] | None = None,
    view: TreeView | None = None,
) -> Drawing:
    """Draw the nodes down to a depth; what lies below is counted. None: as deep as about sixty boxes go.

    The title is that of a decision tree of the target, if none is given. `leaf` names the model of a leaf that is more
    than one answer. `view` begins at another node, closes and opens nodes, marks a way and makes boxes links.
    """
    view = view or TreeView()
    if depth is not None and depth < 0:
        raise CrakeError(f"depth={depth}; expected 0 or more questions to draw, or None for about {ROOMY} boxes")
    if direction is not None and direction not in DIRECTIONS:
        raise CrakeError(f"direction={direction!r}; expected 'down', 'right' or None")
    opened = _roomy(tree, view.root) if depth is None else depth
    order = _in_reading_order(tree, opened, view)
    place = {boxed[0]: at for at, boxed in enumerate(order) if len(boxed) == 1}
    leaves = _leaves_below(tree)
    nodes = tuple(
        _node(tree, schema, answers, boxed[0], place, leaves) if len(boxed) == 1 else _rest(tree, boxed, place, leaves)
        for boxed in order
    )
    nodes = tuple(
        _linked(tree, drawn, boxed[0], view) if len(boxed) == 1 else drawn
        for boxed, drawn in zip(order, nodes, strict=True)
    )
    if leaf is not None:
        nodes = tuple(
            replace(drawn, label=leaf(boxed[0]), detail=_rows(drawn.rows), style=-1) if drawn.is_leaf else drawn
            for boxed, drawn in zip(order, nodes, strict=True)
        )
    picture = TreePicture(
        title or f"Decision tree of {shown(schema.target or 'target', 60)}",
        f"{' '.join(name.split())}, {size_text(int(leaves[0]), len(tree))}",
        _finding(tree, schema, answers, len(place), leaf),
        nodes,
        () if len(tree.responses) else tuple(str(label) for label in schema.classes),
        _between(tree),
    )
    return tree_drawing(picture, direction)


def _roomy(tree: Tree, root: int) -> int:
    """Return the greatest depth below a node with no more than ROOMY nodes, at least one question."""
    inside = np.zeros(len(tree), bool)
    inside[root] = True
    for begin, end in tree.levels()[1:]:
        inside[begin:end] |= inside[tree.parent[begin:end]]
    up_to = np.cumsum(np.bincount(tree.depth[inside] - tree.depth[root]))
    return max(1, int(np.searchsorted(up_to, ROOMY, side="right")) - 1)


def _linked(tree: Tree, drawn: TreeNode, node: int, view: TreeView) -> TreeNode:
    """Return a box as it is looked at: marked, and with the addresses behind it."""
    is_leaf = bool(tree.kind[node] == LEAF)
    is_open = not is_leaf and not drawn.hidden
    return replace(
        drawn,
        link=view.link(node) if view.link is not None else "",
        toggle=view.toggle(node, is_open) if view.toggle is not None and not is_leaf else "",
        is_open=is_open,
        is_marked=node in view.marked,
        is_selected=node == view.selected,
    )


Boxed = tuple[int, ...]
"""The nodes that a box stands for: one, or the lightest branches of a question that has too many."""


def _in_reading_order(tree: Tree, opened: int, view: TreeView) -> list[Boxed]:
    order: list[Boxed] = []
    waiting: list[tuple[Boxed, int]] = [((view.root,), 0)]
    while waiting:
        boxed, depth = waiting.pop()
        order.append(boxed)
        is_inner = len(boxed) == 1 and tree.kind[boxed[0]] != LEAF
        if is_inner and view.is_open(boxed[0], by_depth=depth < opened):
            waiting.extend((below, depth + 1) for below in reversed(_branches(tree, boxed[0])))
    return order


def _branches(tree: Tree, node: int) -> list[Boxed]:
    """Return the branches in their order; of many the heaviest, and at the end all others together."""
    children = tree.children(node)
    if len(children) <= MOST_BRANCHES:
        return [(child,) for child in children]
    lightest_last = np.argsort(-tree.counts[children.start : children.stop].sum(axis=1), kind="stable")
    kept = np.sort(lightest_last[: MOST_BRANCHES - 1])
    rest = np.sort(lightest_last[MOST_BRANCHES - 1 :])
    return [*((children[at],) for at in kept), tuple(children[at] for at in rest)]


def _leaves_below(tree: Tree) -> Longs:
    """Return how many leaves each node has below it; a leaf counts as one."""
    leaves: Longs = (tree.kind == LEAF).astype(np.int64)
    for node in range(len(tree) - 1, 0, -1):
        leaves[tree.parent[node]] += leaves[node]
    return leaves


def _node(
    tree: Tree,
    schema: Schema,
    answers: Sequence[Label],
    node: int,
    place: dict[int, int],
    leaves: Longs,
) -> TreeNode:
    above = int(tree.parent[node]) if int(tree.parent[node]) in place else -1
    is_leaf = bool(tree.kind[node] == LEAF)
    is_cut = not is_leaf and not any(child in place for child in tree.children(node))
    weight = float(tree.counts[node].sum())
    rows, answer = _rows(weight), prediction_text(answers[node])
    label = answer if is_leaf else f"{shown(schema.features[tree.feature[node]].name, 200)}?"
    hidden = int(leaves[node]) if is_cut else 0
    counts = tree.counts[node]
    is_mean = bool(len(tree.responses))
    edge = "" if above < 0 else edge_text(tree, schema, above, node - int(tree.first[above]))
    more = f"… {counted(hidden, 'more leaf', 'more leaves')} below"
    detail = more if hidden else _detail(tree, node, rows, answer, is_leaf=is_leaf)
    lines = [f"node {node}", label, rows, *_composition(tree, schema, node)]
    return TreeNode(
        place[above] if above >= 0 else -1,
        edge,
        label,
        detail,
        weight,
        () if is_mean else tuple((counts / weight if weight > 0 else counts).tolist()),
        is_leaf,
        hidden,
        -1 if is_mean else schema.classes.index(answers[node]),
        float(tree.responses[node, 0]) if is_mean else None,
        float(np.sqrt(tree.responses[node, 1] / weight)) if is_mean and weight > 0 else 0.0,
        " · ".join(lines),
    )


def _rest(tree: Tree, nodes: Boxed, place: dict[int, int], leaves: Longs) -> TreeNode:
    """Return one box for all branches that have none of their own."""
    counts = tree.counts[list(nodes)]
    weight = float(counts.sum())
    is_mean = bool(len(tree.responses))
    shares = counts.sum(axis=0) / (weight or 1.0)
    mean = float(counts.sum(axis=1) @ tree.responses[list(nodes), 0] / (weight or 1.0)) if is_mean else None
    return TreeNode(
        place[int(tree.parent[nodes[0]])],
        "other values",
        f"… {counted(len(nodes), 'more branch', 'more branches')}",
        _rows(weight),
        weight,
        () if is_mean else tuple(shares.tolist()),
        hidden=int(leaves[list(nodes)].sum()),
        mean=mean,
    )


def _rows(weight: float) -> str:
    written = weight_text(weight)
    return f"{written} row" if written == "1" else f"{written} rows"


def _detail(tree: Tree, node: int, rows: str, answer: str, *, is_leaf: bool) -> str:
    """Write rows and errors of a leaf; of another node rows alone: its bar says the rest, but for many classes."""
    if len(tree.responses):
        return rows if is_leaf else f"{rows}, mean {amount(float(tree.responses[node, 0]))}"
    wrong = float(tree.counts[node].sum() - tree.counts[node].max())
    if is_leaf:
        return f"{rows}, {weight_text(wrong)} wrong" if wrong > 1e-6 else rows
    share = float(tree.counts[node].max() / max(float(tree.counts[node].sum()), 1e-300))
    return f"{rows}, {percent(share)} {shown(answer, 16)}" if len(tree.counts[node]) > SERIES else rows


def _composition(tree: Tree, schema: Schema, node: int) -> list[str]:
    if len(tree.responses):
        return [f"mean {tree.responses[node, 0]:.6g}"]
    counts = tree.counts[node]
    most = np.argsort(-counts, kind="stable")[:6]
    return [f"{schema.classes[k]} {weight_text(counts[k])}" for k in most if counts[k] > 0]


def edge_text(tree: Tree, schema: Schema, node: int, branch: int) -> str:
    """Write the condition of a branch on its edge: sunny, ≤ 30; red, blue."""
    condition = condition_of(tree, schema, node, branch)
    if condition.codes is None:
        return condition.bare.replace("<=", "≤")
    text = condition.bare
    if text.startswith("in {"):
        return text.removeprefix("in {").replace("} or missing", " or missing").removesuffix("}")
    return f"not {text[3:]}" if text.startswith("!= ") else text.removeprefix("= ")


def _between(tree: Tree) -> tuple[float, float]:
    if not len(tree.responses):
        return 0.0, 1.0
    return float(tree.responses[:, 0].min()), float(tree.responses[:, 0].max())


def _finding(
    tree: Tree, schema: Schema, answers: Sequence[Label], count: int, leaf: Callable[[int], str] | None
) -> str:
    size = size_text(int(np.sum(tree.kind == LEAF)), len(tree))
    if tree.kind[0] == LEAF:
        always = f"always answers {prediction_text(answers[0])}" if leaf is None else f"is one model, {leaf(0)}"
        return f"The tree asks nothing: it {always}."
    first = schema.features[tree.feature[0]].name
    parts = [f"{size}, at most {counted(int(tree.depth.max()), 'question')} deep; the first question is {first}."]
    weight = np.where(tree.kind == LEAF, tree.weight, -1.0)
    heaviest = int(np.argmax(weight))
    share = float(weight[heaviest]) / max(float(tree.counts[0].sum()), 1e-300)
    part = f"{100 * share:.0f} %" if share >= 0.01 else percent(share)
    answer = f"answers {prediction_text(answers[heaviest])}" if leaf is None else f"is {leaf(heaviest)}"
    parts.append(f"The largest leaf holds {part} of the rows and {answer}.")
    if count < len(tree):
        parts.append(f"{count} of {len(tree)} nodes are drawn.")
    return " ".join(parts)
