"""A tree to unfold in a notebook: nested <details>, everything from the table escaped."""

from __future__ import annotations

from html import escape

from crake.learners.tree.showing.visible_nodes import Drawn, drawn
from crake.learners.tree.tree import Tree
from crake.table.schema import Schema

DEEPEST, MOST = 15, 500
"""Deeper questions, and what comes after so many nodes, are only counted."""
OPEN = 3
"""Questions that are unfolded at first."""


def to_html(tree: Tree, schema: Schema, title: str) -> str:
    """One line a node; a question unfolds its branches."""
    nodes = drawn(tree, schema, DEEPEST, MOST)
    parts: list[str] = []
    open_depths: list[int] = []
    for each in nodes:
        while open_depths and open_depths[-1] >= each.depth:
            open_depths.pop()
            parts.append("</div></details>")
        parts.append(_line(each))
        if not each.is_leaf and not each.hidden:
            open_depths.append(each.depth)
    parts.append("</div></details>" * len(open_depths))
    return f'<div style="font-family:monospace"><div>{escape(title)}</div>{"".join(parts)}</div>'


def _line(each: Drawn) -> str:
    edge = f"{escape(each.edge)}: " if each.edge else ""
    if each.is_leaf:
        return f'<div title="node {each.node}">{edge}<b>{escape(each.label)}</b></div>'
    asked = f"{edge}{escape(each.label)}?"
    if each.hidden:
        return f'<div title="node {each.node}">{asked} … {each.hidden} more nodes</div>'
    unfolded = " open" if each.depth < OPEN else ""
    summary = f'<summary title="node {each.node}">{asked}</summary>'
    return f'<details{unfolded}>{summary}<div style="margin-left:1.5em">'
