"""The numeric rules of 1R in a model file: cuts and class counts, without the values they were cut from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import MOST, SLACK
from crake.learners.one_rule.rules import AttributeRules
from crake.statistics import ClassCounts, Statistics


def buckets_state(rules: Sequence[AttributeRules], classes: int) -> State:
    """Return all columns one after the other: the number of `branches` of each, and if the last is `missing`.

    A column with b intervals has b − 1 cuts.
    """
    counts = [each.counts for each in rules]
    return {
        "branches": np.array([len(each) for each in counts], np.int64),
        "missing": np.array([each.has_missing for each in rules], np.uint8),
        "counts": np.concatenate([np.zeros((0, classes)), *counts]),
        "cuts": np.concatenate([np.zeros(0), *(each.cuts for each in rules)]),
    }


def buckets_of(reader: StateReader, statistics: Statistics) -> tuple[AttributeRules, ...]:
    """Return the rules of every numeric column; cuts ascend, and no branch counts more rows than there are."""
    columns, classes = statistics.schema.numeric, statistics.classes
    counts = reader.floats("counts", (None, len(classes)), 0, MOST)
    cuts = reader.floats("cuts", (None,))
    branches = reader.integers("branches", np.int64, (len(columns),), 0, len(counts))
    missing = reader.integers("missing", np.uint8, (len(columns),), 0, 1).astype(np.int64)
    if np.any(branches < missing) or branches.sum() != len(counts):
        raise reader.refusal("branches", "does not share out the counts", f"{len(counts)} branches in all")
    intervals = branches - missing
    widths = np.maximum(intervals - 1, 0)
    if widths.sum() != len(cuts):
        raise reader.refusal("cuts", f"has {len(cuts)} numbers", f"{widths.sum()}, one fewer than intervals")
    _check_cuts(reader, cuts, np.repeat(np.arange(len(columns)), widths))
    _check_counts(reader, counts, branches, statistics[ClassCounts].counts[0])
    rows, places = np.split(counts, np.cumsum(branches)[:-1]), np.split(cuts, np.cumsum(widths)[:-1])
    return tuple(
        AttributeRules(column, classes, row, place, bool(has_missing))
        for column, row, place, has_missing in zip(columns, rows, places, missing, strict=False)
    )


def _check_cuts(reader: StateReader, cuts: Floats, column: NDArray[np.int64]) -> None:
    if np.any((cuts[1:] <= cuts[:-1]) & (column[1:] == column[:-1])):
        raise reader.refusal("cuts", "does not ascend", "ascending numbers in every column")


def _check_counts(reader: StateReader, counts: Floats, branches: NDArray[np.int64], of_class: Floats) -> None:
    """Every row falls in one branch of a column, so the branches count at most the rows of each class."""
    total = np.zeros((len(branches), len(of_class)))
    np.add.at(total, np.repeat(np.arange(len(branches)), branches), counts)
    if np.any(total > of_class * SLACK):
        raise reader.refusal("counts", "counts more rows of a class than there are", "at most class_counts")
