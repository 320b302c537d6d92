"""Drift between two models: how far the distributions they learned lie apart, column by column and class by class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.fitted import check_is_fitted
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.render.grid import Grid
from crake.render.plain_text import minus
from crake.render.short_repr import short_repr
from crake.render.workings import number
from crake.slow_modules import special
from crake.statistics import ClassCounts, ClassMoments, DistinctCounts, Statistics, ValueCounts
from crake.statistics.distinct_counts import DistinctValues
from crake.statistics.levels import merged_schema
from crake.table.schema import Label


@dataclass(frozen=True)
class Shift:
    """One distribution in two models: of the classes (column None), or of a column's values within a class.

    `total_variation` is the largest difference of a probability, 0 to 1; `jensen_shannon` the square root of the
    divergence in bits, 0 to 1; `mean_difference` that of the means (second − first) in pooled standard deviations, of
    numeric columns. `p_value` says how likely a difference so large is by chance (chi-square; Welch's t for means).
    """

    column: str | None
    label: Label | None
    total_variation: float
    jensen_shannon: float
    mean_difference: float | None
    rows: tuple[float, float]
    p_value: float | None


@dataclass(frozen=True)
class Drift:
    """The shifts, largest total variation first, those of the classes before all."""

    shifts: tuple[Shift, ...]

    __repr__ = short_repr

    def grid(self) -> Grid:
        """As a table."""
        header = ("column", "class", "total variation", "Jensen–Shannon", "mean difference", "rows", "p")
        return Grid("Drift", header, tuple(_cells(shift) for shift in self.shifts))

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def drift(one: Any, other: Any) -> Drift:
    """Compare the second model with the first: priors, then the values of each column within each class.

    Both are fitted naive Bayes models of the same columns. Numeric columns are compared as normal distributions
    of their means and variances.

    >>> from crake.table.examples import load
    >>> iris = load("iris")
    >>> first = NaiveBayesClassifier().fit(iris.take(np.arange(0, 150, 2)))
    >>> second = NaiveBayesClassifier().fit(iris.take(np.arange(1, 150, 2)))
    >>> largest = drift(first, second).shifts[1]
    >>> largest.column, largest.label, round(largest.total_variation, 2), round(largest.mean_difference, 2)
    ('petal width (cm)', 'setosa', 0.25, 0.34)
    """
    a, b = _aligned(one, other)
    shifts = [*_nominal_shifts(a, b), *_numeric_shifts(a, b)]
    shifts.sort(key=lambda shift: -shift.total_variation)
    return Drift((_shift(None, None, a[ClassCounts].counts[0], b[ClassCounts].counts[0]), *shifts))


def _aligned(one: Any, other: Any) -> tuple[Statistics, Statistics]:
    """Return the statistics of both under the levels and classes of both."""
    for model in (one, other):
        if not isinstance(model, NaiveBayesClassifier):
            raise CrakeError(f"drift compares two naive Bayes models; found a {type(model).__name__}")
        check_is_fitted(model)
        numbers = model.statistics_.get(ClassMoments) or model.statistics_.get(DistinctCounts)
        if model.schema_.numeric and numbers is None:
            raise CrakeError(
                "a model from a file holds only the cuts of its numeric columns; fit it anew to compare it"
            )
    a, b = one.statistics_, other.statistics_
    schema = merged_schema(a.schema, b.schema)
    return a.under(schema), b.under(schema)


def _nominal_shifts(a: Statistics, b: Statistics) -> Iterator[Shift]:
    one, other = a[ValueCounts], b[ValueCounts]
    for j, column in enumerate(one.columns):
        for k, label in enumerate(a.classes):
            yield _shift(column.name, label, one.table(j)[0, k], other.table(j)[0, k])


def _shift(column: str | None, label: Label | None, one: Floats, other: Floats) -> Shift:
    """Return the shift of counts: TV = ½ Σ |p − q|, JS² = H((p + q)/2) − (H(p) + H(q))/2."""
    n = float(one.sum()), float(other.sum())
    if min(n) == 0:
        return Shift(column, label, 0.0, 0.0, None, n, None)
    p, q = one / n[0], other / n[1]
    divergence = _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2
    return Shift(
        column,
        label,
        float(np.abs(p - q).sum() / 2),
        float(np.sqrt(max(0.0, divergence))),
        None,
        n,
        _chi_square_p(np.array([one, other])),
    )


def _entropy(p: Floats) -> float:
    p = p[p > 0]
    return float(-(p * np.log2(p)).sum())


def _chi_square_p(table: Floats) -> float | None:
    """Return p of the test of homogeneity; None if only one value occurs."""
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return None
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(special.chdtrc(table.shape[1] - 1, ((table - expected) ** 2 / expected).sum()))


def _numeric_shifts(a: Statistics, b: Statistics) -> Iterator[Shift]:
    first, second = _moments(a), _moments(b)
    for j, column in enumerate(a.schema.numeric):
        for k, label in enumerate(a.classes):
            yield _normal_shift(column.name, label, first[:, k, j], second[:, k, j])


def _moments(statistics: Statistics) -> Floats:
    """n, mean and variance (by n − 1, by n of rows that weigh 1 or less) by class and column, (3, classes, columns)."""
    class_moments = statistics.get(ClassMoments)
    if class_moments is not None:
        moments, exponent = class_moments.in_one_unit()
        n, mean, squares, rest = (part[0] for part in moments)
        unit = np.ldexp(1.0, exponent)
        mean, squares = (mean + rest) * unit, squares * unit * unit
    else:
        cells = [_of_distinct(counts) for counts in statistics[DistinctCounts]]
        shape = (3, len(statistics.classes), 0)
        n, mean, squares = np.stack(cells, axis=2) if cells else np.zeros(shape)
    return np.stack([n, mean, squares / np.where(n > 1, n - 1, np.where(n > 0, n, 1.0))])


def _of_distinct(counts: DistinctValues) -> Floats:
    classes = len(counts.classes)
    n = np.bincount(counts.class_, counts.count, classes)
    mean = np.bincount(counts.class_, counts.count * counts.value, classes) / np.where(n > 0, n, 1)
    squares = np.bincount(counts.class_, counts.count * (counts.value - mean[counts.class_]) ** 2, classes)
    return np.array([n, mean, squares])


def _normal_shift(column: str, label: Label, one: Floats, other: Floats) -> Shift:
    """Return the shift of two normals: TV and JS by summing their densities over 4,001 points that span both."""
    (n1, m1, v1), (n2, m2, v2) = one, other
    rows = float(n1), float(n2)
    if min(rows) == 0:
        return Shift(column, label, 0.0, 0.0, None, rows, None)
    free = [n - 1 if n >= 1 else n for n in rows]
    pooled = float(np.sqrt((free[0] * v1 + free[1] * v2) / (sum(free) or 1.0)))
    if v1 == 0 or v2 == 0:
        same = float(m1 == m2 and v1 == v2)
        return Shift(column, label, 1 - same, 1 - same, _in_deviations(m2 - m1, pooled), rows, None)
    s1, s2 = np.sqrt(v1), np.sqrt(v2)
    edges = np.linspace(min(m1 - 8 * s1, m2 - 8 * s2), max(m1 + 8 * s1, m2 + 8 * s2), 4001)
    # Probabilities of the pieces between the points: they sum to 1 however narrow one of the normals is.
    p, q = np.diff(special.ndtr((edges - m1) / s1)), np.diff(special.ndtr((edges - m2) / s2))
    divergence = _entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2
    return Shift(
        column,
        label,
        float(np.abs(p - q).sum() / 2),
        float(np.sqrt(max(0.0, divergence))),
        _in_deviations(m2 - m1, pooled),
        rows,
        _welch_p(one, other),
    )


def _in_deviations(difference: float, deviation: float) -> float | None:
    if difference == 0:
        return 0.0
    return float(difference / deviation) if deviation > 0 else None


def _welch_p(one: Floats, other: Floats) -> float | None:
    """Two-sided p of t = (m2 − m1)/√(v1/n1 + v2/n2) with Welch's degrees of freedom."""
    (n1, m1, v1), (n2, m2, v2) = one, other
    if n1 < 2 or n2 < 2:
        return None
    e1, e2 = v1 / n1, v2 / n2
    freedom = (e1 + e2) ** 2 / (e1**2 / (n1 - 1) + e2**2 / (n2 - 1))
    return float(2 * special.stdtr(freedom, -abs(m2 - m1) / np.sqrt(e1 + e2)))


def _cells(shift: Shift) -> tuple[str, ...]:
    return (
        "the classes" if shift.column is None else shift.column,
        "" if shift.column is None else str(shift.label),
        f"{shift.total_variation:.3f}",
        f"{shift.jensen_shannon:.3f}",
        "" if shift.mean_difference is None else minus(f"{shift.mean_difference:+.2f}"),
        f"{number(shift.rows[0])}, {number(shift.rows[1])}",
        "" if shift.p_value is None else "< 0.001" if shift.p_value < 0.001 else f"{shift.p_value:.3f}",
    )
