"""Statistics as arrays, and back: a learner that is a function of statistics is stored as these."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.kernels.statistics.moments import SCALE
from crake.learners.base.state.reader import Given, State
from crake.statistics.class_counts import ClassCounts
from crake.statistics.class_moments import ClassMoments
from crake.statistics.gather import HEAVIEST, Statistics
from crake.statistics.value_counts import ValueCounts
from crake.table.schema import Schema

Floats = NDArray[np.float64]

MOST = HEAVIEST * 2.0**63
"""The weight of all rows: no table has more rows than 2^63, none of them is heavier than HEAVIEST."""
LARGEST = 2.0**425
"""The largest mean in its unit: 2^1024 in units of 2^600, and a bit for rounding."""
SLACK = 1 + 1e-6
"""Fractional weights that are added in another order differ in the last digits."""


def statistics_state(statistics: Statistics, parts: Collection[str]) -> State:
    """Class counts, and of `parts` "values" (value counts) and "moments"; there is one group of rows."""
    if statistics.distinct_counts:
        raise CrakeError("the distinct values of numeric columns are nearly the rows themselves: they are not stored")
    state: State = {
        "class_counts": statistics.class_counts.counts[0],
        "integral": bool(statistics.class_counts.integral),
    }
    if "values" in parts and statistics.value_counts is not None:
        state["value_counts"] = statistics.value_counts.counts[0]
    if "moments" in parts and statistics.class_moments is not None:
        state["moments"] = statistics.class_moments.moments[:, 0]
        state["exponent"] = statistics.class_moments.exponent[0]
    return state


def statistics_of(given: Given, schema: Schema, parts: Collection[str]) -> Statistics:
    """The statistics of this state, which agree with the schema and with each other."""
    classes = _class_counts(given, schema)
    return Statistics(
        schema,
        classes,
        _value_counts(given, schema, classes) if "values" in parts else None,
        _class_moments(given, schema, classes) if "moments" in parts else None,
    )


def _class_counts(given: Given, schema: Schema) -> ClassCounts:
    counts, integral = given.floats("class_counts", (len(schema.classes),), 0, MOST), given.flag("integral")
    if not 0 < counts.sum() <= MOST:
        raise given.refusal("class_counts", f"adds up to {counts.sum()}", "the weight of at least one row")
    _check_whole(given, "class_counts", counts, integral=integral)
    return ClassCounts(schema.classes, counts[None], integral)


def _value_counts(given: Given, schema: Schema, classes: ClassCounts) -> ValueCounts:
    slots = sum(len(column.levels) + 1 for column in schema.nominal)
    counts = given.floats("value_counts", (len(schema.classes), slots), 0, MOST)
    _check_whole(given, "value_counts", counts, integral=classes.integral)
    values = ValueCounts(schema.nominal, schema.classes, counts[None], classes.integral)
    if slots:
        of_column = np.add.reduceat(counts, values.offsets[:-1], axis=1)
        _check_part(given, "value_counts", of_column, classes.counts[0])
    return values


def _class_moments(given: Given, schema: Schema, classes: ClassCounts) -> ClassMoments:
    shape = (len(schema.classes), len(schema.numeric))
    moments = given.floats("moments", (4, *shape))
    exponent = given.integers("exponent", np.int32, shape, -SCALE, SCALE)
    weight, mean, squares, rest = moments
    if np.any(exponent % SCALE):
        raise given.refusal("exponent", "holds another number", f"{-SCALE}, 0 or {SCALE}")
    if np.any(weight < 0) or np.any(squares < 0) or np.any(np.abs(mean) > LARGEST) or np.any(np.abs(rest) > LARGEST):
        raise given.refusal("moments", "holds a negative weight or sum of squares, or a mean beyond all values", "none")
    _check_part(given, "moments", weight, classes.counts[0])
    # |x − mean| is at most twice the largest value.
    if np.any(squares > weight * (2 * LARGEST) ** 2):
        raise given.refusal("moments", "holds squares that no values of its weight can have", "fewer")
    return ClassMoments(schema.numeric, schema.classes, moments[:, None], exponent[None])


def _check_whole(given: Given, name: str, counts: Floats, *, integral: bool) -> None:
    if integral and np.any(counts != np.floor(counts)):
        raise given.refusal(name, "holds a fraction but is marked as whole", "whole numbers")


def _check_part(given: Given, name: str, weight: Floats, of_class: Floats) -> None:
    """The rows that have a value in a column are among the rows of their class."""
    if np.any(weight > of_class[:, None] * SLACK):
        raise given.refusal(name, "counts more rows of a class than there are", "at most class_counts")
