"""Values that people name: from `given={"Storm": True}` to the codes of variables and levels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError, did_you_mean
from crake.learners.discretize.intervals import interval_of
from crake.statistics.levels import level_key
from crake.table.schema import Column

MOST_VALUE = 10**300
"""Whole numbers above this are refused: they may not be numbers of the machine."""
MOST_SHOWN = 12
"""Levels that a message lists."""


def level_place(column: Column, value: Any, cuts: Floats | None = None) -> int | None:
    """Return the place of a level; None for a missing value. A number falls in its interval if the column is cut.

    A value that is no level itself is compared as text, so that True finds the level "true" of a file.

    >>> from crake.table.schema import Kind
    >>> level_place(Column("Storm", Kind.NOMINAL, ("False", "True")), True)
    1
    >>> level_place(Column("Storm", Kind.NOMINAL, ("no", "yes")), "yse")
    Traceback (most recent call last):
    crake.errors.CrakeError: expected a level of 'Storm' (no, yes), got 'yse'. Did you mean 'yes'?
    """
    if isinstance(value, np.generic):
        value = value.item()
    if _is_missing(value):
        return None
    _check_finite(column, value)
    if cuts is not None and type(value) in {int, float}:
        return int(interval_of(np.array([float(value)]), cuts)[0])
    if isinstance(value, str | int | float | bool):
        for at, level in enumerate(column.levels):
            if level_key(level) == level_key(value):
                return at
    texts = [str(level) for level in column.levels]
    for changed in (str, lambda text: str(text).casefold()):
        same = [at for at, text in enumerate(texts) if changed(text) == changed(str(value))]
        if len(same) == 1:
            return same[0]
    shown = ", ".join([*texts[:MOST_SHOWN], *(["…"] if len(texts) > MOST_SHOWN else [])])
    raise CrakeError(
        f"expected a level of {column.name!r} ({shown}), got {value!r}.{did_you_mean(str(value), texts)}".rstrip(".")
    )


def _is_missing(value: Any) -> bool:
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}  # known by name: pandas is not imported


def _check_finite(column: Column, value: Any) -> None:
    if isinstance(value, float) and math.isinf(value):
        raise CrakeError(f"expected a finite number for {column.name!r}, got {value}")
    if isinstance(value, int) and abs(value) > MOST_VALUE:
        raise CrakeError(f"expected a number below 10^300 for {column.name!r}, got one of {value.bit_length():,} bits")


def checked_given(given: Any) -> Mapping[str, Any]:
    """Return evidence by name; raise if it is no mapping."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise CrakeError(f"expected given={{name: value}}, got {given!r}; write given={{'Storm': True}}")
    return given
