"""A network in words and tables: what `print` shows, and P(variable given parents) as a grid."""

from __future__ import annotations

from itertools import islice, product

from crake.learners.network.model import NetworkModel
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.render.workings import number

MOST_TABLES, MOST_LINES = 30, 24
"""Tables that `print` shows, and lines of each."""


def table_grid(model: NetworkModel, at: int, most: int | None = None) -> Grid:
    """Return the table of one variable: the levels of its parents, then the probability of each of its own."""
    column, parents = model.columns[at], [model.columns[parent] for parent in model.graph.parents[at]]
    lines = model.tables[at].reshape(-1, len(column.levels))
    shown = len(lines) if most is None else min(len(lines), most)
    keys = islice(product(*([str(level) for level in parent.levels] for parent in parents)), shown)
    rows = [(*key, *map(number, line)) for key, line in zip(keys, lines[:shown].tolist(), strict=True)]
    width = len(parents) + len(column.levels)
    if shown < len(lines):
        rows.append((f"… {counted(len(lines) - shown, 'more line')}", *[""] * (width - 1)))
    given = ", ".join(parent.name for parent in parents)
    header = (*(parent.name for parent in parents), *map(str, column.levels))
    return Grid(f"P({column.name}{' | ' if given else ''}{given})", header, tuple(rows))


def network_text(model: NetworkModel) -> str:
    """Return the arcs and the tables, causes before effects."""
    graph = model.graph
    heading = f"Bayesian network: {len(graph)} variables, {len(graph.arcs)} arcs"
    order = graph.order[:MOST_TABLES]
    tables = [str(table_grid(model, at, MOST_LINES)) for at in order]
    left = len(graph) - len(order)
    more = [f"… {counted(left, 'more table')}"] if left else []
    return visible(heading) + "\n\n" + "\n\n".join([*tables, *more])
