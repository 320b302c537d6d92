"""Variable elimination: factors are multiplied and summed (or maximised) as the plan says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.learners.network.inference.plan import Plan, Reading

SMALLEST = 1e-200
"""Below this total a query is computed again with every factor scaled by a power of two."""

Tables = Sequence[Floats]
"""The probabilities of each variable's table, parents' axes first."""
Evidence = Mapping[int, int]
"""The level of each observed variable."""


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
    factors = [factor_of(reading, tables, evidence) for reading in plan.readings]
    add = np.add.reduce
    for step in plan.eliminations:
        factors.append(add(_product(factors, step.parts, step.shapes), axis=0))
    answer = _product(factors, plan.last, plan.last_shapes)
    if answer.sum() >= SMALLEST:
        return answer, 0.0
    answer, exponent, _ = eliminate_scaled(plan, tables, evidence, np.add)
    return answer, exponent


def eliminate_scaled(
    plan: Plan, tables: Tables, evidence: Evidence, reduce: np.ufunc, *, keep: bool = False
) -> tuple[Floats, float, list[Floats]]:
    """Do the same with each factor divided by a power of two, which changes no digit, so that nothing underflows.

    `reduce` is np.add or np.maximum. With `keep` the products before each reduction are returned too.
    """
    exponent = 0.0
    factors: list[Floats] = []
    joints: list[Floats] = []

    def scaled(factor: Floats) -> Floats:
        nonlocal exponent
        top = float(factor.max())
        if top == 0:
            return factor
        power = int(np.frexp(top)[1])
        exponent += power
        result: Floats = np.ldexp(factor, -power)
        return result

    factors.extend(scaled(factor_of(reading, tables, evidence)) for reading in plan.readings)
    for step in plan.eliminations:
        joint = _product(factors, step.parts, step.shapes)
        if keep:
            joints.append(joint)
        factors.append(scaled(reduce.reduce(joint, axis=0)))
    return _product(factors, plan.last, plan.last_shapes, scaled), exponent, joints


def _product(
    factors: Sequence[Floats],
    parts: Sequence[int],
    shapes: Sequence[tuple[int, ...]],
    after: Callable[[Floats], Floats] | None = None,
) -> Floats:
    """Multiply factors that are reshaped to their place among common axes; none at all make 1."""
    product: Floats | None = None
    for part, shape in zip(parts, shapes, strict=True):
        factor = factors[part].reshape(shape)
        product = factor if product is None else product * factor
        if after is not None:
            product = after(product)
    return np.ones(()) if product is None else product


def most_probable_levels(plan: Plan, tables: Tables, evidence: Evidence) -> tuple[dict[int, int], float]:
    """Return the most probable level of every variable that is summed out, and log2 of the probability of them all.

    The plan has no targets and nothing pruned. Of equally probable levels the first is taken.
    """
    answer, exponent, joints = eliminate_scaled(plan, tables, evidence, np.maximum, keep=True)
    levels: dict[int, int] = {}
    for step, joint in zip(reversed(plan.eliminations), reversed(joints), strict=True):
        cell: tuple[Any, ...] = (slice(None), *(levels[at] for at in step.scope))
        best = joint[cell]
        levels[step.variable] = int(best.argmax())
    with np.errstate(divide="ignore"):
        return levels, float(np.log2(answer)) + exponent
