"""The tables of a network with a class, and the posteriors of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from crake.arrays import Codes, Flags, Floats, Longs
from crake.kernels.bayes.posterior import NominalLogs, NormalLogs, posteriors
from crake.learners.bayes_network.gaps import log_joints
from crake.learners.bayes_network.plain_rows import divided_posteriors
from crake.learners.network.conditional import check_cells, count_family, smoothed
from crake.learners.network.graph import Graph
from crake.learners.structure.families import CodedRows, Parents

MOST_NAMED = 12
"""Parents that a message names."""


@dataclass(frozen=True, eq=False)
class NetworkTables:
    """P(variable given parents) of every variable; `target` is the place of the class.

    `counts[i]` and `tables[i]` have one axis per parent, in the order of the graph, and one for the variable itself.
    `mode[i]` is the level that stands for a missing one, −1 if missing values are summed over.
    """

    graph: Graph
    target: int
    counts: tuple[Floats, ...]
    tables: tuple[Floats, ...]
    mode: Codes

    @classmethod
    def of(cls, graph: Graph, target: int, counts: Sequence[Floats], mode: Codes, alpha: float) -> NetworkTables:
        """Return the tables of these counts: (n + α)/(Σ n + α·V)."""
        return cls(graph, target, tuple(counts), tuple(smoothed(own, alpha) for own in counts), mode)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each variable."""
        return tuple(table.shape[-1] for table in self.tables)

    @cached_property
    def shares(self) -> Floats:
        """The share of each class: the answer where every class is impossible."""
        own = self.counts[self.target]
        weights = own.reshape(-1, own.shape[-1]).sum(axis=0)
        total = weights.sum()
        return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))

    @cached_property
    def factors(self) -> tuple[int, ...]:
        """The variables whose tables have the class: the class itself first, then its children in table order."""
        return (self.target, *self.graph.children[self.target])

    def probabilities(self, codes: Codes) -> Floats:
        """Return P(class given row) for codes[row, variable]; the column of the class is not read."""
        codes = self.with_modes(codes)
        return divided_posteriors(codes, self.is_plain(codes), self._of_plain_rows, self.log_products, self.shares)

    def with_modes(self, codes: Codes) -> Codes:
        """Return the codes with missing ones replaced, where the model does so."""
        return np.where(codes < 0, self.mode, codes).astype(np.int32)

    def log_products(self, codes: Codes) -> Floats:
        """Return log P(class, row) up to a number that all classes of a row share; missing values are summed over."""
        return log_joints(self.graph, self.tables, self.target, codes)

    def barren(self, codes: Codes) -> Flags:
        """Return, at [row, variable], which missing values have nothing known below them: their tables sum to 1."""
        barren = codes < 0
        barren[:, self.target] = False
        for at in reversed(self.graph.order):
            for child in self.graph.children[at]:
                barren[:, at] &= barren[:, child]
        return barren

    def is_plain(self, codes: Codes) -> Flags:
        """Return the rows that need no sum: what they miss is barren, or the class does not depend on it."""
        is_missing = codes < 0
        is_missing[:, self.target] = False
        if not is_missing.any():
            return np.ones(len(codes), bool)
        barren = self.barren(codes)
        plain = np.ones(len(codes), bool)
        for at in self.factors:
            family = [v for v in (*self.graph.parents[at], at) if v != self.target]
            plain &= barren[:, at] | ~is_missing[:, family].any(axis=1)
        return plain

    def _of_plain_rows(self, codes: Codes) -> Floats:
        """Look up each family as one value: then the sum over them is that of naive Bayes."""
        families = self.families
        joint = np.empty((len(codes), len(families)), np.int32)
        for i, at in enumerate(families):
            joint[:, i] = self._cells(codes, at)
        if (codes[:, [v for v in range(len(self.graph)) if v != self.target]] < 0).any():
            joint[self.barren(codes)[:, families]] = -1
        offsets, flat = self._flat
        classes = len(self.shares)
        none = np.zeros((0, classes))
        nominal, normal = NominalLogs(offsets, flat), NormalLogs(np.zeros(0), none, none, none, none, 0.0)
        rows, no_values = np.arange(len(codes)), np.zeros((len(codes), 0))
        return posteriors(rows, joint, no_values, self.shares, self.log_prior, nominal, normal)

    @cached_property
    def families(self) -> tuple[int, ...]:
        """The factors that depend on other variables than the class."""
        return self.factors if self.graph.parents[self.target] else self.factors[1:]

    @cached_property
    def log_prior(self) -> Floats:
        with np.errstate(divide="ignore"):
            log_prior: Floats = np.log(self.tables[self.target])
        return np.zeros(len(self.shares)) if self.graph.parents[self.target] else log_prior

    def axes(self, at: int) -> list[int]:
        """Return the variables of a factor but the class, in the order of its axes."""
        return [v for v in (*self.graph.parents[at], at) if v != self.target]

    def _cells(self, codes: Codes, at: int) -> Longs:
        cell = np.zeros(len(codes), np.int64)
        for v in self.axes(at):
            cell = cell * self.sizes[v] + codes[:, v]
        return cell

    def log_factor(self, codes: Codes, at: int) -> Floats:
        """Return the logarithm of a factor in one row, by class."""
        factor: Floats = self.logs(at)[int(self._cells(codes[None, :], at)[0])]
        return factor

    def logs(self, at: int) -> Floats:
        """Return log P of a factor as (cells of the other variables, classes)."""
        family = (*self.graph.parents[at], at)
        table = np.moveaxis(self.tables[at], family.index(self.target), -1)
        with np.errstate(divide="ignore"):
            logs: Floats = np.log(table.reshape(-1, table.shape[-1]))
        return logs

    @cached_property
    def _flat(self) -> tuple[Longs, Floats]:
        """Return the first line of each factor in one table (all cells, classes)."""
        tables = [self.logs(at) for at in self.families]
        offsets = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.int64)
        return offsets, np.ascontiguousarray(np.concatenate([np.zeros((0, len(self.shares))), *tables]))


def family_counts(rows: CodedRows, parents: Parents) -> list[Floats]:
    """Return the counts of every family, of the rows that have all its values; raise before one that is too large."""
    for node, own in enumerate(parents):
        check_family(rows.names[node], [rows.names[p] for p in own], [rows.sizes[v] for v in (*own, node)])
    return [
        count_family([rows.codes[v] for v in (*own, node)], [rows.sizes[v] for v in (*own, node)], rows.weights)
        for node, own in enumerate(parents)
    ]


def check_family(name: str, parents: Sequence[str], sizes: Sequence[int]) -> None:
    """Raise before the table of a variable given its parents is made, if it is too large."""
    given = ", ".join(parents) if len(parents) <= MOST_NAMED else f"{len(parents)} parents"
    check_cells(sizes, f"the table of {name!r} given {given}" if parents else f"the table of {name!r}")


def cells_of(sizes: Sequence[int], parents: Parents) -> list[int]:
    """Return the number of cells of each table."""
    return [prod(sizes[v] for v in (*own, node)) for node, own in enumerate(parents)]
