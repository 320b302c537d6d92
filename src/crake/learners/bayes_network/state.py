"""A network in a model file: cuts, arcs, and the counts of each table; the rows they were counted from stay behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import CrakeError
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.learners.bayes_network.rows import Variables
from crake.learners.bayes_network.tables import cells_of
from crake.learners.network.conditional import MOST_AXES, cells_text
from crake.learners.network.graph import Graph
from crake.learners.semi_naive.counted import CutColumns
from crake.learners.semi_naive.state import cuts_state, stored_cuts
from crake.learners.structure.families import Parents
from crake.statistics import ClassCounts, PairCounts, Statistic, Statistics, ValueCounts
from crake.statistics.statistic import MOST
from crake.table.schema import Schema

if TYPE_CHECKING:
    from crake.learners.bayes_network.learner import BayesNetworkClassifier

COUNTED: tuple[type[Statistic], ...] = (ValueCounts, PairCounts)
"""Statistics beside the classes that a file may hold."""


@dataclass(frozen=True, eq=False)
class StoredNetwork:
    """The parts of a stored model."""

    variables: Variables
    graph: Graph
    counts: list[Floats]
    mode: Codes
    statistics: Statistics


def network_state(model: BayesNetworkClassifier) -> State:
    """Return the cuts, the parents of all variables one after the other, and all tables of counts likewise."""
    tables = model.tables_
    parents = tables.graph.parents
    return {
        "statistics": statistics_state(model.statistics_, _stored_members(model)),
        **cuts_state(model.counts_.cuts),
        "parent_widths": np.array([len(own) for own in parents], np.int64),
        "parents": np.array([p for own in parents for p in own], np.int32),
        "counts": np.concatenate([np.zeros(0), *(own.ravel() for own in tables.counts)]),
        "modes": tables.mode,
    }


def _stored_members(model: BayesNetworkClassifier) -> tuple[type[Statistic], ...]:
    """Return the counts that are stored: of columns and pairs of names, so that rows can be added later."""
    counted = () if model.schema_.numeric else COUNTED
    return (ClassCounts, *(member for member in counted if model.statistics_.get(member) is not None))


def network_of(reader: StateReader, schema: Schema) -> StoredNetwork:
    """Read arcs without a cycle, and counts of no more rows than there are."""
    variables = Variables.of(CutColumns.of(schema, stored_cuts(reader, schema)))
    part = reader.part("statistics")
    counted = () if schema.numeric else tuple(member for member in COUNTED if member.name in part)
    statistics = statistics_of(part, schema, (ClassCounts, *counted))
    classes = statistics[ClassCounts]
    size, sizes = len(variables.columns), variables.sizes
    graph = _graph(reader, variables)
    counts = reader.floats("counts", (None,), 0, MOST)
    cells = cells_of(sizes, graph.parents)
    if sum(cells) != len(counts) or max(map(len, graph.parents)) >= MOST_AXES:
        raise reader.refusal("counts", f"has {len(counts)} cells", cells_text(sum(cells)))
    tables = np.split(counts, np.cumsum(cells)[:-1])
    most = float(classes.counts.sum()) * (1 + 1e-9)
    if any(float(own.sum()) > most for own in tables):
        raise reader.refusal("counts", "has more rows than there are", f"at most {most:g} in a table")
    shapes = [tuple(sizes[v] for v in (*own, node)) for node, own in enumerate(graph.parents)]
    mode = reader.integers("modes", np.int32, (size,), -1, max(sizes) - 1)
    if np.any(mode >= np.array(sizes)):
        raise reader.refusal("modes", "has a level that is not there", "levels of the columns")
    shaped = [own.reshape(shape) for own, shape in zip(tables, shapes, strict=True)]
    return StoredNetwork(variables, graph, shaped, mode, statistics)


def _graph(reader: StateReader, variables: Variables) -> Graph:
    size = len(variables.columns)
    flat = reader.integers("parents", np.int32, (None,), 0, size - 1)
    widths = reader.integers("parent_widths", np.int64, (size,), 0, size - 1)
    if int(widths.sum()) != len(flat):
        raise reader.refusal("parent_widths", f"shares out {int(widths.sum())} parents", str(len(flat)))
    parents: Parents = tuple(tuple(own.tolist()) for own in np.split(flat, np.cumsum(widths)[:-1]))
    try:
        return Graph(variables.names, parents)
    except CrakeError as error:
        raise reader.refusal("parents", f"make no network ({error})", "arcs without a cycle") from error
