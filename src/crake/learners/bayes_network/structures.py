"""The structure of a network by name, or as the arcs that a user gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crake.errors import ColumnNotFound, CrakeError
from crake.learners.bayes_network.rows import Variables
from crake.learners.network.graph import Graph
from crake.learners.semi_naive.counted import counted
from crake.learners.semi_naive.tan.scores import gains
from crake.learners.semi_naive.tan.structure import among, tree_of, with_silent_columns
from crake.learners.semi_naive.tan.tables import NodeCounts, with_values
from crake.learners.structure.blanket import with_all_in_blanket
from crake.learners.structure.families import CodedRows, FamilyScores, Parents
from crake.learners.structure.hill_climb import Climbing, hill_climb
from crake.learners.structure.ordered import k2, kdb
from crake.statistics import Statistics
from crake.table.schema import Schema

if TYPE_CHECKING:
    from crake.learners.bayes_network.learner import BayesNetworkClassifier

STRUCTURES = ("hill-climb", "k2", "kdb", "tan", "naive")


def structure_of(
    model: BayesNetworkClassifier, variables: Variables, rows: CodedRows, statistics: Statistics
) -> tuple[Parents, tuple[str, ...]]:
    """Return the parents of every variable, and the names of columns whose search passed by tables that are too large.

    `rows` have no missing values.
    """
    parents, passed_by = _searched(model, variables, rows, statistics)
    if model.markov_blanket:
        parents = with_all_in_blanket(parents, variables.target, variables.sizes)
    return parents, tuple(variables.names[node] for node in sorted(passed_by))


def _searched(
    model: BayesNetworkClassifier, variables: Variables, rows: CodedRows, statistics: Statistics
) -> tuple[Parents, set[int]]:
    if not isinstance(model.structure, str):
        return given_parents(model.structure, statistics.schema, variables), set()
    naive = naive_parents(variables)
    if model.structure == "naive":
        return naive, set()
    if model.structure == "tan":
        return _tan(model, variables, statistics), set()
    if model.structure == "kdb":
        likelihoods = FamilyScores(rows, "entropy")
        return kdb(likelihoods, variables.target, model.max_parents), likelihoods.passed_by
    start = naive if model.start == "naive" else ((),) * len(rows.sizes)
    scores = FamilyScores(rows, model.criterion, model.sample_size)
    if model.structure == "k2":
        order = _order(model.order, statistics.schema, variables)
        for node in order[: order.index(variables.target)]:  # the class cannot be a parent of what comes before it
            start = (*start[:node], (), *start[node + 1 :])
        found = k2(scores, start, order, model.max_parents)
    else:
        found = hill_climb(scores, start, Climbing(model.max_parents, reverse=model.reverse, tabu=model.tabu))
    return found, scores.passed_by


def given_parents(arcs: Any, schema: Schema, variables: Variables) -> Parents:
    """Return the parents that these arcs say; raise for a cycle, or a name that is no column.

    Numbers that no cut divides are no variables: their arcs are left out.
    """
    graph = given_graph(arcs, schema)
    place = {name: at for at, name in enumerate(variables.names)}
    own = {name: [graph.names[p] for p in graph.parents[graph.places[name]]] for name in variables.names}
    return tuple(tuple(place[p] for p in own[name] if p in place) for name in variables.names)


def given_graph(arcs: Any, schema: Schema) -> Graph:
    """Return the graph of these arcs over the features and the class."""
    known = (*(column.name for column in schema.features), str(schema.target))
    pairs = [_pair(arc) for arc in arcs]
    for name in (name for pair in pairs for name in pair):
        _check_name(name, known)
    return Graph.of_arcs(pairs, known)


def _pair(arc: Any) -> tuple[Any, Any]:
    if isinstance(arc, str) or not hasattr(arc, "__len__") or len(arc) != 2:
        raise CrakeError(f"expected an arc as (parent, child), got {arc!r}; write structure=[('play', 'outlook')]")
    return arc[0], arc[1]


def _check_name(name: Any, known: Sequence[str]) -> None:
    if name not in known:
        raise ColumnNotFound(name, known)


def _order(order: Any, schema: Schema, variables: Variables) -> list[int]:
    """Return the places of the variables in the order of a K2 search: the class first, unless it is named."""
    names = [] if order is None else list(order)
    for name in names:
        _check_name(name, (*(column.name for column in schema.features), str(schema.target)))
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise CrakeError(f"expected each column once in order, got {double!r} twice")
    target = [] if variables.names[variables.target] in names else [variables.names[variables.target]]
    whole = dict.fromkeys([*target, *names, *variables.names])
    return [variables.names.index(name) for name in whole if name in variables.names]


def counted_structure(model: BayesNetworkClassifier, variables: Variables, statistics: Statistics) -> Parents:
    """Return the parents of a structure that needs no rows: given, naive, or the tree of pairs of nominal columns."""
    if not isinstance(model.structure, str):
        return given_parents(model.structure, statistics.schema, variables)
    if model.structure == "tan":
        return _tan(model, variables, statistics)
    return naive_parents(variables)


def given_families(arcs: Any, schema: Schema) -> list[tuple[str, ...]]:
    """Return the columns of each family of these arcs, by name; those without an arc are families of their own."""
    graph = given_graph(arcs, schema)
    return [(graph.names[at], *(graph.names[p] for p in own)) for at, own in enumerate(graph.parents)]


def naive_parents(variables: Variables) -> Parents:
    """Return the class as the parent of every column."""
    return tuple(() if node == variables.target else (variables.target,) for node in range(len(variables.columns)))


def _tan(model: BayesNetworkClassifier, variables: Variables, statistics: Statistics) -> Parents:
    """Return the tree of `TANClassifier`, with the class as the first parent of each column."""
    schema, counts = statistics.schema, counted(statistics)
    used = with_values(counts)
    places = [counts.places[j] for j in used]
    gained = gains(NodeCounts.of(counts, model.missing), model.criterion, model.sample_size)
    whole, at = with_silent_columns(gained, places, len(schema.features))
    parent = among(tree_of(whole), at).tolist()
    node = {j: at for at, j in enumerate(variables.of_read) if j >= 0}
    found: list[tuple[int, ...]] = [()] * len(variables.columns)
    for i, p in enumerate(parent):
        found[node[used[i]]] = (variables.target,) if p < 0 else (variables.target, node[used[p]])
    return tuple(found)
