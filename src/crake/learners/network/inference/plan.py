"""The plan of a query: which tables are read, in which order variables are summed out, and what that costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import prod

from crake.errors import CrakeError
from crake.learners.network.conditional import MOST_AXES, MOST_CELLS, cells_text, gigabytes_text
from crake.learners.network.graph import Graph
from crake.learners.network.inference.ordering import bits_of, cheapest_order, moral_graph

MOST_WORK = 2**33
"""Cells that all factors of one query may have together: some tens of seconds."""

MOST_KEPT = 2**31
"""Bytes of all factors that are kept until the end, for beliefs that come back or the most probable levels."""

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """One table of the network as a factor: the evidence is put in, and its axes are brought into the plan's order.

    `variable` names the table; `slots` has, for each axis of it, the variable to put in or -1; `scope` are the
    variables that are left and `turned` their axes in the plan's order.
    """

    variable: int
    slots: tuple[int, ...]
    scope: tuple[int, ...]
    turned: tuple[int, ...]


@dataclass(frozen=True)
class Elimination:
    """Multiply the factors `parts` and sum out `variable`: the result is a factor over `scope`.

    A factor's number is its place among the readings, or behind them among the results. Every part has the variable as
    its first axis and is reshaped to its `shapes` entry, so that products broadcast without turning axes.
    """

    variable: int
    parts: tuple[int, ...]
    shapes: tuple[Shape, ...]
    scope: tuple[int, ...]
    cells: int


@dataclass(frozen=True)
class Plan:
    """Readings, then eliminations; the factors `last` are multiplied in the end, each reshaped to its shape."""

    targets: tuple[int, ...]
    readings: tuple[Reading, ...]
    eliminations: tuple[Elimination, ...]
    last: tuple[int, ...]
    last_shapes: tuple[Shape, ...]
    dropped: tuple[int, ...] = ()

    @property
    def cells(self) -> int:
        """The cells of all factors together: what the query costs."""
        return sum(step.cells for step in self.eliminations)

    @property
    def largest(self) -> int:
        """The cells of the largest factor."""
        return max((step.cells for step in self.eliminations), default=1)


def plan_query(
    graph: Graph,
    sizes: Sequence[int],
    targets: Sequence[int],
    observed: Iterable[int],
    *,
    prune: bool = True,
    unread: Collection[int] = (),
) -> Plan:
    """Return the plan of P(targets given observed); raise, with the size, before a factor that does not fit is made.

    Variables below all targets and evidence are barren: their tables sum to 1 and are not read. Tables that the
    evidence separates from the targets only scale the answer; they are `dropped`. Without `prune` all are read but
    the tables `unread`.
    """
    known = frozenset(observed)
    relevant = graph.ancestors([*targets, *known]) if prune else set(range(len(graph))).difference(unread)
    families = {at: [v for v in (*graph.parents[at], at) if v not in known] for at in graph.order if at in relevant}
    adjacent = moral_graph(families.values(), len(graph))
    dropped: tuple[int, ...] = ()
    if prune and targets:
        reached = reached_from(adjacent, targets)
        dropped = tuple(at for at, scope in families.items() if not scope or not reached >> scope[0] & 1)
        families = {at: scope for at, scope in families.items() if scope and reached >> scope[0] & 1}
    waiting = {v for scope in families.values() for v in scope}.difference(targets)
    order = cheapest_order(adjacent, sizes, sorted(waiting), MOST_CELLS)
    _check_cost(graph, sizes, order, targets)
    return _compiled(graph, sizes, tuple(targets), known, families, order, dropped)


def check_kept(size: int, what: str) -> None:
    """Raise if more than MOST_KEPT bytes would have to be kept at a time."""
    if size > MOST_KEPT:
        raise CrakeError(
            f"{what} would keep {size / 1e9:,.1f} GB of factors; expected at most {MOST_KEPT / 1e9:,.1f} GB: observe "
            "more variables, or leave out arcs"
        )


def reached_from(adjacent: Sequence[int], targets: Iterable[int]) -> int:
    """Return all variables that are connected with a target, as bits."""
    reached = 0
    for at in targets:
        reached |= 1 << at
    waiting = reached
    while waiting:
        low = waiting & -waiting
        new = adjacent[low.bit_length() - 1] & ~reached
        reached |= new
        waiting = (waiting ^ low) | new
    return reached


def _check_cost(graph: Graph, sizes: Sequence[int], order: Sequence[tuple[int, int]], targets: Sequence[int]) -> None:
    work = 0
    for at, neighbours in order:
        cells = sizes[at] * prod(sizes[other] for other in bits_of(neighbours))
        work += cells
        axes = neighbours.bit_count() + 1
        if cells > MOST_CELLS or axes > MOST_AXES:
            raise CrakeError(
                f"summing out {graph.names[at]!r} would take a factor of {cells_text(cells)} cells over "
                f"{axes} variables ({gigabytes_text(cells)}); expected at most {MOST_CELLS:,} cells and {MOST_AXES} "
                "variables: observe more variables, or leave out arcs"
            )
    joint = prod(sizes[at] for at in targets)
    if joint > MOST_CELLS or len(targets) > MOST_AXES:
        raise CrakeError(
            f"the joint distribution of {len(targets)} variables has {cells_text(joint)} cells "
            f"({gigabytes_text(joint)}); expected at most {MOST_CELLS:,} cells and {MOST_AXES} variables: ask for "
            "fewer at a time"
        )
    if work > MOST_WORK:
        raise CrakeError(
            f"this query would compute {work:,} cells in {len(order)} factors; expected at most {MOST_WORK:,}: observe "
            "more variables, or leave out arcs"
        )


def _compiled(
    graph: Graph,
    sizes: Sequence[int],
    targets: tuple[int, ...],
    known: frozenset[int],
    families: dict[int, list[int]],
    order: Sequence[tuple[int, int]],
    dropped: tuple[int, ...],
) -> Plan:
    """Give every factor its axes in the order of elimination, targets last, and each to the step that uses it up."""
    rank = {at: k for k, (at, _) in enumerate(order)}
    rank.update({at: len(order) + k for k, at in enumerate(targets)})
    waiting: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in order]
    last: list[tuple[int, tuple[int, ...]]] = []

    def put(number: int, scope: tuple[int, ...]) -> None:
        first = rank[scope[0]] if scope else len(order)
        (waiting[first] if first < len(order) else last).append((number, scope))

    readings = []
    for number, (at, own) in enumerate(families.items()):
        scope = tuple(sorted(own, key=rank.__getitem__))
        slots = tuple(v if v in known else -1 for v in (*graph.parents[at], at))
        readings.append(Reading(at, slots, scope, tuple(map(own.index, scope))))
        put(number, scope)
    steps = []
    for k, (at, neighbours) in enumerate(order):
        whole = (at, *sorted(bits_of(neighbours), key=rank.__getitem__))
        cells = prod(sizes[v] for v in whole)
        parts = sorted(waiting[k], key=lambda part: len(part[1]))
        shapes = tuple(_shape(whole, scope, sizes) for _, scope in parts)
        steps.append(Elimination(at, tuple(number for number, _ in parts), shapes, whole[1:], cells))
        put(len(readings) + k, whole[1:])
    last_shapes = tuple(_shape(targets, scope, sizes) for _, scope in last)
    return Plan(targets, tuple(readings), tuple(steps), tuple(n for n, _ in last), last_shapes, dropped)


def _shape(whole: Sequence[int], scope: Sequence[int], sizes: Sequence[int]) -> Shape:
    """Return the shape of a factor over `scope` among the axes `whole`: 1 where it does not have the variable."""
    own = set(scope)
    return tuple(sizes[v] if v in own else 1 for v in whole)
