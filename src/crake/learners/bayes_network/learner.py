"""The Bayesian network classifier: naive Bayes in which columns, and the class, may depend on several others."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.state import State, StateReader
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.bayes_network.counts import GatheredCounts
from crake.learners.bayes_network.drawing import draw_network, model_text, probability_grids
from crake.learners.bayes_network.form import network_form
from crake.learners.bayes_network.rows import Variables, coded_rows, filled, modes
from crake.learners.bayes_network.state import network_of, network_state
from crake.learners.bayes_network.structures import STRUCTURES, counted_structure, given_families, structure_of
from crake.learners.bayes_network.tables import NetworkTables, check_family, family_counts
from crake.learners.bayes_network.workings import explain_row
from crake.learners.network.graph import Graph
from crake.learners.network.model import NetworkModel
from crake.learners.network.network import BayesNetwork
from crake.learners.semi_naive.counted import CutColumns
from crake.learners.structure.scores import CRITERIA
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.statistics import (
    ClassCounts,
    DistinctRows,
    FamilyCounts,
    PairCounts,
    Statistic,
    Statistics,
    ValueCounts,
    WholeRows,
)
from crake.statistics import gather as gathered
from crake.statistics.gather import Group
from crake.statistics.samples import SampleCopies
from crake.statistics.statistic import Member
from crake.table.schema import Column
from crake.table.table import Table


class BayesNetworkClassifier(StatisticsClassifier):
    """P(c given x) from a network over the class and all columns: the product of P(variable given its parents).

    The structure is given or searched; a search raises a score that weighs how well parents tell a column against what
    their tables cost. Numbers are cut by MDL; one that no cut divides is not used. Only the columns in the Markov
    blanket of the class (its parents, its children, and their other parents) have a say, where they are known.

    Parameters
    ----------
    structure : "hill-climb" adds, removes and turns round arcs as long as the score rises; "k2" adds parents column by
        column in an order; "kdb" gives each column the class and the columns it shares most information with; "tan" a
        tree; "naive" only the class; or arcs, [("play", "outlook"), …], each from parent to child.
    criterion : the score: "bdeu", "bic" (or "mdl", the same), "aic", "k2" (a prior of 1 for each value), "bayes" (½, as
        WEKA's BAYES), or "entropy" (the likelihood alone).
    max_parents : the most parents of a variable, the class among them ("hill-climb", "k2", "kdb").
    order : the columns in the order of "k2", causes first; the class goes first and columns not named go last.
    start : "naive" begins a search with the class as the parent of every column (in "k2" of those behind the class in
        the order), "empty" without arcs.
    reverse : turn arcs round in hill climbing, too.
    tabu : arcs that hill climbing may not change again at once; then it also walks downhill, and ends after as
        many steps without a new best. 0: it stops at the first peak.
    markov_blanket : link every column outside the Markov blanket of the class to it after the search.
    alpha : added to every count of a table (0.5 as in WEKA; 1 = Laplace).
    sample_size : the rows that the prior of "bdeu" is worth.
    missing : "marginalise" sums over the values that a row lacks, and counts a family in the rows that have all of it;
        "mode" puts the most frequent value in its place (as WEKA does). A search always does the latter. A value never
        seen in training is a missing one.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> model = BayesNetworkClassifier("k2", criterion="bayes", max_parents=2).fit(load("weather"))
    >>> model.parents_["humidity"], model.parents_["play"]
    (('play', 'temp'), ())

    Friedman, Geiger and Goldszmidt (1997), Bayesian network classifiers.
    """

    card = Card(
        title="Bayesian network",
        about="naive Bayes in which columns may depend on several others",
        model="a network of columns, tables of probabilities",
        missing="summed over",
        has_interactions=True,
        probabilities="its own, often too near 0 or 1",
        time="one pass, columns² per arc",
        size="by scans; a search 10 million distinct rows",
        is_compared=False,
        usual_grid={"structure": ["naive", "tan", "kdb", "hill-climb"], "alpha": [1.0, 0.5, 0.1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "structure": [StrOptions(set(STRUCTURES)), "array-like"],
        "criterion": [StrOptions(set(CRITERIA))],
        "max_parents": [Interval(Integral, 1, None, closed="left")],
        "order": [None, "array-like"],
        "start": [StrOptions({"naive", "empty"})],
        "reverse": ["boolean"],
        "tabu": [Interval(Integral, 0, None, closed="left")],
        "markov_blanket": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "sample_size": [Interval(Real, 0, None, closed="neither")],
        "missing": [StrOptions({"marginalise", "mode"})],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    only_estimate = frozenset(
        {
            "criterion",
            "max_parents",
            "order",
            "start",
            "reverse",
            "tabu",
            "alpha",
            "sample_size",
            "missing",
        }
    )

    def __init__(
        self,
        structure: Any = "hill-climb",
        *,
        criterion: str = "bdeu",
        max_parents: int = 3,
        order: Any = None,
        start: str = "naive",
        reverse: bool = True,
        tabu: int = 0,
        markov_blanket: bool = False,
        alpha: float = 0.5,
        sample_size: float = 1.0,
        missing: str = "marginalise",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.structure = structure
        self.criterion = criterion
        self.max_parents = max_parents
        self.order = order
        self.start = start
        self.reverse = reverse
        self.tabu = tabu
        self.markov_blanket = markov_blanket
        self.alpha = alpha
        self.sample_size = sample_size
        self.missing = missing
        self.class_weight = class_weight
        self.nominal = nominal

    counts_: CutColumns
    class_count_: Floats
    passed_by_: tuple[str, ...]

    @property
    def read_statistics(self) -> tuple[type[Statistic], ...]:
        """Counts of columns, of pairs or of the families given, and the rows of a table with numbers.

        A search counts families as it goes, and reads the rows of any table.
        """
        if self._is_given:
            return (ClassCounts, WholeRows) if self.markov_blanket else (ClassCounts, FamilyCounts, DistinctRows)
        if self.structure == "naive":
            return (ClassCounts, ValueCounts, DistinctRows)
        if self.structure == "tan":
            return (ClassCounts, ValueCounts, PairCounts, DistinctRows)
        return (ClassCounts, WholeRows)

    @property
    def _is_given(self) -> bool:
        return not isinstance(self.structure, str)

    def gather(
        self, table: Table, group: Group | None = None, groups: int = 1, *, samples: SampleCopies | None = None
    ) -> Statistics:
        """Return the statistics of the rows: of a structure that is given, the counts of its families."""
        members: list[Member] = list(self.read_statistics)
        if FamilyCounts in members:
            families = [] if table.schema.numeric else given_families(self.structure, table.schema)
            for name, *parents in families:
                check_family(name, parents, [len(table.schema[each].levels) for each in (*parents, name)])
            members[members.index(FamilyCounts)] = FamilyCounts.of(families)
        return gathered(table, members, group=group, groups=groups, samples=samples)

    def _estimate(self, statistics: Statistics) -> None:
        if statistics.schema.numeric or WholeRows in self.read_statistics:
            self._estimate_rows(statistics)
            return
        counts = GatheredCounts(statistics, self.missing)
        parents = counted_structure(self, counts.variables, statistics)
        self.passed_by_ = ()
        graph = Graph(counts.variables.names, parents)
        self._take_network(counts.variables, graph, counts.families(parents), counts.mode)

    def _estimate_rows(self, statistics: Statistics) -> None:
        """Search a structure, or cut numbers, by the rows themselves."""
        own = statistics.get(WholeRows)
        variables, rows = coded_rows(statistics.schema, statistics[DistinctRows] if own is None else own)
        mode = modes(rows)
        whole = filled(rows, mode)
        parents, self.passed_by_ = structure_of(self, variables, whole, statistics)
        counts = family_counts(whole if self.missing == "mode" else rows, parents)
        self._take_network(variables, Graph(variables.names, parents), counts, mode)

    def _take_network(self, variables: Variables, graph: Graph, counts: list[Floats], mode: Any) -> None:
        self.variables_ = variables
        self.counts_ = variables.read
        self.class_count_ = self.statistics_[ClassCounts].counts[0]
        replaced = mode if self.missing == "mode" else np.full(len(graph), -1, np.int32)
        self.tables_ = NetworkTables.of(graph, variables.target, counts, replaced, self.alpha)

    @property
    def arcs_(self) -> list[tuple[str, str]]:
        """The arcs (parent, child), child by child."""
        return list(self.tables_.graph.arcs)

    @property
    def parents_(self) -> dict[str, tuple[str, ...]]:
        """The parents of the class and of each column that is used, in the order in which they were added."""
        graph = self.tables_.graph
        return {name: tuple(graph.names[p] for p in own) for name, own in zip(graph.names, graph.parents, strict=True)}

    @property
    def network_(self) -> BayesNetwork:
        """The network itself: any variable can be asked for, given any others."""
        check_is_fitted(self)
        cuts = {
            column.name: own
            for column, own in zip(self.schema_.numeric, self.counts_.cuts, strict=True)
            if column.name in self.variables_.names
        }
        tables = self.tables_
        return BayesNetwork.of_model(NetworkModel(tables.graph, self.variables_.columns, tables.tables, cuts))

    def state(self) -> State:
        """Return the cuts, the arcs and the counts, never the rows."""
        check_is_fitted(self)
        return {**TableClassifier.state(self), **network_state(self)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the model. Rows can be added to a "naive" or "tan" network of names, whose counts are stored."""
        TableClassifier.restore(self, reader)
        stored = network_of(reader, self.schema_)
        self._take(stored.statistics)
        self.passed_by_ = ()
        self._take_network(stored.variables, stored.graph, stored.counts, stored.mode)
        return self

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the posterior of each row."""
        return self.tables_.probabilities(self.variables_.codes_of(self.counts_.codes_of(table, rows)))

    def _form(self) -> Form:
        return network_form(self)

    def explain(self, row: Any) -> Workings:
        """Return each factor that depends on the class, the products, and the normalisation."""
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def draw(self) -> Drawing:
        """Draw the network: each variable below its parents."""
        check_is_fitted(self)
        return draw_network(self)

    def tables(self) -> tuple[Grid, ...]:
        """Return the tables of probabilities, one grid per variable, parents first."""
        check_is_fitted(self)
        return probability_grids(self)

    def _cut_points(self, column: Column) -> Floats:
        return np.asarray(self.counts_.cuts[self.schema_.numeric.index(column)])

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "tables_") else repr(self)
