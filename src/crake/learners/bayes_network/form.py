"""A network with a class as a form that every target of the exports can write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.forms import Additive, Form, Levels, Softmax
from crake.learners.base.classifier import logarithms
from crake.learners.bayes_network.tables import NetworkTables
from crake.learners.semi_naive.form import ColumnTree, CountedTerms, added, check_size

if TYPE_CHECKING:
    from crake.learners.bayes_network.learner import BayesNetworkClassifier


def network_form(model: BayesNetworkClassifier) -> Softmax:
    """Return exp(log P(class, row)) over their sum; the shares of the classes where every class is impossible.

    Missing values are summed over from column to column, so that each may have one parent beside the class. Where the
    most frequent value stands for a missing one, nothing is summed, and a column may have several parents.
    """
    tables = model.tables_
    check_size("a Bayesian network", sum(table.size for table in tables.tables))
    terms = CountedTerms(model.schema_, model.counts_)
    if model.missing == "mode":
        scores = _Product(tables, terms, model.variables_.of_read).form()
    else:
        scores = _column_tree(tables, model.variables_.of_read).form(terms)
    return Softmax(scores, tables.shares)


def _column_tree(tables: NetworkTables, of_read: Sequence[int]) -> ColumnTree:
    """Return the network as a tree of columns; raise if it is none."""
    graph, target = tables.graph, tables.target
    nodes = [at for at in range(len(graph)) if at != target]
    above = {at: [p for p in graph.parents[at] if p != target] for at in range(len(graph))}
    odd = next((at for at, own in above.items() if len(own) > 1), None)
    if odd is not None:
        raise CrakeError(
            f"a Bayesian network cannot be exported: {graph.names[odd]!r} has {len(above[odd])} parents beside the "
            "class, and sums over missing values are written for one at most; fit it with missing='mode', or with "
            "structure='tan'"
        )
    place = {at: i for i, at in enumerate(nodes)}
    given, log_prior = [_by_class(tables, at, above[at]) for at in nodes], logarithms(tables.tables[target])
    if above[target]:  # P(class given its parent) belongs to each line of the parent's levels
        i, log_prior = place[above[target][0]], np.zeros(tables.sizes[target])
        given[i] = given[i] + logarithms(tables.tables[target]).T[:, None, :]
    return ColumnTree(
        log_prior,
        [of_read[at] for at in nodes],
        [place[above[at][0]] if above[at] else -1 for at in nodes],
        [place[at] for at in graph.order if at != target],
        given,
        np.full(len(nodes), -1, np.int32),
    )


def _by_class(tables: NetworkTables, at: int, above: Sequence[int]) -> Floats:
    """Return log P of a column, shape (classes, levels of its parent, levels)."""
    logs, family = logarithms(tables.tables[at]), (*tables.graph.parents[at], at)
    if tables.target in family:
        logs = np.moveaxis(logs, family.index(tables.target), 0)
    else:
        logs = np.broadcast_to(logs, (tables.sizes[tables.target], *logs.shape))
    return logs if above else logs[:, None, :]


@dataclass(frozen=True)
class _Product:
    """The product of all factors that have the class; a missing value is the most frequent one."""

    tables: NetworkTables
    terms: CountedTerms
    of_read: Sequence[int]

    def form(self) -> Form:
        """Return log P(class, row), up to a number that the classes share."""
        factors = [self._nested(self.tables.axes(at), self.tables.logs(at)) for at in self.tables.families]
        return added(factors, self.tables.log_prior)

    def _nested(self, axes: Sequence[int], logs: Floats) -> Form:
        """Return the line of `logs` (cells, classes) that the levels of the variables tell, the last one fastest."""
        first, *others = axes
        j, mode = self.of_read[first], int(self.tables.mode[first])
        if not others:
            return Additive(np.zeros(logs.shape[1]), (self.terms.term(j, logs, logs[mode]),))
        parts = logs.reshape(self.tables.sizes[first], -1, logs.shape[1])
        return Levels(self.terms.level(j), tuple(self._nested(others, part) for part in parts), mode)
