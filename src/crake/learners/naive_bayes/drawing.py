"""Naive Bayes as a picture: the nomogram of two classes, or what it believes of one column, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError
from crake.learners.discretize.intervals import interval_names
from crake.learners.naive_bayes import predict
from crake.learners.naive_bayes.precision import log_interval, rounded
from crake.learners.pictures.nomogram import TICKS, Pair, middle_of_rows, nomogram_picture, pair_of, range_note
from crake.render.drawing.axis import ticks_within, written
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.histogram import ClassHistogram, HistogramPicture, histogram_drawing
from crake.render.drawing.nomogram import Attribute, NomogramPicture, Value
from crake.render.format_numbers import amount
from crake.render.plain_text import shown
from crake.statistics import ClassMoments
from crake.table.describe.drawing import number_edges, number_heights
from crake.table.notation import mean_text
from crake.table.schema import Column, Kind, Label
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


GRID = 121
"""Values at which a density is drawn."""
LARGEST = 1e300
"""Numbers beyond cannot be laid out: the width of their range is no float."""
MOST_CLASSES = 12
"""Classes drawn below each other."""


def nomogram_of(
    model: NaiveBayesClassifier, positive: Label | None, against: Label | None, most: int, table: Table | None
) -> NomogramPicture:
    """Log P(v given c) − log P(v given d) of each value; the prior is in the probability at the foot."""
    pair = pair_of(model.classes_, model.class_count_, positive, against)
    attributes = [_attribute(model, column, pair, table) for column in model.schema_.features]
    prior = model.class_prior_[[pair.positive, pair.against]]
    if not (prior > 0).all():
        raise CrakeError(f"a class of {pair.text} has the prior 0; there are no odds to draw")
    return nomogram_picture(
        f"Nomogram: {model.card.title}",
        [each for each in attributes if each is not None and each.has_influence],
        float(np.log(prior[0] / prior[1])),
        pair,
        most,
        "as missing",
        () if model.numeric_ == "discretised" else range_note(model.schema_, table, has_extent=_has_extents(model)),
    )


def _attribute(model: NaiveBayesClassifier, column: Column, pair: Pair, table: Table | None) -> Attribute | None:
    if column.kind is Kind.NOMINAL or model.numeric_ == "discretised":
        names, likelihood = _counted(model, column)
        logs = predict.log(likelihood)
        effects = _difference(logs[pair.positive], logs[pair.against])
        return Attribute(shown(column.name, 80), tuple(Value(n, float(e)) for n, e in zip(names, effects, strict=True)))
    mean, deviation = middle_and_spread(model, column)
    if not (0 < deviation < LARGEST and abs(mean) < LARGEST):
        return None  # constant, or beyond what can be laid out
    low, high = _drawn_range(model, column, table)
    ticks = np.array(ticks_within(low, high, TICKS, is_date=column.is_date) or (mean,))
    words = written(ticks.tolist(), is_date=column.is_date)
    step = 0.02 * deviation
    before, effects, after = (_effects(model, column, x, pair) for x in (ticks - step, ticks, ticks + step))
    values = tuple(
        Value(word, float(effect), bool(rise < 0))
        for word, effect, rise in zip(words, effects, _difference(after, before), strict=True)
    )
    return Attribute(shown(column.name, 80), values, is_number=True)


def _counted(model: NaiveBayesClassifier, column: Column) -> tuple[tuple[str, ...], Floats]:
    """Return the names of levels or intervals, and their likelihoods (classes, names)."""
    if column.kind is Kind.NOMINAL:
        j = [c.name for c in model.schema_.nominal].index(column.name)
        return tuple(shown(level, 60) for level in column.levels), model.likelihood_[j]
    j = [c.name for c in model.schema_.numeric].index(column.name)
    intervals = model.intervals_[j]
    # A column that was not cut is skipped, whatever its only interval holds.
    likelihood = model.interval_likelihood_[j] if intervals.has_influence else np.ones((len(model.classes_), 1))
    return interval_names(intervals.cuts, is_date=column.is_date), likelihood


def _effects(model: NaiveBayesClassifier, column: Column, values: Floats, pair: Pair) -> Floats:
    """Return what each value of a number adds to the log odds."""
    logs = log_densities(model, column, values)
    return _difference(logs[:, pair.positive], logs[:, pair.against])


def _difference(one: Floats, other: Floats) -> Floats:
    """Return one less the other; 0 where both rule the value out: the model then says nothing."""
    with np.errstate(invalid="ignore"):
        difference: Floats = one - other
    return np.where(np.isnan(difference), 0.0, difference)


def log_densities(model: NaiveBayesClassifier, column: Column, values: Floats) -> Floats:
    """Log of the density of a number given each class, shape (values, classes), as the model adds it up."""
    j = [c.name for c in model.schema_.numeric].index(column.name)
    log_floor = float(predict.log(np.float64(model.floor)))
    if model.numeric_ == "kernel":
        matrix = np.full((len(values), len(model.schema_.numeric)), np.nan)
        matrix[:, j] = values
        total = np.zeros((len(values), len(model.classes_)))
        model.kernels_.add_logs(matrix, log_floor, total)
        return total
    gaussians = model.gaussians_
    if hasattr(model, "precision_"):
        nearest = rounded(values, model.precision_[j])
        return np.maximum(log_interval(nearest, gaussians, j, float(model.precision_[j])), log_floor)
    x = values[:, None] * gaussians.scale[j]
    z = ((x - gaussians.mean[:, j]) - gaussians.rest[:, j]) * gaussians.precision[:, j]
    density: Floats = np.maximum(-0.5 * z * z - gaussians.log_norm[:, j], log_floor)
    return density


def _drawn_range(model: NaiveBayesClassifier, column: Column, table: Table | None) -> tuple[float, float]:
    """Return the middle of a table's rows, or the range of the training rows.

    Models of old files, and those that forgot their least or largest value, go two standard deviations from the mean.
    """
    if table is not None:
        return middle_of_rows(table, column.name)
    extent = _extent(model, column)
    if extent is not None:
        return extent
    mean, deviation = middle_and_spread(model, column)
    return mean - 2 * deviation, mean + 2 * deviation


def _extent(model: NaiveBayesClassifier, column: Column) -> tuple[float, float] | None:
    """Return the least and the largest value of a number that the model learned from; None if it does not know."""
    if model.numeric_ == "kernel":
        points = np.concatenate([values for values, _ in _kernels(model, column)])
        return float(points.min()), float(points.max())
    j = [c.name for c in model.schema_.numeric].index(column.name)
    least, largest = model.statistics_[ClassMoments].extent[:, 0, :, j]
    low, high = float(least.min()), float(largest.max())  # NaN stays NaN
    return (low, high) if np.isfinite([low, high]).all() else None


def _has_extents(model: NaiveBayesClassifier) -> bool:
    """Return True if the least and the largest value of every number that varies are known."""
    varying = [column for column in model.schema_.numeric if middle_and_spread(model, column)[1] > 0]
    return all(_extent(model, column) is not None for column in varying)


def _kernels(model: NaiveBayesClassifier, column: Column) -> list[tuple[Floats, Floats]]:
    """Return the values of each class that have a kernel, and their weights."""
    j = [c.name for c in model.schema_.numeric].index(column.name)
    kernels = model.kernels_
    parts = [kernels.of(j, k) for k in range(len(model.classes_))]
    return [(np.ldexp(kernels.points[part], kernels.exponent[j]), kernels.weights[part]) for part in parts]


def middle_and_spread(model: NaiveBayesClassifier, column: Column) -> tuple[float, float]:
    """Return the mean and the standard deviation of a number over all classes, as the model holds it."""
    j = [c.name for c in model.schema_.numeric].index(column.name)
    weight = model.class_count_ / model.class_count_.sum()
    if model.numeric_ == "gaussian":
        means, deviations = model.mean_[:, j], model.gaussians_.deviation[:, j]
    else:
        moments = [_moments(*points) for points in _kernels(model, column)]
        means, deviations = np.array(moments).reshape(-1, 2).T
    unit = float(max(np.abs(means).max(), deviations.max()))
    if not 0 < unit < np.inf:
        return (0.0, 0.0) if unit == 0 else (0.0, np.inf)
    # In parts of the largest: no square overflows, and none vanishes.
    means, deviations = means / unit, deviations / unit
    mean = float(weight @ means)
    return mean * unit, float(np.sqrt(weight @ (deviations**2 + (means - mean) ** 2))) * unit


def _moments(points: Floats, weights: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation of some values."""
    unit = float(np.abs(points).max(initial=0.0))
    if unit == 0:
        return 0.0, 0.0
    mean = float(np.average(points / unit, weights=weights))
    return mean * unit, float(np.sqrt(np.average((points / unit - mean) ** 2, weights=weights))) * unit


