"""Trees in the markup of other programs: Graphviz, Mermaid, and HTML to unfold in a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from crake.arrays import Longs
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import condition_to
from crake.learners.tree.showing.text import leaf_text
from crake.learners.tree.tree import Tree
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.table.schema import Schema

DEEPEST, MOST = 15, 500
"""The depth and the number of nodes beyond which a notebook only counts nodes."""
OPEN = 3
"""Depth that is unfolded at first."""
LABEL = 80
"""Characters of a label; longer ones lose their middle."""


@dataclass(frozen=True)
class ListedNode:
    """A node: the one above (−1: none), the condition that leads to it, its label, how many below are hidden."""

    node: int
    above: int
    depth: int
    edge: str
    label: str
    is_leaf: bool
    hidden: int = 0


def listed_nodes(tree: Tree, schema: Schema, max_depth: int | None = None, most: int | None = None) -> list[ListedNode]:
    """List the nodes in the order of the printed tree; an inner node at `max_depth` says how many lie below it.

    After `most` nodes inner ones hide what is below them as well.
    """
    if max_depth is not None and max_depth < 0:
        raise CrakeError(f"max_depth={max_depth}; expected 0 or more splits to draw, or None for all")
    below = _below(tree) if max_depth is not None or most is not None else None
    nodes: list[ListedNode] = []
    waiting = [(0, -1, 0)]
    while waiting:
        node, above, depth = waiting.pop()
        is_leaf = bool(tree.kind[node] == LEAF)
        is_cut = not is_leaf and (depth == max_depth or (most is not None and len(nodes) >= most))
        nodes.append(
            ListedNode(
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
    """Return how many nodes lie below each."""
    below, parent = np.zeros(len(tree), np.int64), tree.parent
    for node in range(len(tree) - 1, 0, -1):
        below[parent[node]] += 1 + below[node]
    return below


def to_dot(tree: Tree, schema: Schema, max_depth: int | None = None) -> str:
    """Return a digraph for `dot -Tsvg tree.dot`: ellipses split, boxes predict (rows/errors)."""
    lines = ["digraph tree {", '  node [fontname="sans-serif"];', '  edge [fontname="sans-serif"];']
    for each in listed_nodes(tree, schema, max_depth):
        lines.append(f"  n{each.node} [{_dot_attributes(each)}];")
        if each.above >= 0:
            lines.append(f"  n{each.above} -> n{each.node} [label={_dot_quoted(each.edge)}];")
    return "\n".join([*lines, "}", ""])


def _dot_attributes(each: ListedNode) -> str:
    hidden = f" … {counted(each.hidden, 'more node')}" if each.hidden else ""
    shape = "box, style=filled, fillcolor=gray95" if each.is_leaf else "ellipse"
    return f'label={_dot_quoted(each.label + hidden)}, shape={shape}, tooltip="node {each.node}"'


def _dot_quoted(text: str) -> str:
    r"""Quote a string of the DOT language.

    >>> print(_dot_quoted('say "a\\b"'))
    "say \"a\\b\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def to_mermaid(tree: Tree, schema: Schema, max_depth: int | None = None) -> str:
    """Return a flowchart: rounded boxes split, boxes predict (rows/errors)."""
    lines = ["flowchart TD"]
    for each in listed_nodes(tree, schema, max_depth):
        hidden = f" … {counted(each.hidden, 'more node')}" if each.hidden else ""
        label = f'"{_mermaid_escaped(each.label + hidden)}"'
        lines.append(f"  n{each.node}[{label}]" if each.is_leaf else f"  n{each.node}([{label}])")
        if each.above >= 0:
            lines.append(f'  n{each.above} -->|"{_mermaid_escaped(each.edge)}"| n{each.node}')
    return "\n".join([*lines, ""])


def _mermaid_escaped(text: str) -> str:
    """Write letters, digits and harmless signs as they are, anything else by its number, as Mermaid wants it.

    >>> _mermaid_escaped('<= 30 "x"')
    '#60;= 30 #34;x#34;'
    """
    return "".join(c if c.isalnum() or c in " .,=_-+…" else f"#{ord(c)};" for c in text)


def to_html(tree: Tree, schema: Schema, title: str) -> str:
    """Return nested <details>, one line per node; a split unfolds its branches. Text of the table is escaped."""
    nodes = listed_nodes(tree, schema, DEEPEST, MOST)
    parts: list[str] = []
    open_depths: list[int] = []
    for each in nodes:
        while open_depths and open_depths[-1] >= each.depth:
            open_depths.pop()
            parts.append("</div></details>")
        parts.append(_html_line(each))
        if not each.is_leaf and not each.hidden:
            open_depths.append(each.depth)
    parts.append("</div></details>" * len(open_depths))
    return f'<div style="font-family:monospace"><div>{escape(title)}</div>{"".join(parts)}</div>'


def _html_line(each: ListedNode) -> str:
    edge = f"{escape(each.edge)}: " if each.edge else ""
    if each.is_leaf:
        return f'<div title="node {each.node}">{edge}<b>{escape(each.label)}</b></div>'
    question = f"{edge}{escape(each.label)}?"
    if each.hidden:
        more = counted(each.hidden, "more node")
        return f'<div title="node {each.node}">{question} … {more}</div>'
    unfolded = " open" if each.depth < OPEN else ""
    summary = f'<summary title="node {each.node}">{question}</summary>'
    return f'<details{unfolded}>{summary}<div style="margin-left:1.5em">'
