"""The features of a table as CHAID sees them: categories, a number's being the intervals between its cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound, SchemaError
from crake.learners.discretize.cuts import equal_frequency_cuts
from crake.learners.tree.growing.training_rows import Training
from crake.table.schema import Column as Feature
from crake.table.schema import Kind, Label, Schema

Codes = NDArray[np.int64]

MOST_VALUES = 1000
"""Values are compared in pairs: a nominal column with more of them is left out, with a warning."""


@dataclass(frozen=True, eq=False)
class Column:
    """A feature as categories: codes 0 … values − 1, −1 where missing; a number's categories lie between `cuts`.

    `turns` has the categories in the order of their names, the missing one, here `values`, first; of an ordered column
    it is empty.
    """

    feature: int
    codes: Codes
    values: int
    cuts: Floats | None
    is_ordered: bool
    turns: tuple[int, ...] = ()


def ordinal_features(schema: Schema, ordinal: Any) -> set[int]:
    """The features that were called ordinal, by name or position."""
    names = [column.name for column in schema.features]
    features = set()
    for each in ordinal:
        if isinstance(each, str):
            if each not in names:
                raise ColumnNotFound(each, names, where=" to call ordinal")
            position = names.index(each)
        else:
            position = int(each)
            if not 0 <= position < len(names):
                raise SchemaError(f"ordinal names column {position}; expected 0 … {len(names) - 1}")
        features.add(position)
    return features


def left_out_features(schema: Schema) -> set[int]:
    """Columns of too many values to compare in pairs."""
    return {
        feature
        for feature, column in enumerate(schema.features)
        if column.kind is Kind.NOMINAL and len(column.levels) > MOST_VALUES
    }


def numeric_cuts(training: Training, bins: int) -> list[Floats]:
    """For each feature the cuts into intervals of about equal weight; none for a nominal one."""
    weights = training.row_weights
    cuts = []
    for feature in range(len(training.layout)):
        own = np.zeros(0)
        if training.layout.is_numeric[feature]:
            values = training.values[:, training.layout.place[feature]]
            known = ~np.isnan(values)
            own = equal_frequency_cuts(*_distinct(values[known], weights[known]), bins)
        cuts.append(own)
    return cuts


def _distinct(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the distinct values, ascending, and the weight of each."""
    if (weights == 1.0).all():  # sorting values is quicker than sorting their places
        distinct, counts = np.unique(values, return_counts=True)
        return distinct, counts.astype(np.float64)
    distinct, place = np.unique(values, return_inverse=True)
    return distinct, np.bincount(place, weights).astype(np.float64)


def columns_of(
    training: Training, features: Sequence[Feature], cuts: list[Floats], ordered: set[int], left_out: set[int]
) -> list[Column]:
    """The features as categories, but for those left out."""
    columns = []
    for feature in range(len(training.layout)):
        if feature in left_out:
            continue
        place = int(training.layout.place[feature])
        if training.layout.is_numeric[feature]:
            columns.append(_intervals(feature, training.values[:, place], cuts[feature]))
        else:
            codes = np.maximum(training.codes[place].astype(np.int64), -1)
            levels, is_ordered = features[feature].levels, feature in ordered
            turns = () if is_ordered else _by_name(levels)
            columns.append(Column(feature, codes, len(levels), None, is_ordered, turns))
    return columns


def _intervals(feature: int, values: Floats, cuts: Floats) -> Column:
    codes = np.where(np.isnan(values), -1, np.searchsorted(cuts, values, side="left"))
    return Column(feature, codes.astype(np.int64), len(cuts) + 1, cuts, is_ordered=True)


def _by_name(levels: tuple[Label, ...]) -> tuple[int, ...]:
    """The codes of levels in the order of their names, after the missing value, whose code is one more.

    >>> _by_name(("low", "high"))
    (2, 1, 0)
    """
    by_name = sorted(range(len(levels)), key=lambda code: (type(levels[code]).__name__, levels[code]))
    return (len(levels), *by_name)
