"""Forward sampling: every variable is drawn after its parents, from the line of its table that they name."""

from __future__ import annotations

import numpy as np

from crake.arrays import Codes
from crake.learners.network.model import NetworkModel
from crake.table.schema import Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

MOST_CELLS = 2**22
"""Cells of the lines that are compared with random numbers at a time."""


def sample_codes(model: NetworkModel, rows: int, random_state: int) -> Codes:
    """Return rows of codes. The level of a row is the first whose cumulative probability exceeds a uniform number."""
    random = np.random.default_rng(random_state)
    codes = np.zeros((rows, len(model.graph)), np.int32)
    for at in model.graph.order:
        table = model.tables[at]
        levels = table.shape[-1]
        line = np.zeros(rows, np.int64)
        for parent in model.graph.parents[at]:
            line = line * model.sizes[parent] + codes[:, parent]
        limits = table.reshape(-1, levels).cumsum(axis=1)
        uniform = random.random(rows)
        portion = max(1, MOST_CELLS // levels)
        for start in range(0, rows, portion):
            part = slice(start, start + portion)
            codes[part, at] = (limits[line[part], :-1] <= uniform[part, None] * limits[line[part], -1:]).sum(axis=1)
    return codes


def sample_table(model: NetworkModel, rows: int, random_state: int) -> Table:
    """Return such rows as a table whose columns are the variables."""
    codes = sample_codes(model, rows, random_state)
    return Table(Schema(model.columns), MemorySource.of_matrix(model.graph.names, codes), "sample")
