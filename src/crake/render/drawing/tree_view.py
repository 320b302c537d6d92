"""The part of a tree that is looked at: from a node on, some nodes closed, the way of a row marked, boxes as links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True)
class TreeView:
    """Nodes are told by their numbers: the one to begin with, those that are closed or opened by hand, those marked.

    `link` gives the address behind a box, `toggle` that behind the sign that closes what is below an open one, or opens
    it.
    """

    root: int = 0
    closed: frozenset[int] = NOTHING
    opened: frozenset[int] = NOTHING
    marked: frozenset[int] = NOTHING
    selected: int = -1
    link: Callable[[int], str] | None = None
    toggle: Callable[[int, bool], str] | None = None

    def is_open(self, node: int, *, by_depth: bool) -> bool:
        """Return True if the branches of a node are drawn.

        >>> TreeView(closed=frozenset({3})).is_open(3, by_depth=True)
        False
        """
        return node not in self.closed and (by_depth or node in self.opened)
