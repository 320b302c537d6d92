"""The say of each column in every row, learned from all other rows: log P(value given class), column by column.

A row of weight w counts as w rows, and one of them is left out: the whole row if w is 1 or less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.base.priors import class_prior
from crake.learners.naive_bayes.gaussian import SMALLEST
from crake.learners.naive_bayes.smoothing import Smoothing
from crake.table.schema import Column, Kind
from crake.table.table import Table

DIGITS = 0.01
"""Squares that shrink to a smaller share when a row leaves are added up anew: a difference would lose the digits."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of known class: their classes, weights, and the weight that is left out of each."""

    class_: Codes
    weight: Floats
    classes: int

    @classmethod
    def of(cls, table: Table) -> Rows:
        """Return the classes and weights of a table's rows."""
        weights = np.ones(len(table)) if table.weights is None else np.asarray(table.weights, np.float64)
        return cls(np.asarray(table.target), weights, len(table.schema.classes))

    @property
    def left_out(self) -> Floats:
        """The weight that each row loses."""
        return np.minimum(self.weight, 1.0)

    @property
    def counts(self) -> Floats:
        """The weight of each class."""
        return np.bincount(self.class_, self.weight, self.classes).astype(np.float64)


def log_priors(rows: Rows, prior: str, table: Table) -> Floats:
    """Return log P(class) of each row without it, shape (rows, classes)."""
    counts = np.tile(rows.counts, (len(rows.class_), 1))
    counts[np.arange(len(counts)), rows.class_] -= rows.left_out
    np.maximum(counts, 0.0, out=counts)
    distinct, which = np.unique(counts, axis=0, return_inverse=True)
    shares = [class_prior(prior, own, table.schema.classes) if own.any() else _equal(rows.classes) for own in distinct]
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(np.array(shares))[which.ravel()]
    return logs


def _equal(classes: int) -> Floats:
    """Return the prior where no row is left to learn from."""
    return np.full(classes, 1.0 / classes)


def column_logs(table: Table, column: Column, rows: Rows, alpha: float, ddof: float, min_variance: float) -> Floats:
    """Return log P(value given class) of each row without it, shape (rows, classes); 0 where the value is missing."""
    cells = np.asarray(table.column(column.name))
    if column.kind is Kind.NOMINAL:
        return _of_names(cells, len(column.levels), rows, alpha)
    return _of_numbers(cells.astype(np.float64), rows, ddof, min_variance)


def _of_names(codes: Codes, levels: int, rows: Rows, alpha: float) -> Floats:
    """Return log (n_cv + α)/(n_c + α·V), where n lacks the row in its own class."""
    known = np.flatnonzero(codes >= 0)
    code, own, less = codes[known], rows.class_[known], rows.left_out[known]
    counts = np.zeros((rows.classes, max(1, levels)))
    np.add.at(counts, (own, code), rows.weight[known])
    rule = Smoothing(alpha)
    likelihood = rule.table(counts).T[code]
    lowered = np.maximum(counts[own, code] - less, 0.0)
    left = np.maximum(counts.sum(axis=1)[own] - less, 0.0)
    likelihood[np.arange(len(known)), own] = rule.likelihood(lowered, left, np.zeros(max(1, levels)))
    logs = np.zeros((len(codes), rows.classes))
    with np.errstate(divide="ignore"):
        logs[known] = np.log(likelihood)
    return logs


def _of_numbers(values: Floats, rows: Rows, ddof: float, min_variance: float) -> Floats:
    """Return the log densities of normals whose moments lack the row, in units in which numbers can be squared."""
    known = np.flatnonzero(~np.isnan(values))
    logs = np.zeros((len(values), rows.classes))
    if len(known) == 0:
        return logs
    x, own = values[known], rows.class_[known]
    largest = float(np.abs(x).max())
    x = np.ldexp(x, -int(np.frexp(largest)[1])) if largest > 0 else x
    weight, less = rows.weight[known], rows.left_out[known]
    n, mean, squares = (np.empty((len(known), rows.classes)) for _ in range(3))
    for k in range(rows.classes):
        is_own = own == k
        whole = _moments(x[is_own], weight[is_own])
        for part, value in zip((n, mean, squares), whole, strict=True):
            part[:, k] = value
        n[is_own, k], mean[is_own, k], squares[is_own, k] = _without_each(x[is_own], weight[is_own], less[is_own])
    overall_n, overall_mean, overall_squares = _without_each(x, weight, less)
    with np.errstate(invalid="ignore", divide="ignore"):
        overall = np.where(overall_n > 0, overall_squares / overall_n, 0.0)[:, None]
        variance = np.where(n - ddof > 0, squares / (n - ddof), overall)
    variance = np.maximum(variance, np.maximum(min_variance * overall, SMALLEST))
    centre = np.where(n > 0, mean, overall_mean[:, None])
    density = -0.5 * ((x[:, None] - centre) ** 2 / variance + np.log(2.0 * np.pi * variance))
    logs[known] = np.where(overall > 0, density, 0.0)
    return logs


def _moments(x: Floats, weight: Floats) -> tuple[float, float, float]:
    """Return the weight, the mean and the sum of squared deviations."""
    n = float(weight.sum())
    if n == 0:
        return 0.0, 0.0, 0.0
    mean = float(weight @ x) / n
    mean += float(weight @ (x - mean)) / n
    return n, mean, float(weight @ (x - mean) ** 2)


def _without_each(x: Floats, weight: Floats, less: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the moments without each row: n' = n − u, mean' = mean − u·d/n', squares' = squares − u·d²·n/n'.

    u is the weight left out, d the distance of the row from the mean.
    """
    n, mean, squares = _moments(x, weight)
    left = np.maximum(n - less, 0.0)
    d = x - mean
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(left > 0, mean - less * d / left, 0.0)
        rest = np.where(left > 0, squares - less * d * d * (n / left), 0.0)
    for at in np.flatnonzero((rest < DIGITS * squares) & (left > 0)):
        others = weight.copy()
        others[at] -= less[at]
        left[at], means[at], rest[at] = _moments(x, others)
    return left, means, np.maximum(rest, 0.0)
