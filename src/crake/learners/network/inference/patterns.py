"""Rows with gaps, many at a time: rows that miss the same variables share one plan, with a last axis for rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from crake.arrays import Codes, Flags, Floats, Longs
from crake.learners.network.graph import Graph
from crake.learners.network.inference.logarithms import LN2, log2_of, sum_first_axis
from crake.learners.network.inference.ordering import bits_of, moral_graph
from crake.learners.network.inference.plan import Elimination, Plan, Reading, check_kept, plan_query

MOST_BATCH = 2**21
"""Cells of the largest factor times the rows that are computed at a time."""
MOST_KEPT_BATCH = 2**23
"""Cells of all factors times the rows, where all are kept to send beliefs back."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """Rows that miss the same connected variables: their numbers, weights, and the plan that sums these out.

    `cells` has, for every table with a missing variable, the place of each row's observed values in it.
    """

    plan: Plan
    readings: tuple[int, ...]
    cells: tuple[Longs, ...]
    weights: Floats
    rows: Longs


def patterns(
    graph: Graph, sizes: Sequence[int], codes: Codes, weights: Floats, *, counted: bool = True
) -> Iterator[Pattern]:
    """Yield the rows with a gap, by the variables that are missing together, in portions that fit in memory.

    Missing variables that the observed ones separate from each other are summed out apart. So the rows that miss one
    variable share a plan, whatever else they miss far from it. Where nothing is `counted`, missing variables with
    nothing known below them are left out: their tables sum to 1.
    """
    gaps = codes < 0
    single = np.array(sizes) == 1
    with_gaps = np.flatnonzero(gaps.any(axis=1))
    if not len(with_gaps):
        return
    kinds, kind = np.unique(gaps[with_gaps], axis=0, return_inverse=True)
    order = np.argsort(kind.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(kind.ravel(), minlength=len(kinds)))
    adjacent = moral_graph([(*own, at) for at, own in enumerate(graph.parents)], len(graph))
    together: dict[tuple[int, frozenset[int]], list[Longs]] = {}
    for missing, part in zip(kinds, np.split(order, ends[:-1]), strict=True):
        barren = set() if counted else _barren(graph, missing | single)
        summed = [at for at in np.flatnonzero(missing).tolist() if at not in barren]
        for component in _components(adjacent, summed):
            below = {child for at in bits_of(component) for child in graph.children[at]} if barren else set()
            together.setdefault((component, frozenset(below & barren)), []).append(with_gaps[part])
    for (component, unread), parts in together.items():
        observed = [at for at in range(len(graph)) if not component >> at & 1]
        plan = plan_query(graph, sizes, (), observed, prune=False, unread=unread)
        rows = np.sort(np.concatenate(parts))
        if counted:
            check_kept(8 * plan.cells, "EM on a row with missing values")
        portion = max(1, MOST_KEPT_BATCH // plan.cells if counted else MOST_BATCH // plan.largest)
        for start in range(0, len(rows), portion):
            own = rows[start : start + portion]
            yield _pattern(plan, sizes, codes[own], weights[own], own)


def _barren(graph: Graph, missing: Flags) -> set[int]:
    """Return the variables that are missing, or have one level, and have none but such below them."""
    barren: set[int] = set()
    for at in reversed(graph.order):
        if missing[at] and barren.issuperset(graph.children[at]):
            barren.add(at)
    return barren


def _components(adjacent: Sequence[int], missing: Sequence[int]) -> Iterator[int]:
    """Yield the missing variables, as bits, that are connected by missing ones alone."""
    left = 0
    for at in missing:
        left |= 1 << at
    while left:
        component = waiting = left & -left
        while waiting:
            low = waiting & -waiting
            new = adjacent[low.bit_length() - 1] & left & ~component
            component |= new
            waiting = (waiting ^ low) | new
        left &= ~component
        yield component


def _pattern(plan: Plan, sizes: Sequence[int], codes: Codes, weights: Floats, rows: Longs) -> Pattern:
    used = tuple(number for number, reading in enumerate(plan.readings) if reading.scope)
    cells = []
    for number in used:
        cell = np.zeros(len(rows), np.int64)
        for at in plan.readings[number].slots:
            if at >= 0:
                cell = cell * sizes[at] + codes[:, at]
        cells.append(cell)
    return Pattern(plan, used, tuple(cells), weights, rows)


def flattened(table: Floats, reading: Reading) -> Floats:
    """Return a table as a matrix: the missing variables in the plan's order, by the observed ones."""
    seen = [axis for axis, at in enumerate(reading.slots) if at >= 0]
    gaps = [axis for axis, at in enumerate(reading.slots) if at < 0]
    turned = table.transpose([*(gaps[k] for k in reading.turned), *seen])
    return turned.reshape(prod(table.shape[axis] for axis in gaps), -1)


