"""A design as JSON, for tasks that an engine runs where its rows are."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.learners.encoding.design import Design
from crake.statistics.partitions.messages import schema_of, schema_state

NUMBERS = {
    "exponent": np.int32,
    "centre": np.float64,
    "rest": np.float64,
    "spread": np.float64,
    "reference": np.int64,
    "likeliest": np.int64,
    "has_missing": np.bool_,
}
"""The arrays of a design, one number for each column."""


def design_json(design: Design) -> dict[str, Any]:
    """Return a design as JSON holds it; no digit of its numbers is lost."""
    arrays = {name: getattr(design, name).tolist() for name in NUMBERS}
    has_level = [each.tolist() for each in design.has_level]
    return {"schema": schema_state(design.schema), "missing": design.missing, "has_level": has_level, **arrays}


def design_of_json(state: dict[str, Any]) -> Design:
    """Return the design of `design_json`."""
    arrays: dict[str, Any] = {name: np.array(state[name], kind) for name, kind in NUMBERS.items()}
    has_level = tuple(np.array(each, bool) for each in state["has_level"])
    return Design(schema=schema_of(state["schema"]), missing=state["missing"], has_level=has_level, **arrays)
