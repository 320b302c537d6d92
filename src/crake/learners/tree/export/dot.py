"""A tree for Graphviz: `dot -Tsvg tree.dot`."""

from __future__ import annotations

from crake.learners.tree.showing.text import counted
from crake.learners.tree.showing.visible_nodes import Drawn, drawn
from crake.learners.tree.tree import Tree
from crake.table.schema import Schema


def to_dot(tree: Tree, schema: Schema, max_depth: int | None = None) -> str:
    """A digraph: ellipses ask, boxes answer (rows/errors)."""
    lines = ["digraph tree {", '  node [fontname="sans-serif"];', '  edge [fontname="sans-serif"];']
    for each in drawn(tree, schema, max_depth):
        lines.append(f"  n{each.node} [{_attributes(each)}];")
        if each.above >= 0:
            lines.append(f"  n{each.above} -> n{each.node} [label={_quoted(each.edge)}];")
    return "\n".join([*lines, "}", ""])


def _attributes(each: Drawn) -> str:
    hidden = f" … {counted(each.hidden, 'more node')}" if each.hidden else ""
    shape = "box, style=filled, fillcolor=gray95" if each.is_leaf else "ellipse"
    return f'label={_quoted(each.label + hidden)}, shape={shape}, tooltip="node {each.node}"'


def _quoted(text: str) -> str:
    r"""A string of the DOT language.

    >>> print(_quoted('say "a\\b"'))
    "say \"a\\b\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