def expect(pattern: Pattern, tables: Sequence[Floats], counts: Sequence[Floats] | None) -> Floats:
    """Return ln P of the tables with a gap, summed over the missing values, for each row.

    The expected number of rows in each cell of those tables is added to `counts`. Messages go from bucket to bucket as
    variables are summed out, and beliefs come back. All are logarithms, so that no row is lost to underflow.

    Dechter (1999), Bucket elimination: a unifying framework for reasoning.
    """
    plan = pattern.plan
    rows = len(pattern.rows)
    factors: dict[int, Floats] = {}
    for number, cell in zip(pattern.readings, pattern.cells, strict=True):
        reading = plan.readings[number]
        table = tables[reading.variable]
        sizes = [table.shape[k] for k in _free(reading)]
        factors[number] = flattened(log2_of(table), reading)[:, cell].reshape(*sizes, rows)
    kept: list[Floats] = []
    for k, step in enumerate(plan.eliminations):
        factors[len(plan.readings) + k], shares = sum_first_axis(multiplied(factors, step, rows))
        if counts is not None:
            kept.append(shares)
    log_p = np.zeros(rows)
    for number in plan.last:
        if number in factors:
            log_p += factors[number]
    if counts is not None:
        _send_back(pattern, kept, counts)
    return log_p * LN2


def multiplied(factors: dict[int, Floats], step: Elimination, rows: int) -> Floats:
    """Return the logarithm of the product of a step's factors, which are used up; the last axis is that of the rows."""
    joint: Floats = np.zeros(())
    for part, shape in zip(step.parts, step.shapes, strict=True):
        joint = joint + factors.pop(part).reshape(*shape, rows)
    return joint


def _send_back(pattern: Pattern, kept: list[Floats], counts: Sequence[Floats]) -> None:
    """Compute the belief of each bucket, last one first, and add what it says of its tables to the counts.

    `kept` has P(variable given the rest of its bucket), so that the belief is that times what came back.
    """
    plan = pattern.plan
    of = dict(zip(pattern.readings, pattern.cells, strict=True))
    back: dict[int, Floats] = {}
    first = len(plan.readings)
    for k in reversed(range(len(plan.eliminations))):
        step = plan.eliminations[k]
        belief = kept.pop() * back.pop(first + k, np.ones(()))
        for part, shape in zip(step.parts, step.shapes, strict=True):
            absent = tuple(axis for axis, n in enumerate(shape) if n == 1)
            own = belief.sum(axis=absent) if absent else belief
            if part >= first:
                back[part] = own
            else:
                _add_expected(counts, plan.readings[part], own * pattern.weights, of[part])


def _add_expected(counts: Sequence[Floats], reading: Reading, expected: Floats, cell: Longs) -> None:
    """Add the expected rows of one table, cell by cell of its missing variables."""
    table = counts[reading.variable]
    seen = [axis for axis, at in enumerate(reading.slots) if at >= 0]
    shape = [table.shape[axis] for axis in (*_free(reading), *seen)]
    width = prod(shape[len(reading.scope) :])
    flat = np.stack([np.bincount(cell, line, minlength=width) for line in expected.reshape(-1, len(cell))])
    table += flat.reshape(shape).transpose(np.argsort([*_free(reading), *seen]))


def _free(reading: Reading) -> list[int]:
    """Return the axes of the missing variables, in the plan's order."""
    gaps = [axis for axis, at in enumerate(reading.slots) if at < 0]
    return [gaps[k] for k in reading.turned]
