"""The state of numeric columns that are counted or have kernels, in a model file.

Intervals are stored as cuts and counts; the values they were cut from stay behind. Kernels are the distinct values
themselves: without them a density is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import MOST, SLACK, statistics_of, statistics_state
from crake.learners.naive_bayes.discretised import Intervals
from crake.statistics import ClassCounts, DistinctCounts, Statistic, Statistics, ValueCounts, WordCounts

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


def counted_state(model: NaiveBayesClassifier) -> State:
    """Return the counts of nominal columns, and the intervals or kernels of numeric ones."""
    state: State = {"statistics": statistics_state(model.statistics_, _counted_members(model))}
    if model.numeric_ == "kernel":
        return {**state, "kernels": statistics_state(model.statistics_, (DistinctCounts,))}
    return {**state, "intervals": intervals_state(model.intervals_, len(model.classes_))}


def counted_statistics(reader: StateReader, model: NaiveBayesClassifier) -> Statistics:
    """Return the statistics of this state: counts, and the distinct values where each has a kernel."""
    schema = model.schema_
    statistics = statistics_of(reader.part("statistics"), schema, _counted_members(model))
    if model.numeric != "kernel":
        return statistics
    return statistics.with_part(DistinctCounts.from_state(reader.part("kernels"), schema, statistics))


def _counted_members(model: NaiveBayesClassifier) -> list[type[Statistic]]:
    """Return the counts that the model reads: of classes and values, and of words if it reads text."""
    counted: list[type[Statistic]] = [ClassCounts, ValueCounts, WordCounts]
    return [member for member in counted if member in model.stored_statistics]


def intervals_state(columns: Sequence[Intervals], classes: int) -> State:
    """Return all columns one after the other: `widths` says how many intervals each has, one more than cuts."""
    return {
        "widths": np.array([column.counts.shape[1] for column in columns], np.int64),
        "cuts": np.concatenate([np.zeros(0), *(column.cuts for column in columns)]),
        "counts": np.concatenate([np.zeros((classes, 0)), *(column.counts for column in columns)], axis=1),
    }


def intervals_of(reader: StateReader, statistics: Statistics) -> tuple[Intervals, ...]:
    """Cuts that ascend, and counts of no more rows than there are."""
    columns, classes = len(statistics.schema.numeric), len(statistics.classes)
    counts = reader.floats("counts", (classes, None), 0, MOST)
    cuts = reader.floats("cuts", (None,))
    widths = reader.integers("widths", np.int64, (columns,), 1, max(1, counts.shape[1]))
    if widths.sum() != counts.shape[1] or counts.shape[1] - columns != len(cuts):
        raise reader.refusal(
            "widths", "does not share out the intervals", f"{counts.shape[1]} in all, a cut between two"
        )
    result = tuple(
        Intervals(own_cuts, np.ascontiguousarray(own_counts))
        for own_cuts, own_counts in zip(
            np.split(cuts, np.cumsum(widths - 1)[:-1]), np.split(counts, np.cumsum(widths)[:-1], axis=1), strict=True
        )
    )[:columns]
    for column in result:
        if np.any(np.diff(column.cuts) <= 0):
            raise reader.refusal("cuts", "does not ascend", "ascending numbers in every column")
        _check_rows(reader, column.counts.sum(axis=1), statistics)
    return result


def _check_rows(reader: StateReader, rows: Floats, statistics: Statistics) -> None:
    if np.any(rows > statistics[ClassCounts].counts[0] * SLACK):
        raise reader.refusal("counts", "counts more rows of a class than there are", "at most class_counts")
