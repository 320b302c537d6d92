"""A tree for Mermaid, which Markdown viewers draw."""

from __future__ import annotations

from crake.learners.tree.showing.text import counted
from crake.learners.tree.showing.visible_nodes import drawn
from crake.learners.tree.tree import Tree
from crake.table.schema import Schema


def to_mermaid(tree: Tree, schema: Schema, max_depth: int | None = None) -> str:
    """A flowchart: rounded boxes ask, boxes answer (rows/errors)."""
    lines = ["flowchart TD"]
    for each in drawn(tree, schema, max_depth):
        hidden = f" … {counted(each.hidden, 'more node')}" if each.hidden else ""
        label = f'"{_escaped(each.label + hidden)}"'
        lines.append(f"  n{each.node}[{label}]" if each.is_leaf else f"  n{each.node}([{label}])")
        if each.above >= 0:
            lines.append(f'  n{each.above} -->|"{_escaped(each.edge)}"| n{each.node}')
    return "\n".join([*lines, ""])


def _escaped(text: str) -> str:
    """Letters, digits and harmless signs as they are, anything else by its number, as Mermaid wants it.

    >>> _escaped('<= 30 "x"')
    '#60;= 30 #34;x#34;'
    """
    return "".join(c if c.isalnum() or c in " .,=_-+…" else f"#{ord(c)};" for c in text)
