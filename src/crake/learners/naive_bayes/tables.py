"""Frequency and likelihood tables as the lectures print them."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.base.priors import prior_written
from crake.learners.discretize.intervals import interval_names
from crake.learners.naive_bayes.word_tables import top_word_grid
from crake.render.grid import Grid
from crake.render.workings import number
from crake.statistics import ClassMoments, ValueCounts
from crake.table.notation import mean_text, value_text, width_text
from crake.table.schema import Column, Kind, Label

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


LONGEST = 20
"""Levels of a column printed before the rest is only counted."""


def likelihood_grids(model: NaiveBayesClassifier) -> tuple[Grid, ...]:
    """Return one grid per column, in table order: counts and P(value given class), or the density; then words."""
    nominal, numeric = count(), count()
    return tuple(
        _nominal_grid(model, column, next(nominal))
        if column.kind is Kind.NOMINAL
        else _numeric_grid(model, column, next(numeric))
        for column in model.schema_.features
    ) + tuple(top_word_grid(model, words, LONGEST) for words in model.words_)


def prior_grid(model: NaiveBayesClassifier) -> Grid:
    """Class counts and priors."""
    total = model.class_count_.sum()
    rows = tuple(
        (str(label), number(n), prior_written(model.prior, n, total, len(model.classes_), prior))
        for label, n, prior in zip(model.classes_, model.class_count_, model.class_prior_, strict=True)
    )
    return Grid(model.schema_.target or "class", ("class", "rows", "P(class)"), rows)


def model_text(model: NaiveBayesClassifier) -> str:
    """Return the whole model."""
    columns = len(model.schema_.features) + len(model.words_)
    name = model.card.title[:1].upper() + model.card.title[1:]
    of_columns = "1 column" if columns == 1 else f"{columns} columns"
    title = f"{name}: {number(model.class_count_.sum())} rows, {of_columns}"
    return "\n\n".join([title, str(prior_grid(model)), *map(str, likelihood_grids(model))])


def _nominal_grid(model: NaiveBayesClassifier, column: Column, j: int) -> Grid:
    values = model.statistics_[ValueCounts]
    return _counts_grid(model, column.name, column.levels, values.table(j)[0])


def _counts_grid(model: NaiveBayesClassifier, name: str, levels: tuple[Label, ...], counts: Floats) -> Grid:
    classes = [str(label) for label in model.classes_]
    header = ("value", *classes, *(f"P(·|{label})" for label in classes))
    fractions = model.smoothing.written(counts, range(min(len(levels), LONGEST)), model.floor, briefly=True)
    rows = [
        (
            str(level),
            *(number(n) for n in counts[:, v]),
            *written,
        )
        for (v, level), written in zip(enumerate(levels[:LONGEST]), fractions, strict=True)
    ]
    if len(levels) > LONGEST:
        rows.append((f"… {len(levels) - LONGEST} more", *[""] * (len(header) - 1)))
    return Grid(name, header, tuple(rows))


def _numeric_grid(model: NaiveBayesClassifier, column: Column, j: int) -> Grid:
    if model.numeric_ == "discretised":
        own = model.intervals_[j]
        return _counts_grid(model, column.name, interval_names(own.cuts, is_date=column.is_date), own.counts)
    return _kernel_grid(model, column, j) if model.numeric_ == "kernel" else _normal_grid(model, column, j)


def _kernel_grid(model: NaiveBayesClassifier, column: Column, j: int) -> Grid:
    """Return the kernels of each class: how many, from where to where, how wide."""
    kernels, classes = model.kernels_, range(len(model.classes_))
    points = [kernels.points[kernels.of(j, k)] for k in classes]
    exponent = int(kernels.exponent[j])
    ends = [[_value(column, float(np.ldexp(p[end], exponent))) if len(p) else "" for p in points] for end in (0, -1)]
    return Grid(
        column.name,
        ("", *(str(label) for label in model.classes_)),
        (
            ("rows known", *(number(kernels.weights[kernels.of(j, k)].sum()) for k in classes)),
            ("kernels", *(number(len(p)) for p in points)),
            ("smallest", *ends[0]),
            ("largest", *ends[1]),
            ("bandwidth", *(width_text(column, number(float(np.ldexp(h, exponent)))) for h in kernels.bandwidth[j])),
        ),
    )


def _normal_grid(model: NaiveBayesClassifier, column: Column, j: int) -> Grid:
    moments = model.statistics_[ClassMoments]
    classes = [str(label) for label in model.classes_]
    deviation = model.gaussians_.deviation[:, j]
    return Grid(
        column.name,
        ("", *classes),
        (
            ("rows known", *(number(n) for n in moments.weight[0, :, j])),
            ("mean", *(mean_text(column, float(mean), number(mean)) for mean in model.mean_[:, j])),
            ("standard deviation", *(width_text(column, number(sigma)) for sigma in deviation)),
        ),
    )


def _value(column: Column, value: float) -> str:
    return value_text(column, value, number(value))
