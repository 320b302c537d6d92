"""Pictures of a network: the graph in layers, and the table of each variable behind a click."""

from __future__ import annotations

from crake.errors import CrakeError
from crake.learners.network.model import NetworkModel
from crake.learners.network.text import table_grid
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.network import NetworkNode, NetworkPicture, network_drawing
from crake.render.plain_text import clipped
from crake.render.workings.html import table_html

MOST_DRAWN = 300
"""Variables of a drawing; more are no picture."""
MOST_CARDS = 100
"""Variables up to which each has its table in the drawing."""
MOST_LINES = 40
"""Lines of a table that is folded away below a drawing."""


def network_picture(model: NetworkModel, around: str | None = None) -> Drawing:
    """Draw the variables in layers, each below its parents; with `around`, only those that one depends on directly."""
    graph = model.graph
    shown = list(range(len(graph))) if around is None else _blanket(model, graph.place(around))
    if len(shown) > MOST_DRAWN:
        raise CrakeError(
            f"expected at most {MOST_DRAWN} variables in a drawing, got {len(shown):,}; draw a part of it: "
            f"draw(around={graph.names[0]!r})"
        )
    place = {at: k for k, at in enumerate(shown)}
    nodes = tuple(
        _node(model, at, place, is_main=graph.names[at] == around, cards=len(shown) <= MOST_CARDS) for at in shown
    )
    arcs = sum(len(node.parents) for node in nodes)
    roots = [graph.names[at] for at in shown if not graph.parents[at]]
    finding = f"{len(shown)} variables and {arcs} arcs. "
    finding += f"Without parents: {', '.join(roots[:8])}{', …' if len(roots) > 8 else ''}." if roots else ""
    click = "; click on a variable for its table" if len(shown) <= MOST_CARDS else ""
    part = f" around {around}" if around is not None else ""
    return network_drawing(NetworkPicture(f"Bayesian network{part}", f"causes above effects{click}", finding, nodes))


def network_html(model: NetworkModel) -> str:
    """Return the drawing, and below it the tables, folded away."""
    tables = "".join(table_html(table_grid(model, at, MOST_LINES)) for at in model.graph.order)
    return f"{network_picture(model)._repr_html_()}<details><summary>The tables</summary>{tables}</details>"


def _node(model: NetworkModel, at: int, place: dict[int, int], *, is_main: bool, cards: bool) -> NetworkNode:
    column, graph = model.columns[at], model.graph
    detail = f"{len(column.levels)} level{'s' if len(column.levels) != 1 else ''}"
    if not graph.parents[at] and len(column.levels) <= 3:
        detail = ", ".join(f"{level} {share:.2f}" for level, share in zip(column.levels, model.tables[at], strict=True))
    given = ", ".join(graph.names[parent] for parent in graph.parents[at])
    title = f"{column.name}: {', '.join(map(str, column.levels[:8]))}{' given ' if given else ''}{given}"
    parents = tuple(place[parent] for parent in graph.parents[at] if parent in place)
    table = table_grid(model, at, MOST_LINES) if cards else None
    return NetworkNode(column.name, detail, parents, clipped(title), is_main, table)


def _blanket(model: NetworkModel, at: int) -> list[int]:
    """Return the Markov blanket of a variable and itself: parents, children, and the children's other parents."""
    graph = model.graph
    near = {at, *graph.parents[at], *graph.children[at]}
    near.update(parent for child in graph.children[at] for parent in graph.parents[child])
    return sorted(near)
