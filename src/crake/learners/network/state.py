"""The tables of a network in a model file, and the checks on the way back."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.schema import schema_of, schema_state
from crake.learners.network.conditional import MOST_AXES, MOST_CELLS, cells_text, checked_probabilities
from crake.learners.network.graph import Graph
from crake.learners.network.model import NetworkModel
from crake.table.schema import Column, Kind, Schema

ROUNDING = 1e-9
"""The largest accepted difference from 1 of the sum of a stored line."""


def model_state(model: NetworkModel) -> State:
    """Return the variables as a schema, all tables one after the other, and the cuts of those that were numbers.

    The graph follows from the parameters: arcs and variables.
    """
    return {
        "schema": schema_state(Schema(model.columns)),
        "probabilities": np.concatenate([np.zeros(0), *(table.ravel() for table in model.tables)]),
        "columns": np.array([model.graph.places[name] for name in model.cuts], np.int64),
        "widths": np.array([len(own) for own in model.cuts.values()], np.int64),
        "cuts": np.concatenate([np.zeros(0), *model.cuts.values()]),
    }


def model_of(reader: StateReader, graph: Graph) -> NetworkModel:
    """Read tables that are probabilities and fit the graph; raise if anything does not."""
    schema = schema_of(reader.part("schema"))
    if schema.names != graph.names or schema.target is not None:
        raise reader.refusal("schema", "does not have the variables of the arcs", "the same names, and no target")
    columns = schema.columns
    if any(column.kind is not Kind.NOMINAL or not column.levels for column in columns):
        raise reader.refusal("schema", "has a variable without levels", "levels of every variable")
    flat = reader.floats("probabilities", (None,), 0, 1)
    sizes = [[len(columns[v].levels) for v in (*own, at)] for at, own in enumerate(graph.parents)]
    cells = [prod(own) for own in sizes]  # whole numbers of Python: nothing overflows
    if sum(cells) != len(flat) or max(cells, default=0) > MOST_CELLS or max(map(len, sizes), default=0) > MOST_AXES:
        raise reader.refusal(
            "probabilities", f"has {len(flat)} cells", f"{cells_text(sum(cells))} for these levels and arcs"
        )
    tables, start = [], 0
    for at, (own, count) in enumerate(zip(sizes, cells, strict=True)):
        part = flat[start : start + count].reshape(own)
        try:
            tables.append(checked_probabilities(part, own, f"the table of {graph.names[at][:100]!r}", ROUNDING))
        except CrakeError as error:
            raise reader.refusal("probabilities", f"is wrong: {error}", "lines that sum to 1") from error
        start += count
    return NetworkModel(graph, columns, tuple(tables), _cuts_of(reader, columns))


def _cuts_of(reader: StateReader, columns: Sequence[Column]) -> dict[str, Floats]:
    places = reader.integers("columns", np.int64, (None,), 0, max(0, len(columns) - 1)).tolist()
    cuts = reader.floats("cuts", (None,))
    widths = reader.integers("widths", np.int64, (len(places),), 0, len(cuts)).tolist()
    if sum(widths) != len(cuts) or len(set(places)) < len(places):
        raise reader.refusal("widths", "does not share out the cuts", f"{len(cuts)} cuts, each column once")
    result: dict[str, Floats] = {}
    start = 0
    for place, width in zip(places, widths, strict=True):
        own = cuts[start : start + width]
        if np.any(np.diff(own) <= 0) or len(columns[place].levels) != width + 1:
            raise reader.refusal("cuts", "do not ascend, or do not fit the levels", "one interval more than cuts")
        result[columns[place].name] = own
        start += width
    return result
