"""The layout of a tree: siblings in order, parents over the middle, subtrees as close as they fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class _Outline:
    """The left and right edge of a subtree at each depth, the deepest first, less a shift that all entries share."""

    left: list[float]
    right: list[float]
    left_shift: float = 0.0
    right_shift: float = 0.0

    def left_at(self, depth: int) -> float:
        return self.left[-1 - depth] + self.left_shift

    def right_at(self, depth: int) -> float:
        return self.right[-1 - depth] + self.right_shift

    def move(self, by: float) -> None:
        self.left_shift += by
        self.right_shift += by


def tidy(parents: Sequence[int], breadths: Sequence[float], gap: float) -> list[float]:
    """Return the middle of each node across, so that nodes of one depth are at least `gap` apart; the leftmost edge is
    at 0.

    `parents` holds −1 for the root, which comes first; parents come before their children. Two neighbouring subtrees
    are moved together until their outlines touch; joining outlines costs the depth of the shallower one, which over
    a whole tree adds up to O(nodes).

    >>> tidy([-1, 0, 0, 1, 1], [10, 10, 10, 10, 10], gap=2)
    [17.0, 11.0, 23.0, 5.0, 17.0]

    Reingold and Tilford (1981), Tidier drawings of trees.
    """
    children: list[list[int]] = [[] for _ in parents]
    for node, above in enumerate(parents):
        if above >= 0:
            children[above].append(node)
    outlines: list[_Outline | None] = [None] * len(parents)
    offset = [0.0] * len(parents)
    for node in range(len(parents) - 1, -1, -1):
        below = [(child, _taken(outlines, child)) for child in children[node]]
        outline = _joined(below, offset, gap)
        half = breadths[node] / 2
        outline.left.append(-half - outline.left_shift)
        outline.right.append(half - outline.right_shift)
        outlines[node] = outline
    return _placed(parents, offset, breadths)


def _taken(outlines: list[_Outline | None], child: int) -> _Outline:
    """Return the outline of a child, which its parent takes over."""
    outline, outlines[child] = outlines[child], None
    assert outline is not None  # noqa: S101 - children come after their parents
    return outline


def _joined(below: list[tuple[int, _Outline]], offset: list[float], gap: float) -> _Outline:
    """Return the outline of all children side by side, with 0 in the middle of the first and the last."""
    if not below:
        return _Outline([], [])
    _, joined = below[0]
    place = 0.0
    for child, outline in below[1:]:
        shared = min(len(joined.left), len(outline.left))
        place = max(joined.right_at(d) + gap - outline.left_at(d) for d in range(shared))
        offset[child] = place
        outline.move(place)
        joined = _beside(joined, outline, shared)
    middle = place / 2
    for child, _ in below:
        offset[child] -= middle
    joined.move(-middle)
    return joined


def _beside(first: _Outline, second: _Outline, shared: int) -> _Outline:
    """Left edges of the first as deep as it goes, right edges of the second; below them the other's."""
    if len(second.left) > len(first.left):
        for d in range(shared):
            second.left[-1 - d] = first.left_at(d) - second.left_shift
        left, left_shift = second.left, second.left_shift
    else:
        left, left_shift = first.left, first.left_shift
    if len(second.right) < len(first.right):
        for d in range(shared):
            first.right[-1 - d] = second.right_at(d) - first.right_shift
        right, right_shift = first.right, first.right_shift
    else:
        right, right_shift = second.right, second.right_shift
    return _Outline(left, right, left_shift, right_shift)


def _placed(parents: Sequence[int], offset: list[float], breadths: Sequence[float]) -> list[float]:
    """Offsets from parents added up from the root on."""
    places = [0.0] * len(parents)
    for node, above in enumerate(parents):
        places[node] = offset[node] + (places[above] if above >= 0 else 0.0)
    edge = min((place - breadth / 2 for place, breadth in zip(places, breadths, strict=True)), default=0.0)
    return [place - edge for place in places]
