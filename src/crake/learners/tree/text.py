"""A tree as text: one line a branch, indented by depth, with the rows and errors of each leaf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from crake.kernels.partition import INTERVALS, LEAF, MULTIWAY, SUBSET, THRESHOLD
from crake.learners.tree.nodes import Tree
from crake.render.plain_text import visible
from crake.table.schema import Label, Schema

LONGEST = 400
"""Lines printed before the rest is only counted."""
MOST_LEVELS = 50
"""Levels of a set that are named before the rest is only counted."""


def tree_text(tree: Tree, schema: Schema, longest: int | None = LONGEST, notes: Sequence[str] | None = None) -> str:
    """`outlook = sunny`, below it `|   humidity = high: no (3)`: three rows, none wrong; (12/1): one of 12 wrong.

    `notes`, one a node, are written beside the nodes that split.
    """
    # A deep tree has long lines: only those that are shown are written.
    lines = list(islice(_lines(tree, schema, notes), longest))
    rest = max(len(tree) - 1 + bool(notes), 1) - len(lines)
    if rest > 0:
        lines.append(f"… {counted(rest, 'more line')}")
    return "\n".join([*lines, "", size_text(int(np.sum(tree.kind == LEAF)), len(tree))])


def size_text(leaves: int, nodes: int) -> str:
    """How large a tree is.

    >>> size_text(5, 8), size_text(1, 1)
    ('5 leaves, 8 nodes', '1 leaf, 1 node')
    """
    return f"{counted(leaves, 'leaf', 'leaves')}, {counted(nodes, 'node')}"


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things, in the singular where there is one.

    >>> counted(1, "row"), counted(3, "leaf", "leaves")
    ('1 row', '3 leaves')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"


def _lines(tree: Tree, schema: Schema, notes: Sequence[str] | None) -> Iterator[str]:
    if tree.kind[0] == LEAF:
        yield f": {leaf_text(tree, schema, 0)}"
        return
    if notes:
        yield notes[0]
    stack = [(child, 0) for child in reversed(tree.children(0))]
    parent = tree.parent
    while stack:
        node, depth = stack.pop()
        above = int(parent[node])
        question = f"{'|   ' * depth}{visible(condition(tree, schema, above, node - int(tree.first[above])))}"
        if tree.kind[node] == LEAF:
            yield f"{question}: {leaf_text(tree, schema, node)}"
        else:
            yield f"{question} {notes[node]}" if notes else question
            stack.extend((child, depth + 1) for child in reversed(tree.children(node)))


def condition(tree: Tree, schema: Schema, node: int, branch: int) -> str:
    """What a row must satisfy to take this branch: age <= 30, outlook = sunny, colour in {red, blue}."""
    known = _known_condition(tree, schema, node, branch)
    if tree.missing[node] != branch:
        return known
    return f"{known} or missing" if known else f"{schema.features[tree.feature[node]].name} missing"


def _known_condition(tree: Tree, schema: Schema, node: int, branch: int) -> str:
    """The condition on a known value; empty where only missing values take the branch."""
    column = schema.features[tree.feature[node]]
    kind = tree.kind[node]
    if kind == INTERVALS:
        return _interval(tree, column.name, node, branch)
    if kind == SUBSET:
        group = tree.groups[tree.value[node] :][: len(column.levels)]
        levels = [str(column.levels[v]) for v in np.flatnonzero(group == branch)]
        return _one_of(column.name, levels)
    if branch >= (len(column.levels) if kind == MULTIWAY else 2):
        return ""
    if kind == THRESHOLD:
        return f"{column.name} {'<=' if branch == 0 else '>'} {threshold_text(float(tree.threshold[node]))}"
    if kind == MULTIWAY:
        return f"{column.name} = {column.levels[branch]}"
    return f"{column.name} {'=' if branch == 0 else '!='} {column.levels[tree.value[node]]}"


def _one_of(name: str, levels: list[str]) -> str:
    if len(levels) == 1:
        return f"{name} = {levels[0]}"
    shown = (
        levels
        if len(levels) <= MOST_LEVELS
        else [*levels[: MOST_LEVELS - 1], f"… {len(levels) + 1 - MOST_LEVELS} more"]
    )
    return f"{name} in {{{', '.join(shown)}}}" if levels else ""


def _interval(tree: Tree, name: str, node: int, branch: int) -> str:
    """As in: age <= 30, 30 < age <= 40, age > 40."""
    cuts = [-np.inf, *tree.cuts[tree.value[node] :][: tree.branches[node] - 1], np.inf]
    low, high = float(cuts[branch]), float(cuts[branch + 1])
    if low == np.inf:
        return ""
    if high == np.inf:
        return f"{name} > {threshold_text(low)}"
    above = f"{threshold_text(low)} < " if low > -np.inf else ""
    return f"{above}{name} <= {threshold_text(high)}"


def threshold_text(threshold: float) -> str:
    """At most six decimals, as far as they are needed.

    >>> threshold_text(2.45), threshold_text(30.0), threshold_text(0.1234567)
    ('2.45', '30', '0.123457')
    """
    if abs(threshold) >= 1e15 or 0 < abs(threshold) < 1e-5:
        return repr(threshold)
    return f"{threshold:.6f}".rstrip("0").rstrip(".")


def leaf_text(tree: Tree, schema: Schema, node: int) -> str:
    """What a leaf answers, (rows/errors): yes (12/1); no (0) where no row came, as the node above would answer.

    A leaf of a regression tree answers its mean: 2.75 (4).
    """
    counts = tree.counts[node]
    if len(tree.responses):
        return f"{answer_text(float(tree.responses[node, 0]))} ({weight_text(counts.sum())})"
    if counts.sum() <= 1e-6 and node > 0:
        return f"{visible(schema.classes[_majority(tree.counts[tree.parent_of(node)])])} (0)"
    best = _majority(counts)
    errors = counts.sum() - counts[best]
    wrong = f"/{weight_text(errors)}" if errors > 1e-6 else ""
    return f"{visible(schema.classes[best])} ({weight_text(counts.sum())}{wrong})"


def answer_text(answer: Label) -> str:
    """A class as it is, a mean with six digits.

    >>> answer_text("yes"), answer_text(2 / 3)
    ('yes', '0.666667')
    """
    return f"{answer:.6g}" if isinstance(answer, float) else visible(answer)


def _majority(counts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """The first of the heaviest classes; a later one must be heavier by more than a millionth."""
    best = 0
    for k in range(1, len(counts)):
        if counts[k] > counts[best] + 1e-6:
            best = k
    return best


def weight_text(weight: float) -> str:
    """Two decimals, rounded half up, as far as they are needed.

    >>> weight_text(3.0), weight_text(2.455), weight_text(14.5)
    ('3', '2.46', '14.5')
    """
    return f"{np.floor(weight * 100 + 0.5 + 1e-9) / 100:.2f}".rstrip("0").rstrip(".")
