"""The state of the page of a tree, which is its address: the node, the row, what is open, closed and how large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from crake.app.fitted import FittedModel
from crake.errors import CrakeError
from crake.render.drawing.tree_view import TreeView
from crake.server.exchange import Request

SIZES = (50, 70, 100, 140, 200)
"""Sizes of the drawing, in percent."""
MOST_TOGGLED = 500


@dataclass(frozen=True)
class TreePage:
    """The address of a tree's page, and the nodes that a row goes through (`marked`)."""

    path: str
    model: int
    node: int = 0
    first: int = 0
    row: int | None = None
    start: int = 0
    size: int = 100
    closed: frozenset[int] = frozenset()
    opened: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()

    @classmethod
    def of(cls, request: Request, path: str, fitted: FittedModel) -> TreePage:
        """Read the address; raise for what is no node, row or size."""
        tree, query = fitted.model.tree_, request.query
        page = cls(path, fitted.place)
        most = len(tree) - 1
        row = None if not query.get("row", "") else _number(query, "row", 2**62)
        size = _number(query, "zoom", max(SIZES), 100)
        if size not in SIZES:
            raise CrakeError(f"zoom is {size}; expected one of {', '.join(map(str, SIZES))}")
        return replace(
            page, node=_number(query, "node", most), first=_number(query, "rows", 2**62), row=row,
            start=_number(query, "from", most), size=size,
            closed=_nodes(query, "closed", most), opened=_nodes(query, "opened", most),
        )  # fmt: skip

    def address(self, **changed: Any) -> str:
        """Return the address of the same page with something changed; the node's panel is where one goes to."""
        page = replace(self, **changed)
        state: dict[str, Any] = {"model": page.model, "node": page.node}
        if page.first:
            state["rows"] = page.first
        if page.row is not None:
            state["row"] = page.row
        if page.start:
            state["from"] = page.start
        if page.size != 100:
            state["zoom"] = page.size
        for name, nodes in (("closed", page.closed), ("opened", page.opened)):
            if nodes:
                state[name] = ".".join(map(str, sorted(nodes)))
        return f"{page.path}?{urlencode(state)}"

    def view(self) -> TreeView:
        """Return the drawing's view: boxes go to their node, signs open and close."""
        return TreeView(
            self.start, self.closed, self.opened, self.marked, self.node,
            lambda node: f"{self.address(node=node, first=0)}#node",
            self._toggled,
        )  # fmt: skip

    def fields(self, *changed: str) -> list[tuple[str, str]]:
        """Return the hidden fields of a form that changes some names of the address and keeps the others."""
        state = parse_qsl(self.address().partition("?")[2])
        return [(name, value) for name, value in state if name not in changed]

    def larger(self) -> str | None:
        """Return the address of the next larger drawing; None if there is none."""
        return next((self.address(size=size) for size in SIZES if size > self.size), None)

    def smaller(self) -> str | None:
        """Return the address of the next smaller drawing; None if there is none."""
        return next((self.address(size=size) for size in reversed(SIZES) if size < self.size), None)

    def _toggled(self, node: int, is_open: bool) -> str:
        """Return the address that closes what is open below a node, or opens what is closed."""
        one, rest = frozenset({node}), {"closed": self.closed - {node}, "opened": self.opened - {node}}
        name = "closed" if is_open else "opened"
        return f"{self.address(**{**rest, name: rest[name] | one})}#tree"


def _number(query: Mapping[str, str], name: str, most: int, default: int = 0) -> int:
    text = query.get(name, str(default))
    if not text.isdecimal() or len(text) > 18 or int(text) > most:
        raise CrakeError(f"{name} is {text[:40]!r}; expected a whole number from 0 to {most:,}")
    return int(text)


def _nodes(query: Mapping[str, str], name: str, most: int) -> frozenset[int]:
    parts = [part for part in query.get(name, "").split(".") if part]
    if len(parts) > MOST_TOGGLED:
        raise CrakeError(f"{name} names {len(parts)} nodes; expected {MOST_TOGGLED} at most")
    return frozenset(_number({name: part}, name, most) for part in parts)
