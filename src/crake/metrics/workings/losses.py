"""Hand calculations of means over rows: log loss, Brier score, absolute and squared errors, with the largest rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.estimate import Estimate
from crake.metrics.probability.log_loss import SMALLEST
from crake.metrics.workings.interval import interval_section, student_section
from crake.metrics.workings.page import page
from crake.render.grid import Grid
from crake.render.short_repr import short_repr
from crake.render.workings import Section, Step, Workings, number

LISTED = 8
"""Rows whose terms are listed, the largest first."""


@dataclass(frozen=True, eq=False)
class Tested:
    """Rows that were tested: their numbers, class codes, probabilities and weights; the labels of the classes."""

    rows: NDArray[np.intp]
    actual: NDArray[np.integer[Any]]
    probabilities: Floats
    weights: Floats
    labels: Sequence[object]

    __repr__ = short_repr

    @property
    def of_actual(self) -> Floats:
        """The probability of each row's own class."""
        return np.asarray(self.probabilities[np.arange(len(self.actual)), self.actual])


def explain_log_loss(tested: Tested, estimate: Estimate) -> Workings:
    """−log P(actual class), averaged over the rows."""
    p = np.clip(tested.of_actual, SMALLEST, 1.0)
    terms = -np.log(p) + 0.0
    written = [f"−log({number(float(each))})" for each in p]
    about = "how surprised the probabilities were, −log P(actual class), on average"
    return _mean("log loss", about, "Σ −log P(actual) / n", tested, terms, written, estimate)


def explain_brier(tested: Tested, estimate: Estimate) -> Workings:
    """(p − y)² of one class where there are two; summed over the classes where there are more."""
    difference = tested.probabilities.copy()
    difference[np.arange(len(difference)), tested.actual] -= 1
    squares = np.einsum("ij,ij->i", difference, difference)
    if difference.shape[1] == 2:
        written = [f"({number(float(p))} − 1)²" for p in tested.of_actual]
        about = "the squared error of P(actual class), on average"
        return _mean("Brier score", about, "Σ (p − 1)² / n", tested, squares / 2, written, estimate)
    about = "the squared errors of the probabilities, summed over the classes, on average"
    return _mean("Brier score", about, "Σ Σ (p − y)² / n", tested, squares, (), estimate)


def _mean(
    name: str, about: str, formula: str, tested: Tested, terms: Floats, written: Sequence[str], estimate: Estimate
) -> Workings:
    if estimate.value is None:
        return page(name, about, [Section("Rows", lines=(f"{len(terms)} rows were tested",))], estimate)
    order = np.argsort(-terms * (tested.weights > 0), kind="stable")[:LISTED]
    rows = tuple(
        (
            str(int(tested.rows[i])),
            str(tested.labels[int(tested.actual[i])]),
            number(float(tested.of_actual[i])),
            *([written[i]] if written else []),
            number(float(terms[i])),
        )
        for i in order
    )
    header = ("row", "class", "P(its class)", "term", "=") if written else ("row", "class", "P(its class)", "term")
    section = Section(f"The largest of {len(terms)} terms", tables=(Grid("", header, rows),))
    total = averaged(name, formula, terms, tested.weights, order, estimate)
    return page(
        name, about, [section, total, student_section(terms, tested.weights, estimate, _most(name, tested))], estimate
    )


def _most(name: str, tested: Tested) -> float:
    """Return the largest value of a term: 1 or 2 for the Brier score, none for the log loss."""
    return (1.0 if tested.probabilities.shape[1] == 2 else 2.0) if name == "Brier score" else math.inf


def averaged(
    name: str, formula: str, terms: Floats, weights: Floats, listed: NDArray[np.intp], estimate: Estimate
) -> Section:
    """The sum in two parts, the terms listed and the others, over the rows."""
    n = float(weights.sum())
    largest = float(np.dot(weights[listed], terms[listed]))
    others = float(np.dot(weights, terms)) - largest
    parts = f"({number(largest)} + {number(others)}) / {number(n)}" if len(terms) > len(listed) else ""
    source = f"the {len(listed)} terms above, and the other {len(terms) - len(listed)}"
    only = f"{number(largest)} / {number(n)}"
    assert estimate.value is not None  # noqa: S101 - asked before
    return Section("Mean", (Step(name, formula, parts or only, number(estimate.value), source if parts else ""),))


def explain_numbers(
    name: str, rows: NDArray[np.intp], actual: Floats, predicted: Floats, weights: Floats, estimate: Estimate
) -> Workings:
    """RMSE, MAE or R² of predicted numbers."""
    title, about = NUMBERS[name]
    if estimate.value is None:
        return page(title, about, [Section("Rows", lines=(f"{len(actual)} rows were tested",))], estimate)
    error = np.abs(actual - predicted)
    order = np.argsort(-error * (weights > 0), kind="stable")[:LISTED]
    lines = tuple(
        (str(int(rows[i])), number(float(actual[i])), number(float(predicted[i])), number(float(error[i])))
        for i in order
    )
    table = Grid("", ("row", "y", "predicted", "|error|"), lines)
    section = Section(f"The largest of {len(error)} errors", tables=(table,))
    if name == "mae":
        total = averaged(title, "Σ |y − predicted| / n", error, weights, order, estimate)
        return page(title, about, [section, total, student_section(error, weights, estimate)], estimate)
    steps = _squares(name, actual, error, weights, float(estimate.value))
    return page(title, about, [section, Section("Worked", steps), interval_section(estimate)], estimate)


NUMBERS = {
    "rmse": ("RMSE", "the root of the mean squared error"),
    "mae": ("MAE", "the mean absolute error"),
    "r_squared": ("R²", "the part of the variance that is explained"),
}


def _squares(name: str, actual: Floats, error: Floats, weights: Floats, value: float) -> tuple[Step, ...]:
    n, squares = float(weights.sum()), float(np.dot(weights, error**2))
    first = Step("squared errors", "Σ (y − predicted)²", "", number(squares), f"{number(n)} rows")
    if name == "rmse":
        return (first, Step("RMSE", "√(Σ (y − predicted)² / n)", f"√({number(squares)} / {number(n)})", number(value)))
    mean = float(np.dot(weights, actual) / n)
    spread = float(np.dot(weights, (actual - mean) ** 2))
    return (
        first,
        Step("mean of y", "Σ y / n", "", number(mean)),
        Step("squares about the mean", "Σ (y − mean)²", "", number(spread)),
        Step(
            "R²",
            "1 − squared errors / squares about the mean",
            f"1 − {number(squares)} / {number(spread)}",
            number(value),
        ),
    )
