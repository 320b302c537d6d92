"""A network of nodes drawn in layers: parents above their children, an arrow from each to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise

from crake.render.drawing.canvas import Canvas, coordinate
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.network.table_card import STYLE, TableCard
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.grid import Grid
from crake.render.plain_text import visible

_MARGIN, _TOP, _HIGH, _BETWEEN, _GAP = 20.0, 66.0, 40.0, 46.0, 22.0
_LEAST, _MOST = 74.0, 190.0
_BEND, _MOST_BENDS = 6.0, 2000
_SWEEPS = 4
"""Times that each layer is put in the order of its neighbours above and below."""


@dataclass(frozen=True)
class NetworkNode:
    """A node: its name, a line of detail, its parents by their places, and what is shown when it is pointed at.

    A click on it opens its `table`.
    """

    name: str
    detail: str = ""
    parents: tuple[int, ...] = ()
    title: str = ""
    is_main: bool = False
    table: Grid | None = None


@dataclass(frozen=True)
class NetworkPicture:
    """The nodes in any order. `strength` gives arcs (parent, child) a width from 0 to 1; others have the least."""

    title: str
    subtitle: str
    finding: str
    nodes: tuple[NetworkNode, ...]
    strength: dict[tuple[int, int], float] = field(default_factory=dict)


def network_drawing(picture: NetworkPicture) -> Drawing:
    """Return the picture as something to show and to save; a wide one keeps its size, and the page scrolls."""
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture), is_fluid=False)


def layers_of(parents: Sequence[Sequence[int]]) -> list[int]:
    """Return the layer of each node: one below the lowest of its parents. Raise ValueError if there is a cycle.

    >>> layers_of([(), (0,), (0, 1)])
    [0, 1, 2]
    """
    layer = [-1] * len(parents)
    waiting = [len(own) for own in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, own in enumerate(parents):
        for parent in own:
            children[parent].append(child)
    ready = [node for node, count in enumerate(waiting) if count == 0]
    for node in ready:
        layer[node] = 1 + max((layer[parent] for parent in parents[node]), default=-1)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    if len(ready) < len(parents):
        raise ValueError("the arcs go in a circle")
    return layer


def _drawn(picture: NetworkPicture) -> Canvas:
    nodes = picture.nodes
    parents, bends = _stretched([node.parents for node in nodes])
    width = [*(_width(node) for node in nodes), *[_BEND] * (len(parents) - len(nodes))]
    rows = _ordered(parents)
    lengths = [sum(width[at] for at in row) + _GAP * (len(row) - 1) for row in rows]
    heading = 40 + max(text_width(visible(text), SIZES["h"], bold=True) for text in (picture.title, picture.subtitle))
    wide = max(420.0, min(heading, 900.0), 2 * _MARGIN + max(lengths, default=0.0))
    canvas = Canvas(wide, _TOP + len(rows) * (_HIGH + _BETWEEN) - _BETWEEN + _MARGIN)
    draw_heading(canvas, picture.title, picture.subtitle)
    place = {}
    for layer, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        x = (wide - length) / 2
        for at in row:
            place[at] = (x, _TOP + layer * (_HIGH + _BETWEEN))
            x += width[at] + _GAP
    for child, node in enumerate(nodes):
        for parent in node.parents:
            stops = [
                (place[at][0] + width[at] / 2, place[at][1]) for at in (parent, *bends.get((parent, child), ()), child)
            ]
            _arrow(canvas, stops, picture.strength.get((parent, child), 0.0))
    cards = {at: TableCard(node.table) for at, node in enumerate(nodes) if node.table is not None}
    name = sha256(repr([node.title for node in nodes]).encode("utf-8", "replace")).hexdigest()[:10]
    for at, node in enumerate(nodes):
        if at in cards:
            canvas.open_link(f"#n{name}-{at}", label=f"Table of {node.name}")
        _box(canvas, node, *place[at], width[at])
        if at in cards:
            canvas.close_link()
    _draw_cards(canvas, cards, {at: (x + width[at] / 2, y + _HIGH) for at, (x, y) in place.items()}, name)
    return canvas


def _draw_cards(canvas: Canvas, cards: dict[int, TableCard], below: dict[int, tuple[float, float]], name: str) -> None:
    """Draw the tables below their nodes, as far as the sheet allows, which grows for the largest."""
    if not cards:
        return
    canvas.style(STYLE)
    canvas.width = max(canvas.width, *(card.width + 2 * _MARGIN for card in cards.values()))
    canvas.height = max(canvas.height, *(card.height + _TOP + _MARGIN for card in cards.values()))
    for at, card in cards.items():
        x = min(max(_MARGIN, below[at][0] - card.width / 2), canvas.width - _MARGIN - card.width)
        y = min(below[at][1] + 8, canvas.height - _MARGIN - card.height)
        card.draw(canvas, f"n{name}-{at}", x, y)


def _stretched(
    parents: Sequence[Sequence[int]],
) -> tuple[list[tuple[int, ...]], dict[tuple[int, int], tuple[int, ...]]]:
    """Return the parents with places added where arcs pass through a layer, and the places of each such arc.

    >>> _stretched([(), (0,), (0, 1)])
    ([(), (0,), (3, 1), (0,)], {(0, 2): (3,)})
    """
    layer = layers_of(parents)
    longer = [list(own) for own in parents]
    bends: dict[tuple[int, int], tuple[int, ...]] = {}
    for child, own in enumerate(parents):
        for k, parent in enumerate(own):
            between = layer[child] - layer[parent] - 1
            if between < 1 or len(longer) + between > len(parents) + _MOST_BENDS:
                continue
            first = len(longer)
            longer += [[parent if at == first else at - 1] for at in range(first, first + between)]
            bends[parent, child] = tuple(range(first, first + between))
            longer[child][k] = first + between - 1
    return list(map(tuple, longer)), bends


def _width(node: NetworkNode) -> float:
    name = text_width(visible(node.name), SIZES["b"], bold=True)
    return min(_MOST, max(_LEAST, 20 + max(name, text_width(visible(node.detail), SIZES["s"]))))


def _ordered(parents: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the nodes of each layer from left to right, each near the middle of its neighbours."""
    layer = layers_of(parents)
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, depth in enumerate(layer):
        rows[depth].append(node)
    neighbours: list[list[int]] = [list(own) for own in parents]
    for child, own in enumerate(parents):
        for parent in own:
            neighbours[parent].append(child)
    at = {node: (k + 0.5) / len(row) for row in rows for k, node in enumerate(row)}
    for _ in range(_SWEEPS):
        for row in rows:
            middle = {
                node: sum(at[n] for n in neighbours[node]) / len(neighbours[node]) for node in row if neighbours[node]
            }
            row.sort(key=lambda node: (middle.get(node, at[node]), node))
            at.update({node: (k + 0.5) / len(row) for k, node in enumerate(row)})
    return rows


