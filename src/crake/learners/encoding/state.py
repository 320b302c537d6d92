"""A design as arrays, and back: what a model file holds of it."""

from __future__ import annotations

import numpy as np

from crake.learners.base.state import State, StateReader
from crake.learners.encoding.design import Design
from crake.statistics.class_moments import LARGEST
from crake.statistics.exact_moments import UNIT
from crake.table.schema import Schema

Levels = tuple[np.ndarray, ...]


def design_state(design: Design) -> State:
    """Return means and deviations; for nominal columns the reference, the level for gaps, the levels with a term."""
    return {
        "exponent": design.exponent,
        "centre": design.centre,
        "rest": design.rest,
        "spread": design.spread,
        "reference": design.reference,
        "likeliest": design.likeliest,
        "has_level": np.concatenate([np.zeros(0, bool), *design.has_level]).astype(np.uint8),
        "has_missing": design.has_missing.astype(np.uint8),
    }


def design_of_state(reader: StateReader, schema: Schema, missing: str) -> Design:
    """Return the design of this state; reference levels are levels, and have no term of their own."""
    numbers, columns = len(schema.numeric), schema.nominal
    widths = np.array([len(column.levels) for column in columns], np.int64)
    most = int(widths.max(initial=0)) - 1
    reference = reader.integers("reference", np.int64, (len(columns),), -1, max(most, -1))
    likeliest = reader.integers("likeliest", np.int64, (len(columns),), -1, max(most, -1))
    flags = reader.integers("has_level", np.uint8, (int(widths.sum()),), 0, 1).astype(bool)
    exponent = reader.integers("exponent", np.int32, (numbers,), -UNIT, UNIT)
    if np.any(reference >= widths) or np.any(likeliest >= widths):
        raise reader.refusal("reference", "is no level of its column", "a level")
    if np.any(exponent % UNIT):
        raise reader.refusal("exponent", "holds another number", f"{-UNIT}, 0 or {UNIT}")
    has_level = tuple(np.split(flags, np.cumsum(widths)[:-1])) if len(columns) else ()
    if any(code >= 0 and own[code] for code, own in zip(reference.tolist(), has_level, strict=True)):
        raise reader.refusal("has_level", "has a term for a reference level", "none")
    return Design(
        schema,
        missing,
        exponent,
        reader.floats("centre", (numbers,), -LARGEST, LARGEST),
        reader.floats("rest", (numbers,), -LARGEST, LARGEST),
        reader.floats("spread", (numbers,), 0, 2 * LARGEST),
        reference,
        likeliest,
        has_level,
        reader.integers("has_missing", np.uint8, (len(columns) + numbers,), 0, 1).astype(bool),
    )
