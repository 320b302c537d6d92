"""Forward sampling: every variable is drawn after its parents, from the line of its table that they name."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from crake.arrays import Codes
from crake.errors import CrakeError
from crake.learners.network.conditional import cells_text
from crake.learners.network.model import NetworkModel
from crake.table.schema import Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

MOST_CELLS = 2**22
"""Cells of the lines that are compared with random numbers at a time."""
MOST_SAMPLED = 2**31
"""Cells that a sample may have: 8 GB."""


def sample_codes(model: NetworkModel, rows: int, random_state: Any) -> Codes:
    """Return rows of codes. The level of a row is the first whose cumulative probability exceeds a uniform number."""
    try:
        random = np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        got = str(random_state)[:100]
        raise CrakeError(f"expected random_state as a whole number, 0 or more, got {got}") from error
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


def sample_table(model: NetworkModel, rows: Any, random_state: Any) -> Table:
    """Return such rows as a table whose columns are the variables; raise if the number of rows is none."""
    codes = sample_codes(model, _checked_rows(rows, len(model.graph)), random_state)
    return Table(Schema(model.columns), MemorySource.of_matrix(model.graph.names, codes), "sample")


def _checked_rows(rows: Any, columns: int) -> int:
    try:
        count = -1 if isinstance(rows, bool) else index(rows)
    except TypeError:
        count = -1
    if count < 0:
        raise CrakeError(f"expected a number of rows, 0 or more, got {str(rows)[:100]}")
    most = MOST_SAMPLED // max(1, columns)
    if count > most:
        raise CrakeError(
            f"expected at most {most:,} rows of {columns} variables, got {cells_text(count)}; draw them in portions, "
            "each with a random_state of its own"
        )
    return count
