"""A network as a picture and as text: its arcs, and the tables of probabilities."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from crake.learners.semi_naive.dependences import conditional_information
from crake.learners.semi_naive.text import class_grid, column_grid, heading
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.network import NetworkNode, NetworkPicture, network_drawing
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.bayes_network.learner import BayesNetworkClassifier

LONGEST = 24
"""Lines of a table of probabilities before the rest is only counted."""


def arc_information(model: BayesNetworkClassifier) -> dict[tuple[int, int], float]:
    """Return, for each arc (parent, child), what both say of each other given the child's other parents, in bits."""
    found = {}
    for child, own in enumerate(model.tables_.graph.parents):
        counts = model.tables_.counts[child]
        for axis, parent in enumerate(own):
            table = np.moveaxis(counts, axis, -2)
            found[parent, child] = conditional_information(table.reshape(-1, *table.shape[-2:]))
    return found


def draw_network(model: BayesNetworkClassifier) -> Drawing:
    """Draw each variable below its parents; wide arrows are strong links."""
    graph, target = model.tables_.graph, model.tables_.target
    bits = arc_information(model)
    most = max(bits.values(), default=0.0)
    nodes = tuple(
        NetworkNode(
            name,
            f"{len(column.levels)} values",
            own,
            f"{name}: {len(column.levels)} values" + (f", given {_listed(model, own)}" if own else ""),
            is_main=at == target,
            table=_probability_grid(model, at),
        )
        for at, (name, column, own) in enumerate(zip(graph.names, model.variables_.columns, graph.parents, strict=True))
    )
    finding = f"{len(graph)} variables and {len(bits)} arcs."
    if most > 0:
        parent, child = max(bits, key=lambda arc: bits[arc])
        strongest = f"{graph.names[parent]} → {graph.names[child]}"
        finding += f" The strongest link is {strongest}: {number(bits[parent, child])} bits."
    subtitle = "arrows go from parent to child, wide where they say much of each other; a click opens a table"
    strength = {arc: own / most for arc, own in bits.items()} if most > 0 else {}
    return network_drawing(NetworkPicture("Bayesian network", subtitle, finding, nodes, strength))


def _listed(model: BayesNetworkClassifier, places: tuple[int, ...]) -> str:
    return ", ".join(model.tables_.graph.names[p] for p in places)


def arc_grid(model: BayesNetworkClassifier) -> Grid:
    """Return each variable with its parents, in table order."""
    tables = model.tables_
    rows = tuple(
        (shown(name, 40), shown(_listed(model, own), 60) or "(none)", f"{counts.size:,}")
        for name, own, counts in zip(tables.graph.names, tables.graph.parents, tables.counts, strict=True)
    )
    return Grid("network", ("variable", "parents", "cells"), rows)


def model_text(model: BayesNetworkClassifier) -> str:
    """Return the classes, the columns and the network."""
    parts = [heading(model, "Bayesian network"), *map(str, (class_grid(model), column_grid(model), arc_grid(model)))]
    if model.passed_by_:
        names = ", ".join(shown(name, 40) for name in model.passed_by_[:6])
        parts.append(f"The search passed by parents whose tables would be too large: {names}.")
    return "\n\n".join(parts)


def probability_grids(model: BayesNetworkClassifier) -> tuple[Grid, ...]:
    """Return the table of each variable: P(value given parents), one line for each configuration of the parents."""
    return tuple(_probability_grid(model, at) for at in model.tables_.graph.order)


def _probability_grid(model: BayesNetworkClassifier, at: int) -> Grid:
    graph, columns = model.tables_.graph, model.variables_.columns
    own, table = graph.parents[at], model.tables_.tables[at]
    rows: list[tuple[str, ...]] = []
    for place in product(*(range(size) for size in table.shape[:-1])):
        if len(rows) == LONGEST:
            left = table.size // table.shape[-1] - LONGEST
            rows.append((f"… {left:,} more", *[""] * (len(own) + table.shape[-1] - 1)))
            break
        given = (shown(columns[p].levels[level], 40) for p, level in zip(own, place, strict=True))
        rows.append((*given, *(number(share) for share in table[place])))
    header = (*(graph.names[p] for p in own), *(shown(level, 30) for level in columns[at].levels))
    title = f"P({graph.names[at]}{' | ' if own else ''}{_listed(model, own)})"
    return Grid(title, header, tuple(rows))
