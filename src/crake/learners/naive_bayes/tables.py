"""Frequency and likelihood tables as the lectures print them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.learners.naive_bayes.smoothing import overall_shares
from crake.learners.priors import prior_written
from crake.render.grid import Grid
from crake.render.workings import number
from crake.table.schema import Column, Kind

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier

LONGEST = 20
"""Levels of a column printed before the rest is only counted."""


def likelihood_grids(model: NaiveBayesClassifier) -> tuple[Grid, ...]:
    """One grid a column, in the order of the table: counts and P(value given class), or mean and deviation."""
    nominal, numeric = iter(range(len(model.likelihood_))), iter(range(model.gaussians_.mean.shape[1]))
    return tuple(
        _nominal_grid(model, column, next(nominal))
        if column.kind is Kind.NOMINAL
        else _numeric_grid(model, column, next(numeric))
        for column in model.schema_.features
    )


def prior_grid(model: NaiveBayesClassifier) -> Grid:
    """Class counts and priors."""
    total = model.class_count_.sum()
    rows = tuple(
        (str(label), number(count), prior_written(model.prior, count, total, len(model.classes_), prior))
        for label, count, prior in zip(model.classes_, model.class_count_, model.class_prior_, strict=True)
    )
    return Grid(model.schema_.target or "class", ("class", "rows", "P(class)"), rows)


def model_text(model: NaiveBayesClassifier) -> str:
    """The whole model."""
    title = f"Naive Bayes: {number(model.class_count_.sum())} rows, {len(model.schema_.features)} columns"
    return "\n\n".join([title, str(prior_grid(model)), *map(str, likelihood_grids(model))])


def _nominal_grid(model: NaiveBayesClassifier, column: Column, j: int) -> Grid:
    values = model.statistics_.value_counts
    assert values is not None  # noqa: S101 - a fitted model has them
    counts = values.table(j)[0]
    known = counts.sum(axis=1)
    overall = overall_shares(counts)
    classes = [str(label) for label in model.classes_]
    header = ("value", *classes, *(f"P(·|{label})" for label in classes))
    rows = [
        (
            str(level),
            *(number(count) for count in counts[:, v]),
            *(
                model.smoothing.worked(counts[k, v], known[k], overall[v], len(column.levels), model.floor)
                for k in range(len(classes))
            ),
        )
        for v, level in enumerate(column.levels[:LONGEST])
    ]
    if len(column.levels) > LONGEST:
        rows.append((f"… {len(column.levels) - LONGEST} more", *[""] * (len(header) - 1)))
    return Grid(column.name, header, tuple(rows))


def _numeric_grid(model: NaiveBayesClassifier, column: Column, j: int) -> Grid:
    moments = model.statistics_.class_moments
    assert moments is not None  # noqa: S101 - a fitted model has them
    classes = [str(label) for label in model.classes_]
    deviation = model.gaussians_.deviation[:, j]
    return Grid(
        column.name,
        ("", *classes),
        (
            ("rows known", *(number(n) for n in moments.weight[0, :, j])),
            ("mean", *(number(mean) for mean in model.mean_[:, j])),
            ("standard deviation", *(number(sigma) for sigma in deviation)),
        ),
    )
