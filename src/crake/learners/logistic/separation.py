"""Separation: a direction in which the likelihood grows for ever, so that it has no maximum.

The classes are separated *completely* if some scores give every row's own class the most, *quasi* if no row's own class
gets less than another and some get more. Albert and Anderson (1984), On the existence of maximum likelihood
estimates in logistic regression models, Biometrika 71.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.linear.encoding import fill_matrix
from crake.learners.encoding import Design
from crake.learners.logistic.fisher import Objective
from crake.learners.logistic.likelihood import Likelihood
from crake.statistics import ClassCounts, ClassMoments, Statistics, ValueCounts
from crake.statistics.gather import Batches
from crake.table.schema import Column

SLACK = 1e-7
"""A margin counts as 0 within this share of the largest."""
LARGEST_PROGRAM = 2_000_000
"""Cells of a linear program that is still solved in about a second."""
MOST_NAMED = 12
MOST_CELLS = 100
"""Levels of a column that are noted: of an identifier each one separates."""


@dataclass(frozen=True)
class Separation:
    """`complete` or quasi; the columns that do it, as far as they can be told, and how."""

    complete: bool
    columns: tuple[str, ...]
    how: tuple[str, ...] = ()

    def __str__(self) -> str:
        kind = "completely" if self.complete else "partly (quasi-separation)"
        named = ", ".join(self.columns[:MOST_NAMED])
        more = f" and {len(self.columns) - MOST_NAMED} more" if len(self.columns) > MOST_NAMED else ""
        how = f": {'; '.join(self.how[:3])}" if self.how else ""
        return f"the classes are separated {kind} by {named}{more}{how}"


def empty_cells(statistics: Statistics, design: Design, role: NDArray[np.int32]) -> Separation | None:
    """Return a level (or a gap) that no row of some class has is enough for quasi-separation."""
    classes = [(k, label) for k, label in enumerate(statistics.classes) if role[k] >= 0]
    counts = statistics[ClassCounts].counts.sum(axis=0)
    columns: dict[str, list[str]] = {}
    present = [k for k, _ in classes]
    for name, texts, cells in _cells(statistics, design, counts):
        is_lacking = cells[present] <= 1e-12 * counts[present, None]
        for at in np.flatnonzero(is_lacking.any(axis=0) & (cells.sum(axis=0) > 0))[:MOST_CELLS]:
            lacking = [label for (_, label), lacks in zip(classes, is_lacking[:, at], strict=True) if lacks]
            text = f"no row with {texts(int(at))} is {', '.join(map(repr, lacking[:3]))}"
            columns.setdefault(name, []).append(text)
    if not columns:
        return None
    return Separation(
        complete=False, columns=tuple(columns), how=tuple(text for texts in columns.values() for text in texts)
    )


def _cells(statistics: Statistics, design: Design, counts: Floats) -> list[tuple[str, Callable[[int], str], Floats]]:
    """Return for each column the words for a cell and the class counts (classes, cells).

    The cells are the levels and the gap that have, or are measured by, a coefficient.
    """
    cells: list[tuple[str, Callable[[int], str], Floats]] = []
    values, moments = statistics[ValueCounts], statistics[ClassMoments]
    nominal = design.schema.nominal
    for j, column in enumerate(nominal):
        table, gap = values.table(j).sum(axis=0).copy(), values.missing(j).sum(axis=0)
        if design.likeliest[j] >= 0:
            table[:, design.likeliest[j]] += gap
        cells.append((column.name, _of_level(column), table))
        if design.has_missing[j]:
            cells.append((column.name, _of_gap(column), gap[:, None]))
    for j, column in enumerate(design.schema.numeric):
        if design.has_missing[len(nominal) + j]:
            gap = counts - moments.weight[..., j].sum(axis=0)
            cells.append((column.name, _of_gap(column), np.where(gap > 1e-9 * counts, gap, 0.0)[:, None]))
    return cells


def _of_level(column: Column) -> Callable[[int], str]:
    return lambda code: f"{column.name} = {column.levels[code]}"


def _of_gap(column: Column) -> Callable[[int], str]:
    return lambda _: f"{column.name} missing"


def separates(likelihood: Likelihood, direction: Floats) -> bool | None:
    """Return True if scores in this direction separate the classes completely, False if quasi, None if not at all."""
    largest = np.abs(direction).max(initial=0.0)
    if not 0 < largest < np.inf:
        return None
    low, high = likelihood.at(direction / largest).margins
    if high <= 0 or low < -SLACK * high:
        return None
    return low > SLACK * high


def by_linear_program(objective: Objective) -> tuple[bool, Floats] | None:
    """Maximise Σ u, u ≤ 1, u ≤ the margin of each row against each other class: separated if any u can be positive.

    Returns whether completely, and the direction; None if not separated, or if the program would be too large.
    """
    likelihood = objective.likelihood
    x, role = _rows(likelihood, objective.free)
    N, F, M = *x.shape, likelihood.outputs
    if N * M * (M + 1) * F > LARGEST_PROGRAM or N == 0:
        return None
    from scipy.optimize import linprog  # noqa: PLC0415  # it takes a tenth of a second to load
    from scipy.sparse import csr_array, hstack, identity  # noqa: PLC0415

    margins = []
    for k in range(M + 1):
        others = np.flatnonzero(role != k)
        line = np.zeros((len(others), M + 1, F))
        line[np.arange(len(others)), role[others]] = x[others]
        line[:, k] -= x[others]
        margins.append(line[:, 1:].reshape(len(others), M * F))
    matrix = np.concatenate(margins)
    u = len(matrix)
    result = linprog(
        np.concatenate([np.zeros(M * F), -np.ones(u)]),
        A_ub=hstack([csr_array(-matrix), identity(u)]).tocsr(),
        b_ub=np.zeros(u),
        bounds=[(-1e6, 1e6)] * (M * F) + [(0.0, 1.0)] * u,
        method="highs",
    )
    if result.x is None or result.status != 0 or result.x[M * F :].max() < 0.5:
        return None
    return bool(result.x[M * F :].min() > 0.5), objective.spread(result.x[: M * F])


def _rows(likelihood: Likelihood, free: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.int32]]:
    """Return the distinct rows as a matrix of the free terms, with their roles; none if there are too many."""
    design, width, parts = likelihood.design, int(free.sum()), []
    rows = 0
    for batch in likelihood.rows.batches():
        rows += batch.rows
        if rows * max(1, width) > LARGEST_PROGRAM:
            return np.zeros((0, width)), np.zeros(0, np.int32)
        matrix = np.empty((batch.rows, len(design)))
        fill_matrix(*design.encoded(batch.codes, batch.values, 0, batch.rows), matrix)
        role = np.append(likelihood.role, np.int32(-1))[batch.target]
        known = (role >= 0) & (batch.weights > 0)
        parts.append(np.column_stack([role[known].astype(np.float64), matrix[known][:, free]]))
    whole = np.unique(np.concatenate(parts), axis=0) if parts else np.zeros((0, width + 1))
    return whole[:, 1:], whole[:, 0].astype(np.int32)


def described(
    complete: bool, direction: Floats, design: Design, rows: Batches, role: NDArray[np.int32], deviation: Floats
) -> Separation:
    """Name the columns: those that separate by themselves, or else those with a part in the direction found."""
    alone = _alone(design, rows, role)
    if alone:
        return Separation(complete, tuple(name for name, _ in alone), tuple(text for _, text in alone))
    part = np.abs(direction).max(axis=1, initial=0.0) * np.maximum(deviation, 1e-3)
    part[design.numbers] = 0.0
    order = np.argsort(-part, kind="stable")
    named = [design.terms[at].column for at in order[part[order] > 1e-3 * part.max(initial=0.0)]]
    return Separation(complete, tuple(dict.fromkeys(named)))


def _alone(design: Design, rows: Batches, role: NDArray[np.int32]) -> list[tuple[str, str]]:
    """Numbers of which some classes have only small values and the others only large ones."""
    classes = np.flatnonzero(role >= 0)
    low = np.full((len(role), design.numbers), np.inf)
    high = np.full((len(role), design.numbers), -np.inf)
    gaps = np.zeros(design.numbers, bool)
    for batch in rows.batches():
        gaps |= np.isnan(batch.values).any(axis=0)
        for k in classes:
            own = batch.values[batch.target == k]
            low[k] = np.fmin(low[k], np.fmin.reduce(own, axis=0, initial=np.inf))
            high[k] = np.fmax(high[k], np.fmax.reduce(own, axis=0, initial=-np.inf))
    columns = []
    for j, column in enumerate(design.schema.numeric):
        order = classes[np.argsort(low[classes, j], kind="stable")]
        for cut in range(1, len(order)):
            below, above = high[order[:cut], j].max(), low[order[cut:], j].min()
            if below <= above and low[order[:cut], j].min() < high[order[cut:], j].max() and not gaps[j]:
                labels = [repr(design.schema.classes[k]) for k in order[:cut]]
                columns.append(
                    (column.name, f"{column.name} ≤ {below:g} for {', '.join(labels[:3])}, ≥ {above:g} for the others")
                )
                break
    return columns
