"""What a model file holds of numeric columns that are counted or have kernels, and how it is taken back.

Intervals are stored as cuts and counts; the values they were cut from stay behind. Kernels are the distinct values
themselves: without them there is no density.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.learners.base.state import Given, State
from crake.learners.base.state.statistics import MOST, SLACK, statistics_of, statistics_state
from crake.learners.naive_bayes.discretised import Intervals
from crake.statistics.distinct_counts import DistinctCounts
from crake.statistics.gather import Statistics
from crake.table.schema import Schema

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier

Floats = NDArray[np.float64]


def counted_state(model: NaiveBayesClassifier) -> State:
    """The counts of nominal columns, and the intervals or kernels of numeric ones."""
    counts = replace(model.statistics_, distinct_counts=())
    state: State = {"statistics": statistics_state(counts, ("values",))}
    if model.numeric_ == "kernel":
        return {**state, "kernels": distinct_state(model.statistics_.distinct_counts)}
    return {**state, "intervals": intervals_state(model.intervals_, len(model.classes_))}


def counted_statistics(given: Given, schema: Schema, *, kernels: bool) -> Statistics:
    """The statistics of this state: counts, and the distinct values where each has a kernel."""
    statistics = statistics_of(given.part("statistics"), schema, ("values",))
    return (
        replace(statistics, distinct_counts=distinct_of(given.part("kernels"), statistics)) if kernels else statistics
    )


def intervals_state(columns: Sequence[Intervals], classes: int) -> State:
    """All columns one after the other: `widths` says how many intervals each has, one more than cuts."""
    return {
        "widths": np.array([column.counts.shape[1] for column in columns], np.int64),
        "cuts": np.concatenate([np.zeros(0), *(column.cuts for column in columns)]),
        "counts": np.concatenate([np.zeros((classes, 0)), *(column.counts for column in columns)], axis=1),
    }


def intervals_of(given: Given, statistics: Statistics) -> tuple[Intervals, ...]:
    """Cuts that ascend, and counts of no more rows than there are."""
    columns, classes = len(statistics.schema.numeric), len(statistics.classes)
    counts = given.floats("counts", (classes, None), 0, MOST)
    cuts = given.floats("cuts", (None,))
    widths = given.integers("widths", np.int64, (columns,), 1, max(1, counts.shape[1]))
    if widths.sum() != counts.shape[1] or counts.shape[1] - columns != len(cuts):
        raise given.refusal(
            "widths", "does not share out the intervals", f"{counts.shape[1]} in all, a cut between two"
        )
    found = tuple(
        Intervals(own_cuts, np.ascontiguousarray(own_counts))
        for own_cuts, own_counts in zip(
            np.split(cuts, np.cumsum(widths - 1)[:-1]), np.split(counts, np.cumsum(widths)[:-1], axis=1), strict=True
        )
    )[:columns]
    for column in found:
        if np.any(np.diff(column.cuts) <= 0):
            raise given.refusal("cuts", "does not ascend", "ascending numbers in every column")
        _check_rows(given, column.counts.sum(axis=1), statistics)
    return found


def distinct_state(columns: Sequence[DistinctCounts]) -> State:
    """The cells of all columns one after the other; `cells` says how many each has."""
    classes = len(columns[0].classes) if columns else 0
    return {
        "cells": np.array([len(column.value) for column in columns], np.int64),
        "values": np.concatenate([np.zeros(0), *(column.value for column in columns)]),
        "classes": np.concatenate([np.zeros(0, np.int32), *(column.class_ for column in columns)]),
        "counts": np.concatenate([np.zeros(0), *(column.count for column in columns)]),
        "missing": np.concatenate([np.zeros((0, classes)), *(column.missing for column in columns)]),
    }


def distinct_of(given: Given, statistics: Statistics) -> tuple[DistinctCounts, ...]:
    """Cells ascending by value, then class, of no more rows than there are."""
    columns, K = statistics.schema.numeric, len(statistics.classes)
    value = given.floats("values", (None,))
    class_ = given.integers("classes", np.int32, (len(value),), 0, K - 1)
    count = given.floats("counts", (len(value),), 0, MOST)
    missing = given.floats("missing", (len(columns), K if columns else 0), 0, MOST)
    cells = given.integers("cells", np.int64, (len(columns),), 0, len(value))
    if cells.sum() != len(value):
        raise given.refusal("cells", "does not share out the values", f"{len(value)} in all")
    stops = np.cumsum(cells)
    found = []
    for j, column in enumerate(columns):
        own = slice(int(stops[j] - cells[j]), int(stops[j]))
        no_group = np.zeros(int(cells[j]), np.int32)
        counts = DistinctCounts(
            column, statistics.classes, value[own], no_group, class_[own], count[own], missing[j : j + 1]
        )
        _check_order(given, counts)
        _check_rows(given, np.bincount(counts.class_, counts.count, K) + counts.missing[0], statistics)
        found.append(counts)
    return tuple(found)


def _check_order(given: Given, counts: DistinctCounts) -> None:
    value, class_ = counts.value, counts.class_
    ascends = (value[1:] > value[:-1]) | ((value[1:] == value[:-1]) & (class_[1:] > class_[:-1]))
    if not np.all(ascends) or np.any(counts.count <= 0):
        raise given.refusal("values", "does not ascend, or has a value without rows", "each value and class once")


def _check_rows(given: Given, rows: Floats, statistics: Statistics) -> None:
    if np.any(rows > statistics.class_counts.counts[0] * SLACK):
        raise given.refusal("counts", "counts more rows of a class than there are", "at most class_counts")