def _arrow(canvas: Canvas, stops: Sequence[tuple[float, float]], strength: float) -> None:
    """Draw an arc from the bottom of the first stop, straight through layers on its way, to the top of the last."""
    curve = f"M{coordinate(stops[0][0])} {coordinate(stops[0][1] + _HIGH)}"
    for at, ((x1, top), (x2, end)) in enumerate(pairwise(stops)):
        is_last = at == len(stops) - 2
        y1, y2 = top + _HIGH, end - (7 if is_last else 0)
        middle = coordinate((y1 + y2) / 2)
        curve += f"C{coordinate(x1)} {middle} {coordinate(x2)} {middle} {coordinate(x2)} {coordinate(y2)}"
        curve += "" if is_last else f"V{coordinate(end + _HIGH)}"
    canvas.path(curve, "line axis", stroke_width=1.0 + 3.0 * min(1.0, max(0.0, strength)), stroke_opacity=0.75)
    x, y = stops[-1]
    canvas.path(f"M{coordinate(x - 4)} {coordinate(y - 7)}h8l-4 7z", "ink")


def _box(canvas: Canvas, node: NetworkNode, x: float, y: float, width: float) -> None:
    canvas.open(title=node.title)
    canvas.rect(x, y, width, _HIGH, "box", rx=6, stroke_width=2.0 if node.is_main else 1.0)
    line = y + (17 if node.detail else 25)
    canvas.text(x + width / 2, line, node.name, "b", anchor="middle", room=width - 12)
    if node.detail:
        canvas.text(x + width / 2, y + 32, node.detail, "s", anchor="middle", room=width - 12)
    canvas.close()
