"""Tables learned from rows: by counting where nothing is missing, otherwise by expectation and maximisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.network.conditional import MOST_ALPHA, check_cells, count_family, smoothed
from crake.learners.network.graph import Graph
from crake.learners.network.inference.patterns import expect, patterns

START = 1.0
"""Pseudo-count of the first tables of EM, so that no row begins with probability 0."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The tables, the rows counted (or expected) in each cell, and how the objective rose from step to step.

    `objective` is empty where nothing was missing: counting has no steps.
    """

    tables: tuple[Floats, ...]
    counts: tuple[Floats, ...]
    objective: tuple[float, ...] = ()
    converged: bool = True


def learn_tables(
    graph: Graph,
    sizes: Sequence[int],
    codes: Codes,
    weights: Floats,
    *,
    alpha: float,
    prior: str = "cells",
    max_iter: int = 200,
    tol: float = 1e-7,
    counted: Sequence[Floats] = (),
) -> Learned:
    """Return P(variable given parents) = (n + a) / (Σ n + Σ a); negative codes are missing values.

    `counted` are counts of further rows, without gaps, one array per family. A row that lacks every value says nothing,
    whatever the tables are, and is left out.

    With gaps, n is the expected number of rows under the tables of the step before (Dempster, Laird and Rubin 1977;
    Lauritzen 1995). Then ln P(rows) + Σ a·ln P, the log of the posterior, never falls. The steps end when it rises by
    less than `tol` per row, or per unit of weight.
    """
    families = [(*parents, at) for at, parents in enumerate(graph.parents)]
    for at, family in enumerate(families):
        check_cells([sizes[v] for v in family], f"the table of {graph.names[at]!r} given {len(family) - 1} parents")
    some = (codes >= 0).any(axis=1)
    codes, weights = (codes, weights) if some.all() else (codes[some], weights[some])
    codes = _with_single_levels(codes, sizes)
    known = [count_family([codes[:, v] for v in family], [sizes[v] for v in family], weights) for family in families]
    if counted:
        known = [own + more for own, more in zip(known, counted, strict=True)]
    if not (codes < 0).any():
        return Learned(tuple(smoothed(own, alpha, prior) for own in known), tuple(known))
    distinct, inverse = np.unique(codes, axis=0, return_inverse=True)
    weight: Floats = np.bincount(inverse.ravel(), weights).astype(np.float64)
    groups = list(patterns(graph, sizes, distinct, weight))
    tables = [smoothed(own, max(alpha, START), prior) for own in known]
    objective: list[float] = []
    total = float(weights.sum()) + (float(counted[0].sum()) if counted else 0.0)
    converged = False
    counts = known
    for _ in range(max_iter):
        counts = [own.copy() for own in known]
        gained = sum(float(expect(group, tables, counts) @ group.weights) for group in groups)
        objective.append(gained + _of_counts(known, tables) + _of_prior(tables, alpha, prior))
        tables = [smoothed(own, alpha, prior) for own in counts]
        if len(objective) > 1 and objective[-1] - objective[-2] < tol * total:
            converged = True
            break
    return Learned(tuple(tables), tuple(counts), tuple(objective), converged)


def log_probabilities(graph: Graph, tables: Sequence[Floats], codes: Codes) -> Floats:
    """Return ln P of each row, missing values summed over; minus infinity if a row cannot happen."""
    sizes = [table.shape[-1] for table in tables]
    codes = _with_single_levels(codes, sizes)
    log_p = np.zeros(len(codes))
    with np.errstate(divide="ignore"):
        for at, parents in enumerate(graph.parents):
            family = [*parents, at]
            whole = np.flatnonzero((codes[:, family] >= 0).all(axis=1))
            log_p[whole] += np.log(tables[at][tuple(codes[whole][:, family].T)])
    for group in patterns(graph, sizes, codes, np.ones(len(codes)), counted=False):
        log_p[group.rows] += expect(group, tables, None)
    return log_p


def _with_single_levels(codes: Codes, sizes: Sequence[int]) -> Codes:
    """Return the codes with gaps filled where a variable has only one level."""
    single = [at for at, size in enumerate(sizes) if size == 1]
    if not single:
        return codes
    codes = codes.copy()
    codes[:, single] = 0
    return codes


def _of_counts(counts: Sequence[Floats], tables: Sequence[Floats]) -> float:
    """Return Σ n·ln P over the tables whose values are all known."""
    return sum(float((own[own > 0] * np.log(table[own > 0])).sum()) for own, table in zip(counts, tables, strict=True))


def _of_prior(tables: Sequence[Floats], alpha: float, prior: str) -> float:
    """Return Σ a·ln P over all cells: the log of the Dirichlet prior, but for a constant."""
    if alpha == 0:
        return 0.0
    alpha = min(alpha, MOST_ALPHA)
    shares = [alpha / table.size if prior == "bdeu" else alpha for table in tables]
    return sum(share * float(np.log(table).sum()) for share, table in zip(shares, tables, strict=True))
