"""`BayesNetwork`: a graph, its tables given or learned, and whatever can be asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import exp
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.learners.base.parameters import Interval, StrOptions, check_parameters
from crake.learners.base.state import State, StateReader
from crake.learners.base.training_rows import row_weights
from crake.learners.network.answer import Distribution, MostProbable
from crake.learners.network.conditional import ConditionalTable
from crake.learners.network.drawing import MOST_DRAWN, network_html, network_picture
from crake.learners.network.fitting import Learned, learn_tables, log_probabilities
from crake.learners.network.gathering import GatheredRows
from crake.learners.network.graph import Graph
from crake.learners.network.levels import checked_given
from crake.learners.network.model import NetworkModel
from crake.learners.network.rows import coded_parts, cut_columns, table_of, with_levels
from crake.learners.network.sampling import sample_table
from crake.learners.network.state import model_of, model_state
from crake.learners.network.text import network_text, table_grid
from crake.learners.network.typed import typed_model
from crake.notices import warn
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.slow_modules import sklearn_exceptions
from crake.table.schema import Label
from crake.table.table import Table


class BayesNetwork:
    """A Bayesian network: arcs from causes to effects, and P(variable given parents) for each variable.

    Parameters
    ----------
    arcs : pairs (parent, child) of names. A cycle is an error that names it.
    variables : names that no arc has, and the order of all; those of the arcs follow.
    alpha : pseudo-count that smooths the tables; 0 gives plain shares.
    prior : "cells" adds alpha to every cell of a table, "bdeu" shares alpha out over its cells.
    bins : intervals of equally many rows into which `fit` cuts a column of numbers; None refuses numbers.
    max_iter : most steps of EM, which learns the tables where values are missing.
    tol : the rise of the log posterior per row below which EM ends.

    >>> net = BayesNetwork.from_tables(
    ...     [("Storm", "Campfire"), ("BusTourGroup", "Campfire")],
    ...     {
    ...         "Storm": 0.3,
    ...         "BusTourGroup": 0.5,
    ...         "Campfire": {(True, True): 0.4, (True, False): 0.1, (False, True): 0.8, (False, False): 0.2},
    ...     },
    ... )
    >>> net.query("Campfire", given={"Storm": True, "BusTourGroup": True})
    P(Campfire | Storm = True, BusTourGroup = True): False 0.6, True 0.4
    >>> net.query("Storm", given={"Campfire": True})
    P(Storm | Campfire = True): False 0.8235, True 0.1765

    Pearl (1988), Probabilistic reasoning in intelligent systems.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "arcs": [list, tuple],
        "variables": [list, tuple],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "prior": [StrOptions({"cells", "bdeu"})],
        "bins": [Interval(Integral, 2, 1000, closed="both"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        arcs: Iterable[Sequence[str]] = (),
        *,
        variables: Iterable[str] = (),
        alpha: float = 1.0,
        prior: str = "cells",
        bins: int | None = None,
        max_iter: int = 200,
        tol: float = 1e-7,
    ) -> None:
        for name, value in (("arcs", arcs), ("variables", variables)):
            if not isinstance(value, Iterable):
                raise CrakeError(f"expected {name} as a list, got {value!r}")
        self.arcs = [tuple(arc) if isinstance(arc, list) else arc for arc in arcs]
        self.variables = [variables] if isinstance(variables, str) else list(variables)
        self.alpha = alpha
        self.prior = prior
        self.bins = bins
        self.max_iter = max_iter
        self.tol = tol
        self.check_stored()

    @classmethod
    def from_tables(
        cls,
        arcs: Iterable[Sequence[str]],
        tables: Mapping[str, Any],
        *,
        levels: Mapping[str, Sequence[Label]] | None = None,
    ) -> BayesNetwork:
        """Return a network whose tables are typed in.

        A table is {level: probability} for a variable without parents. With parents it is {levels of the parents:
        line}; a line is {level: probability} or a list in the order of `levels`. A single number is P(True). An array
        has one axis per variable, the parents' first in the order of the arcs.
        """
        if not isinstance(tables, Mapping):
            raise CrakeError(f"expected tables by name, got {type(tables).__name__}; write {{'Storm': 0.3}}")
        net = cls(arcs, variables=tables)
        return cls.of_model(typed_model(net.graph, tables, levels))

    @classmethod
    def from_bif(cls, source: str | Path) -> BayesNetwork:
        """Return the network of a BIF or XMLBIF file, or of such a text."""
        from crake.learners.network.interchange.read import read_model  # noqa: PLC0415  # rarely needed

        return cls.of_model(read_model(source))

    @classmethod
    def of_model(cls, model: NetworkModel) -> BayesNetwork:
        """Return the network of a graph and its tables."""
        net = cls(model.graph.arcs, variables=model.graph.names)
        return net._with_model(model)

    def fit(self, rows: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the tables from a Table or a data frame, whose columns are found by name.

        Tables are counted, also over scans of tables that are larger than memory. Where values are missing, EM finds
        those of the largest posterior. A row that lacks every value says nothing.
        """
        self.check_stored()
        return self._learn(self._gathered(rows, sample_weight, None))

    def partial_fit(self, rows: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Add rows to what was learned. In whatever portions the rows come, the tables are those of `fit` on all.

        Numbers stay cut where the first rows had them. New levels find their place among the others.
        """
        self.check_stored()
        if not hasattr(self, "model_"):
            return self.fit(rows, sample_weight)
        before = self._learned_rows()
        return self._learn(before.merge(self._gathered(rows, sample_weight, before.cuts)))

    def forget(self, rows: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Take rows away that were learned: the tables are those of `fit` on the rows that remain. Levels stay."""
        before = self._learned_rows()
        return self._learn(before.forget(self._gathered(rows, sample_weight, before.cuts)))

    def merge(self, other: BayesNetwork) -> BayesNetwork:
        """Return a new network: that of the rows of both, which have the same arcs and parameters."""
        if self.parameters() != other.parameters():
            raise CrakeError("expected a network with the same arcs and parameters, got another")
        rows = self._learned_rows().merge(other._learned_rows())
        return BayesNetwork(**self.parameters())._learn(rows)  # noqa: SLF001 (its own class)

    def _learned_rows(self) -> GatheredRows:
        """Return what the tables were learned from; raise if they were typed in, or come from a file."""
        self._model()
        if self.rows_ is None:
            raise CrakeError(
                "expected a network that was fitted in this session, got one whose tables were typed in or read from a "
                "file: the counts behind them are not known; call fit with all rows"
            )
        return self.rows_

    def _gathered(self, rows: Any, sample_weight: ArrayLike | None, cuts: Mapping[str, Floats] | None) -> GatheredRows:
        """Return counts and rows with gaps; a table that is larger than memory is scanned."""
        table, graph = table_of(rows), self.graph
        if not len(graph):
            raise CrakeError("expected arcs or variables, got none; write BayesNetwork([('Storm', 'Campfire')])")
        if table.in_memory and not len(table):
            raise DataError(f"expected rows to learn from, got none in {table.name}")
        weights = table.weights if sample_weight is None else row_weights(sample_weight, len(table))
        if table.in_memory:
            weights = np.ones(len(table)) if weights is None else weights
            table = table.with_weights(weights)
        elif weights is not None:
            raise table.not_in_memory("sample_weight")
        # The levels of a scan are known when all rows have been seen; its rows are coded under them by a second pass.
        known = table if table.in_memory else with_levels(table, graph.names)
        columns, own_cuts = cut_columns(known, graph.names, self.bins, cuts)
        gathered = GatheredRows.empty(graph, columns, own_cuts)
        for codes in coded_parts(table, columns, own_cuts):
            gathered = gathered.add(codes, np.ones(len(codes)) if weights is None else weights)
        return gathered

    def _learn(self, rows: GatheredRows) -> Self:
        """Estimate the tables."""
        learned = learn_tables(
            rows.graph,
            rows.sizes,
            rows.codes,
            rows.weights,
            alpha=self.alpha,
            prior=self.prior,
            max_iter=self.max_iter,
            tol=self.tol,
            counted=rows.counts,
        )
        if not learned.converged:
            warn(f"EM did not converge in {self.max_iter} steps; raise max_iter or tol")
        return self._with_model(NetworkModel(rows.graph, rows.columns, learned.tables, rows.cuts), learned, rows)

    @property
    def graph(self) -> Graph:
        """The graph of arcs and variables, made anew only if one of them has changed."""
        key = (list(self.arcs), list(self.variables))
        kept: tuple[Any, Graph] | None = self.__dict__.get("_kept_graph")
        if kept is None or kept[0] != key:
            kept = self._kept_graph = key, Graph.of_arcs(self.arcs, self.variables)
        return kept[1]

    def query(self, variables: str | Sequence[str], given: Mapping[str, Any] | None = None) -> Distribution:
        """Return P(variables given evidence), exactly; variables that are not named are summed out.

        One name gives a distribution, several a joint one. Missing values among the evidence are summed out too.
        Evidence of probability 0 is an error.
        """
        model = self._model()
        targets = model.places([variables] if isinstance(variables, str) else variables)
        evidence = model.evidence(checked_given(given))
        both = [model.graph.names[at] for at in targets if at in evidence]
        if both:
            raise CrakeError(f"expected other variables in the query than in given, got {both[0]!r} in both")
        columns = tuple(model.columns[at] for at in targets)
        return Distribution(columns, model.posterior(targets, evidence), _named(model, evidence), model)

    def explain(self, variables: str | Sequence[str], given: Mapping[str, Any] | None = None) -> Workings:
        """Return the calculation of a query: the factors that are multiplied, the variables that are summed out."""
        return self.query(variables, given).explain()

    def most_probable(self, given: Mapping[str, Any] | None = None) -> MostProbable:
        """Return the most probable levels of all variables that are not observed, together; the first of equals."""
        model = self._model()
        evidence = model.evidence(checked_given(given))
        levels, log_joint = model.most_probable(evidence)
        ordered = {at: levels[at] for at in range(len(model.graph)) if at in levels}
        named = _named(model, ordered)
        return MostProbable(named, _named(model, evidence), log_joint, model.log_probability(evidence))

    def probability(self, row: Mapping[str, Any]) -> float:
        """Return P(row): of all variables, or of those that are named; the others and missing values are summed over.

        >>> coin = BayesNetwork.from_tables([], {"coin": {"head": 0.5, "tail": 0.5}})
        >>> coin.probability({"coin": "head"}), coin.probability({})
        (0.5, 1.0)
        """
        model = self._model()
        return exp(model.log_probability(model.evidence(checked_given(row))))

    def log_probability(self, rows: Any) -> Floats:
        """Return ln P of each row of a table; missing values are summed over. Its sum is the log-likelihood.

        A value that is not among the levels counts as missing.
        """
        model = self._model()
        parts = coded_parts(table_of(rows), model.columns, model.cuts)
        return np.concatenate([log_probabilities(model.graph, model.tables, codes) for codes in parts])

    def sample(self, rows: int, random_state: int = 1) -> Table:
        """Return rows drawn from the network, causes before effects, as a Table."""
        return sample_table(self._model(), rows, random_state)

    def table(self, variable: str) -> Grid:
        """Return P(variable given parents), one line per combination of the parents' levels."""
        model = self._model()
        return table_grid(model, model.graph.place(variable))

    def conditional(self, variable: str) -> ConditionalTable:
        """Return P(variable given parents) as an array, the parents' axes first."""
        return self._model().table(variable)

    def levels(self, variable: str) -> tuple[Label, ...]:
        """Return the levels of a variable, in the order of its table."""
        model = self._model()
        return model.columns[model.graph.place(variable)].levels

    def draw(self, *, around: str | None = None) -> Drawing:
        """Draw the network, causes above effects; a click on a variable opens its table.

        around : draw only this variable with its parents, its children and their other parents.
        """
        return network_picture(self._model(), around)

    def to_bif(self, path: str | Path | None = None) -> str:
        """Return the network as BIF, which pgmpy, pyAgrum and bnlearn read; with a path, write it there."""
        from crake.learners.network.interchange.write import bif_text, write_text  # noqa: PLC0415  # rarely needed

        return write_text(bif_text(self._model()), path)

    def to_xmlbif(self, path: str | Path | None = None) -> str:
        """Return the network as XMLBIF 0.3, which WEKA reads; with a path, write it there."""
        from crake.learners.network.interchange.write import write_text, xmlbif_text  # noqa: PLC0415  # rarely needed

        return write_text(xmlbif_text(self._model()), path)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in self._parameter_constraints}

    def check_stored(self) -> None:
        """Check the parameters, the arcs among them."""
        check_parameters(self._parameter_constraints, self.parameters(), type(self).__name__)
        _ = self.graph

    def state(self) -> State:
        """Return what a model file holds beside the parameters: levels, tables and cuts."""
        return model_state(self._model())

    def restore(self, reader: StateReader) -> Self:
        """Take back a stored state; raise unless it fits the arcs and its lines are probabilities."""
        return self._with_model(model_of(reader, self.graph))

    def __repr__(self) -> str:
        graph = self.graph
        state = "" if hasattr(self, "model_") else ", not fitted"
        arcs = f"{len(graph.arcs)} arc{'s' if len(graph.arcs) != 1 else ''}"
        return f"<BayesNetwork: {len(graph)} variable{'s' if len(graph) != 1 else ''}, {arcs}{state}>"

    def __str__(self) -> str:
        return network_text(self.model_) if hasattr(self, "model_") else repr(self)

    def _repr_html_(self) -> str:
        if not hasattr(self, "model_") or len(self.graph) > MOST_DRAWN:
            return f"<pre>{escape(str(self))}</pre>"
        return network_html(self.model_)

    def _model(self) -> NetworkModel:
        if not hasattr(self, "model_"):
            raise sklearn_exceptions.NotFittedError(
                "this BayesNetwork is not fitted, so it has no tables; call fit, or type them in: from_tables"
            )
        return self.model_

    def _with_model(
        self, model: NetworkModel, learned: Learned | None = None, rows: GatheredRows | None = None
    ) -> Self:
        self.model_ = model
        self.rows_ = rows
        self.counts_ = None if learned is None else learned.counts
        self.objective_ = () if learned is None else learned.objective
        return self


def _named(model: NetworkModel, evidence: Mapping[int, int]) -> dict[str, Label]:
    return {model.graph.names[at]: model.columns[at].levels[level] for at, level in evidence.items()}


def read_bif(source: str | Path) -> BayesNetwork:
    """Return the network of a BIF or XMLBIF file, or of such a text: what pgmpy, pyAgrum, bnlearn and WEKA write.

    >>> coin = BayesNetwork.from_tables([], {"coin": {"head": 0.5, "tail": 0.5}})
    >>> print(read_bif(coin.to_bif()).table("coin"))
    P(coin)
      head  tail
      0.5    0.5
    """
    return BayesNetwork.from_bif(source)