def draw_column(model: NaiveBayesClassifier, name: str | None, table: Table | None, width: float) -> Drawing:
    """Draw the likelihoods of one column, one class below the other: bars for levels, densities for numbers."""
    names = [column.name for column in model.schema_.features]
    if name is None:
        raise CrakeError(f"draw('column') needs column=…; one of {', '.join(names[:20])}")
    if name not in names:
        raise ColumnNotFound(name, names)
    column = model.schema_[name]
    classes = sorted(int(k) for k in np.argsort(-model.class_count_, kind="stable")[:MOST_CLASSES])
    if column.kind is Kind.NOMINAL or model.numeric_ == "discretised":
        return histogram_drawing(_bars(model, column, classes), width)
    return histogram_drawing(_densities(model, column, classes, table), width)


def _bars(model: NaiveBayesClassifier, column: Column, classes: list[int]) -> HistogramPicture:
    names, likelihood = _counted(model, column)
    likeliest = [f"{names[int(np.argmax(likelihood[k]))]} in {model.classes_[k]}" for k in classes]
    return HistogramPicture(
        f"What naive Bayes holds of {shown(column.name, 60)}",
        "P(value given class)",
        f"Most probable is {', '.join(likeliest)}.",
        shown(column.name, 80),
        tuple(
            ClassHistogram(str(model.classes_[k]), float(model.class_count_[k]), tuple(likelihood[k].tolist()))
            for k in classes
        ),
        names=names,
        notes=_left_out(model, classes),
    )


