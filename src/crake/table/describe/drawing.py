"""A column of a table as a picture: its histogram, one class below the other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError
from crake.render.drawing.axis import NARROWEST
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.histogram import ClassHistogram, HistogramPicture, histogram_drawing
from crake.render.format_numbers import amount
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.table.notation import mean_text
from crake.table.schema import Column, Kind
from crake.table.table import Table

LARGEST = 1e300
"""Numbers beyond cannot be laid out: the width of their range is no float."""
MOST_CLASSES, MOST_LEVELS = 12, 40
"""Classes drawn below each other, and levels beside each other; of more the most frequent."""
_NOTHING = "the column has no known value, so there is nothing to draw"


def draw_column(table: Table, name: str, *, bins: int | None = None, width: float = 560) -> Drawing:
    """Return the shares of a column's values within each class, with one scale for all classes.

    >>> from crake.table.examples import load
    >>> draw_column(load("iris"), "petal length (cm)").finding
    'The mean is 1.46 in setosa, 4.26 in versicolor, 5.55 in virginica.'
    """
    table.require_memory("a histogram")
    names = [column.name for column in table.schema.features]
    if name not in names:
        raise ColumnNotFound(name, names)
    column, classes = table.schema[name], _classes(table)
    picture = _levels if column.kind is Kind.NOMINAL else _numbers
    return histogram_drawing(picture(table, column, classes, bins), width)


def number_heights(values: Floats, weights: Floats, edges: Floats) -> tuple[float, ...]:
    """Return the density of each bin: its share of all known rows over its width."""
    counts, _ = np.histogram(values, edges, weights=weights)
    total = float(weights.sum())
    return tuple((counts / (total or 1.0) / np.diff(edges)).tolist())


def number_edges(values: Floats, bins: int | None) -> Floats:
    """Return the edges of √rows bins (8 to 30) of equal width over all known values, around whole numbers if all are.

    >>> number_edges(np.array([1.0, 2.0, 2.0, 4.0]), None)
    array([0.5, 1.5, 2.5, 3.5, 4.5])
    """
    if bins is not None and bins < 1:
        raise CrakeError(f"bins={bins}; expected a whole number from 1")
    if not len(values):
        raise CrakeError(_NOTHING)
    count = bins or min(30, max(8, math.isqrt(len(values))))
    low, high = float(values.min()), float(values.max())
    if not max(-low, high) < LARGEST:
        raise CrakeError(f"the column goes from {low:g} to {high:g}, which is too wide to be drawn; divide it")
    if bins is None and high - low < 1e9 and np.all(values == np.floor(values)):
        step = max(1, math.ceil((high - low + 1) / count))
        return np.arange(low - 0.5, high + step, step)
    if high - low <= NARROWEST:
        half = abs(low) * 0.01 if abs(low) > 100 * NARROWEST else 0.5
        low, high = low - half, high + half
    return np.linspace(low, high, count + 1)


def class_rows(table: Table, class_: int) -> NDArray[np.intp]:
    """Return the rows of a class; all rows where the table has no classes."""
    return np.arange(len(table)) if class_ < 0 else np.flatnonzero(table.target == class_)


def _classes(table: Table) -> list[int]:
    """Return the classes to draw by their numbers; −1, all rows, where there are none."""
    if table.schema.target is None or table.schema[table.schema.target].kind is Kind.NUMERIC:
        return [-1]
    known = table.target >= 0
    counts = np.bincount(table.target[known], _weights(table)[known], len(table.schema.classes))
    return sorted(int(k) for k in np.argsort(-counts, kind="stable")[:MOST_CLASSES] if counts[k] > 0)


def _numbers(table: Table, column: Column, classes: list[int], bins: int | None) -> HistogramPicture:
    values, weights = np.asarray(table.column(column.name), np.float64), _weights(table)
    known = ~np.isnan(values) & (weights > 0)
    edges = number_edges(values[known], bins)
    are_days = column.is_date and bool(np.all(values[known] == np.floor(values[known])))
    histograms, means = [], []
    for k in classes:
        rows = class_rows(table, k)
        rows = rows[known[rows]]
        total = float(weights[rows].sum())
        histograms.append(ClassHistogram(_name(table, k), total, number_heights(values[rows], weights[rows], edges)))
        if total > 0:
            mean = float(weights[rows] @ values[rows]) / total
            mean = round(mean) if are_days else mean
            means.append(f"{mean_text(column, mean, amount(mean, 3))} in {_name(table, k)}")
    finding = f"The mean is {', '.join(means)}." if means else "No row of these classes has a value."
    return _picture(table, column, finding, tuple(histograms), classes, edges=tuple(edges.tolist()))


def _levels(table: Table, column: Column, classes: list[int], bins: int | None) -> HistogramPicture:
    del bins
    codes, weights = np.asarray(table.column(column.name)), _weights(table)
    overall = np.bincount(codes[codes >= 0], weights[codes >= 0], len(column.levels))
    if not overall.any():
        raise CrakeError(_NOTHING)
    chosen = sorted(int(v) for v in np.argsort(-overall, kind="stable")[:MOST_LEVELS])
    histograms, most = [], []
    for k in classes:
        rows = class_rows(table, k)
        rows = rows[codes[rows] >= 0]
        counts = np.bincount(codes[rows], weights[rows], len(column.levels))
        shares = counts / (counts.sum() or 1.0)
        histograms.append(ClassHistogram(_name(table, k), float(counts.sum()), tuple(shares[chosen].tolist())))
        if counts.any():
            most.append((str(column.levels[int(np.argmax(counts))]), _name(table, k)))
    names = tuple(str(column.levels[v]) for v in chosen)
    return _picture(table, column, _most_frequent(most), tuple(histograms), classes, names=names)


def _most_frequent(most: list[tuple[str, str]]) -> str:
    """Return the sentence on the most frequent value of each class.

    >>> _most_frequent([("a", "yes"), ("b", "no")]), _most_frequent([("a", "yes"), ("a", "no")])
    ('Most frequent is a in yes, b in no.', 'Most frequent is a in both classes.')
    """
    if len(most) > 1 and len({value for value, _ in most}) == 1:
        return f"Most frequent is {most[0][0]} in {'both' if len(most) == 2 else f'all {len(most)}'} classes."
    named = ", ".join(f"{value} in {name}" for value, name in most)
    return f"Most frequent is {named}." if most else "No row of these classes has a value."


def _picture(
    table: Table,
    column: Column,
    finding: str,
    histograms: tuple[ClassHistogram, ...],
    classes: list[int],
    edges: tuple[float, ...] = (),
    names: tuple[str, ...] = (),
) -> HistogramPicture:
    others = max(0, len(table.schema.classes) - len(classes)) if classes != [-1] else 0
    notes = [f"Left out: {counted(others, 'class', 'classes')} with fewer rows, or none."] if others else []
    if names and len(column.levels) > MOST_LEVELS:
        notes.append(f"The {MOST_LEVELS} most frequent of {len(column.levels)} values.")
    return HistogramPicture(
        f"{shown(column.name, 60)} by class" if classes != [-1] else shown(column.name, 60),
        shown(table.name, 60),
        finding,
        shown(column.name, 80),
        histograms,
        edges,
        names,
        tuple(notes),
        is_date=column.is_date,
    )


def _name(table: Table, class_: int) -> str:
    return "all rows" if class_ < 0 else str(table.schema.classes[class_])


def _weights(table: Table) -> Floats:
    return np.ones(len(table)) if table.weights is None else table.weights
