"""A network whose tables are known: the graph, the levels of each variable, P(variable given parents), and queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from typing import Any

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import CrakeError
from crake.learners.network.conditional import ConditionalTable
from crake.learners.network.graph import Graph
from crake.learners.network.inference.elimination import Evidence, eliminate, most_probable_levels
from crake.learners.network.inference.ordering import moral_graph
from crake.learners.network.inference.plan import Plan, plan_query, reached_from
from crake.learners.network.levels import level_place
from crake.render.short_repr import short_repr
from crake.table.schema import Column

MOST_PLANS = 256
"""Plans that a network keeps: queries of the same variables find theirs."""


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """`columns` and `tables` stand in the order of the graph's names; `cuts` are those of columns that were numbers."""

    graph: Graph
    columns: tuple[Column, ...]
    tables: tuple[Floats, ...]
    cuts: Mapping[str, Floats] = field(default_factory=dict)

    __repr__ = short_repr

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each variable."""
        return tuple(len(column.levels) for column in self.columns)

    @cached_property
    def _plans(self) -> dict[tuple[tuple[int, ...], frozenset[int], bool], Plan]:
        return {}

    def table(self, name: str) -> ConditionalTable:
        """Return P(variable given parents)."""
        at = self.graph.place(name)
        return ConditionalTable(at, self.graph.parents[at], self.tables[at])

    def places(self, names: Any) -> tuple[int, ...]:
        """Return the places of variables that are asked for; raise if there is none, or one twice."""
        if not isinstance(names, Iterable):
            raise CrakeError(f"expected the name of a variable, or several, got {names!r}")
        places = tuple(self.graph.place(name) for name in names)
        if not places or len(set(places)) < len(places):
            raise CrakeError(f"expected one or more variables, each once, got {list(names)}")
        return places

    def evidence(self, given: Mapping[str, Any]) -> dict[int, int]:
        """Return the level of each observed variable; missing values are left out, and so summed over."""
        found = {self.graph.place(name): self.level(name, value) for name, value in given.items()}
        return {at: level for at, level in found.items() if level is not None}

    def level(self, name: str, value: Any) -> int | None:
        """Return the place of a value among the levels of a variable; None if it is missing."""
        return level_place(self.columns[self.graph.place(name)], value, self.cuts.get(name))

    def plan(self, targets: Sequence[int], evidence: Evidence, *, prune: bool = True) -> Plan:
        """Return the plan of a query, kept for the next one about the same variables.

        A variable with a single level counts as observed: its axis would only be carried along.
        """
        observed = frozenset(evidence) | self._single.difference(targets)
        key = tuple(targets), observed, prune
        if key not in self._plans:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            self._plans[key] = plan_query(self.graph, self.sizes, targets, observed, prune=prune)
        return self._plans[key]

    @cached_property
    def _single(self) -> frozenset[int]:
        return frozenset(at for at, size in enumerate(self.sizes) if size == 1)

    def with_single(self, evidence: Evidence) -> dict[int, int]:
        """Return the evidence, and the only level of every variable that has just one."""
        return {**dict.fromkeys(self._single, 0), **evidence}

    def posterior(self, targets: Sequence[int], evidence: Evidence) -> Floats:
        """Return P(targets given evidence), one axis per target; raise if the evidence has probability 0."""
        plan = self.plan(targets, evidence)
        known = self.with_single(evidence)
        joint, _ = eliminate(plan, self.tables, known)
        total = float(joint.sum())
        if total <= 0 or (plan.dropped and not self._possible(plan, known)):
            raise CrakeError(self._impossible(evidence))
        answer: Floats = joint / total
        return answer

    def log_probability(self, evidence: Evidence) -> float:
        """Return ln P(evidence); minus infinity if it cannot happen."""
        answer, exponent = eliminate(self.plan((), evidence), self.tables, self.with_single(evidence))
        value = float(answer)
        return log(value) + exponent * log(2.0) if value > 0 else -np.inf

    def most_probable(self, evidence: Evidence) -> tuple[dict[int, int], float]:
        """Return the most probable level of every unobserved variable, and ln P of these levels and the evidence."""
        known = self.with_single(evidence)
        levels, log2 = most_probable_levels(self.plan((), evidence, prune=False), self.tables, known)
        if log2 == -np.inf:
            raise CrakeError(self._impossible(evidence))
        return {**levels, **{at: level for at, level in known.items() if at not in evidence}}, log2 * log(2.0)

    def with_tables(self, tables: Sequence[Floats]) -> NetworkModel:
        """Return the same network with other probabilities."""
        return replace(self, tables=tuple(tables))

    def codes(self, columns: Mapping[str, Any]) -> Codes:
        """Return a matrix of codes, one column per variable in the order of the graph."""
        return np.column_stack([columns[name] for name in self.graph.names]).astype(np.int32)

    def _possible(self, plan: Plan, known: Evidence) -> bool:
        """Return False if evidence that does not touch the targets has probability 0; only a table with a 0 can.

        Variables that the evidence separates are summed out apart. Where that would not fit, the evidence is taken for
        possible.
        """
        families = {at: (*self.graph.parents[at], at) for at in plan.dropped}
        free = {at: [v for v in family if v not in known] for at, family in families.items()}
        suspects = [at for at in plan.dropped if not self.tables[at].all()]
        if not all(free[at] or self.tables[at][tuple(known[v] for v in families[at])] for at in suspects):
            return False
        suspects = [at for at in suspects if free[at]]
        adjacent = moral_graph(free.values(), len(self.graph)) if suspects else []
        done = 0
        for at in suspects:
            first = free[at][0]
            if done >> first & 1:
                continue
            done |= reached_from(adjacent, [first])
            try:
                own = self.plan([first], known)
            except CrakeError:
                continue
            if eliminate(own, self.tables, known)[0].sum() <= 0:
                return False
        return True

    def _impossible(self, evidence: Evidence) -> str:
        shown = [f"{self.graph.names[at]} = {self.columns[at].levels[level]}" for at, level in evidence.items()]
        text = ", ".join([*shown[:6], *(["…"] if len(shown) > 6 else [])])
        if not shown:
            return "expected tables whose lines sum to 1, got a network in which every row has probability 0"
        return (
            f"expected evidence that can happen, got {text}, which has probability 0 in this network; change a value, "
            "or learn the tables with alpha above 0"
        )