def _densities(
    model: NaiveBayesClassifier, column: Column, classes: list[int], table: Table | None
) -> HistogramPicture:
    mean, deviation = middle_and_spread(model, column)
    if not 0 < deviation < LARGEST:
        why = "is constant, so naive Bayes leaves it out" if deviation == 0 else "is too wide to be drawn; divide it"
        raise CrakeError(f"{column.name!r} {why}")
    behind, edges = _rows_behind(model, column, classes, table) if table is not None else ([()] * len(classes), ())
    low, high = (edges[0], edges[-1]) if edges else (mean - 3 * deviation, mean + 3 * deviation)
    grid = np.linspace(low, high, GRID)
    logs = log_densities(model, column, grid)
    densities = np.exp(logs - max(0.0, float(logs.max()) - 600))  # a column of 1e-320 has densities beyond floats
    peaks = [float(grid[int(np.argmax(densities[:, k]))]) for k in classes]
    tops = [f"{mean_text(column, x, amount(x, 3))} in {model.classes_[k]}" for x, k in zip(peaks, classes, strict=True)]
    curves = tuple(
        ClassHistogram(
            str(model.classes_[k]), float(model.class_count_[k]), heights, (grid.tolist(), densities[:, k].tolist())
        )
        for k, heights in zip(classes, behind, strict=True)
    )
    return HistogramPicture(
        f"What naive Bayes holds of {shown(column.name, 60)}",
        "density of each class" + (f", behind it the rows of {shown(table.name, 60)}" if table is not None else ""),
        f"The density is highest at {', '.join(tops)}.",
        shown(column.name, 80),
        curves,
        edges,
        notes=_left_out(model, classes),
        is_date=column.is_date,
    )


def _rows_behind(
    model: NaiveBayesClassifier, column: Column, classes: list[int], table: Table
) -> tuple[list[tuple[float, ...]], tuple[float, ...]]:
    """Return the histogram of each class's rows in a table, matched by the names of columns and classes."""
    coded = model._coded(table)  # noqa: SLF001 - one family
    values = np.asarray(coded.column(column.name), np.float64)
    known = ~np.isnan(values)
    edges = number_edges(values[known], None)
    labels = [str(label) for label in table.schema.classes]
    heights = []
    for k in classes:
        name = str(model.classes_[k])
        rows = np.flatnonzero(known & (table.target == labels.index(name))) if name in labels else np.zeros(0, np.intp)
        heights.append(number_heights(values[rows], np.ones(len(rows)), edges))
    return heights, tuple(edges.tolist())


def _left_out(model: NaiveBayesClassifier, classes: list[int]) -> tuple[str, ...]:
    omitted = len(model.classes_) - len(classes)
    return (f"The {omitted} least frequent classes are left out.",) if omitted else ()
