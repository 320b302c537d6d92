"""Variable elimination: factors are multiplied and summed (or maximised) as the plan says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.learners.network.inference.logarithms import log2_of, sum_first_axis
from crake.learners.network.inference.plan import Plan, Reading, check_kept

SMALLEST = 1e-200
"""Below this total a query is computed again in logarithms."""

Tables = Sequence[Floats]
"""The probabilities of each variable's table, parents' axes first."""
Evidence = Mapping[int, int]
"""The level of each observed variable."""
Factors = dict[int, Floats]
"""Factors by their number in the plan; each is used once, and then freed."""


def factor_of(reading: Reading, tables: Tables, evidence: Evidence) -> Floats:
    """Return the table with the evidence put in, its axes in the plan's order."""
    table = tables[reading.variable]
    if len(reading.scope) < len(reading.slots):
        table = table[tuple(slice(None) if at < 0 else evidence[at] for at in reading.slots)]
    return table.transpose(reading.turned) if len(reading.turned) > 1 else table


def eliminate(plan: Plan, tables: Tables, evidence: Evidence) -> tuple[Floats, float]:
    """Return f with P(targets, evidence) = f · 2^e, the axes in the order of the targets, and e.

    >>> from crake.learners.network.graph import Graph
    >>> from crake.learners.network.inference.plan import plan_query
    >>> graph = Graph.of_arcs([("cancer", "test")])
    >>> plan = plan_query(graph, [2, 2], [0], [1])
    >>> eliminate(plan, [np.array([0.008, 0.992]), np.array([[0.98, 0.02], [0.03, 0.97]])], {1: 0})
    (array([0.00784, 0.02976]), 0.0)
    """
    factors: Factors = {k: factor_of(reading, tables, evidence) for k, reading in enumerate(plan.readings)}
    for number, step in enumerate(plan.eliminations, len(factors)):
        factors[number] = np.add.reduce(_joined(factors, step.parts, step.shapes, np.multiply), axis=0)
    answer = _joined(factors, plan.last, plan.last_shapes, np.multiply)
    if answer.sum() >= SMALLEST:
        return answer, 0.0
    logs = _logs(plan, tables, evidence)
    for number, step in enumerate(plan.eliminations, len(logs)):
        logs[number], _ = sum_first_axis(_joined(logs, step.parts, step.shapes, np.add))
    answer = _joined(logs, plan.last, plan.last_shapes, np.add)
    top = float(answer.max())
    return (np.exp2(answer - top), top) if top > -np.inf else (np.zeros_like(answer), 0.0)


def most_probable_levels(plan: Plan, tables: Tables, evidence: Evidence) -> tuple[dict[int, int], float]:
    """Return the most probable level of every variable that is summed out, and log2 of the probability of them all.

    The plan has no targets and nothing pruned. Of equally probable levels the first is taken. Of each factor only the
    best level of its variable is kept.
    """
    sizes = [step.shapes[0][0] for step in plan.eliminations]
    kinds = [np.min_scalar_type(size - 1) for size in sizes]
    kept = [step.cells // sizes[k] * kinds[k].itemsize for k, step in enumerate(plan.eliminations)]
    check_kept(sum(kept), "the most probable explanation")
    logs = _logs(plan, tables, evidence)
    best: list[Any] = []
    for kind, (number, step) in zip(kinds, enumerate(plan.eliminations, len(logs)), strict=True):
        joint = _joined(logs, step.parts, step.shapes, np.add)
        best.append(joint.argmax(axis=0).astype(kind))
        logs[number] = joint.max(axis=0)
    levels: dict[int, int] = {}
    for step, own in zip(reversed(plan.eliminations), reversed(best), strict=True):
        levels[step.variable] = int(own[tuple(levels[at] for at in step.scope)])
    return levels, float(_joined(logs, plan.last, plan.last_shapes, np.add))


def _logs(plan: Plan, tables: Tables, evidence: Evidence) -> Factors:
    return {k: log2_of(factor_of(reading, tables, evidence)) for k, reading in enumerate(plan.readings)}


def _joined(factors: Factors, parts: Sequence[int], shapes: Sequence[tuple[int, ...]], join: np.ufunc) -> Floats:
    """Multiply factors (or add their logarithms), reshaped to their place among common axes; they are used up."""
    joint: Floats | None = None
    for part, shape in zip(parts, shapes, strict=True):
        factor = factors.pop(part).reshape(shape)
        joint = factor if joint is None else join(joint, factor)
    return np.array(float(join.identity)) if joint is None else joint
