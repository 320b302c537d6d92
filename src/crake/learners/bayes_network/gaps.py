"""Posteriors of rows with missing values: rows that miss the same variables share one plan of sums."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.network.graph import Graph
from crake.learners.network.inference.logarithms import LN2, log2_of, sum_first_axis
from crake.learners.network.inference.patterns import flattened, multiplied
from crake.learners.network.inference.plan import Plan, plan_query

MOST_BATCH = 2**21
"""Cells of the largest factor times the rows that are computed at a time."""


def log_joints(graph: Graph, tables: Sequence[Floats], target: int, codes: Codes) -> Floats:
    """Return log P(class, known values of the row), by row and class, up to a number that the classes share.

    The column of the class in codes[row, variable] is not read. Negative codes are summed over.
    """
    sizes = [table.shape[-1] for table in tables]
    gaps = codes < 0
    gaps[:, target] = True
    kinds, kind = np.unique(gaps, axis=0, return_inverse=True)
    out = np.empty((len(codes), sizes[target]))
    for k, missing in enumerate(kinds):
        plan = plan_query(graph, sizes, (target,), np.flatnonzero(~missing).tolist())
        rows = np.flatnonzero(kind.ravel() == k)
        portion = max(1, MOST_BATCH // plan.largest)
        for start in range(0, len(rows), portion):
            part = rows[start : start + portion]
            out[part] = _of_pattern(plan, tables, sizes, codes[part])
    return out


def _of_pattern(plan: Plan, tables: Sequence[Floats], sizes: Sequence[int], codes: Codes) -> Floats:
    """Multiply and sum as the plan says, in logarithms, with a last axis for the rows."""
    rows = len(codes)
    factors: dict[int, Floats] = {}
    for number, reading in enumerate(plan.readings):
        cell = np.zeros(rows, np.int64)
        for at in reading.slots:
            if at >= 0:
                cell = cell * sizes[at] + codes[:, at]
        matrix = flattened(log2_of(tables[reading.variable]), reading)
        factors[number] = matrix[:, cell].reshape(*(sizes[v] for v in reading.scope), rows)
    for k, step in enumerate(plan.eliminations):
        factors[len(plan.readings) + k], _ = sum_first_axis(multiplied(factors, step, rows))
    logs = np.zeros((sizes[plan.targets[0]], rows))
    for number, shape in zip(plan.last, plan.last_shapes, strict=True):
        logs += factors[number].reshape(*shape, rows)
    return logs.T * LN2
