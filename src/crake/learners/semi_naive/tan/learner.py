"""TAN: naive Bayes in which each column may depend on one other, chosen so that all links form a tree."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats, Ints
from crake.export.forms import Form, Softmax
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import logarithms
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.state import State, StateReader
from crake.learners.semi_naive.base import PairwiseClassifier
from crake.learners.semi_naive.form import ColumnTree, CountedTerms, check_size
from crake.learners.semi_naive.tan.drawing import draw_tree, model_text, probability_grids
from crake.learners.semi_naive.tan.fitting import DependenceTree, probabilities_by_fold
from crake.learners.semi_naive.tan.scores import SCORES, gains
from crake.learners.semi_naive.tan.structure import among, top_down, tree_of, with_silent_columns
from crake.learners.semi_naive.tan.tables import NodeCounts, with_values
from crake.learners.semi_naive.tan.workings import explain_row
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.table.table import Table


class TANClassifier(PairwiseClassifier):
    """P(c given x) ∝ P(c) · Π_j P(x_j given c, x_parent(j)): naive Bayes augmented by a tree over the columns.

    The tree is the one of largest total gain, by conditional mutual information given the class or by another score.
    Numbers are cut by MDL; one that no cut divides is a column of one value, and a link to it
    is none.

    Parameters
    ----------
    alpha : added to every count, of the class too (0.5 as in WEKA; 1 = Laplace).
    criterion : what a link is chosen by: "entropy" (conditional mutual information), "bayes" (of Dirichlet priors ½),
        "bdeu", "mdl" or "aic".
    missing : "marginalise" sums over the values that a row lacks, and counts pairs of known values; "mode" puts the
        most frequent value in its place (as WEKA does). A value never seen in training is a missing one.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> model = TANClassifier().fit(load("weather"))
    >>> model.parents_
    {'outlook': 'temp', 'temp': 'humidity', 'humidity': None, 'windy': 'outlook'}

    Friedman, Geiger and Goldszmidt (1997), Bayesian network classifiers.
    """

    card = Card(
        title="TAN",
        about="naive Bayes in which each column may depend on one other",
        model="a tree of columns, tables of probabilities",
        missing="summed over",
        has_interactions=True,
        probabilities="its own, often too near 0 or 1",
        time="one pass, columns²",
        is_compared=False,
        usual_grid={"criterion": ["bayes", "entropy"], "alpha": [1.0, 0.5, 0.1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "criterion": [StrOptions(set(SCORES))],
        "missing": [StrOptions({"marginalise", "mode"})],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    only_estimate = frozenset({"alpha", "criterion", "missing"})

    def __init__(
        self,
        alpha: float = 0.5,
        *,
        criterion: str = "entropy",
        missing: str = "marginalise",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.criterion = criterion
        self.missing = missing
        self.class_weight = class_weight
        self.nominal = nominal

    def _fit_counts(self) -> None:
        self.node_counts_ = NodeCounts.of(self.counts_, self.missing)
        places = [self.counts_.places[j] for j in with_values(self.counts_)]
        whole, at = with_silent_columns(gains(self.node_counts_, self.criterion), places, len(self.schema_.features))
        self._fit_tables(among(tree_of(whole), at))

    def _fit_tables(self, parent: Codes) -> None:
        """Estimate the tables of a tree, in which parent[i] is the parent of the i-th column that has values."""
        self.tree_ = DependenceTree.of(self.node_counts_, parent, self.alpha)

    @property
    def parents_(self) -> dict[str, str | None]:
        """The parent of each column that is used, beside the class; None for the root."""
        names = [self.counts_.columns[j].name for j in self.tree_.used]
        return {name: names[p] if p >= 0 else None for name, p in zip(names, self.tree_.parent.tolist(), strict=True)}

    def state(self) -> State:
        """Return the counts and the parents: a tree of near-equal gains stays the same tree."""
        check_is_fitted(self)
        return {**super().state(), "parents": self.tree_.parent}

    def _restore_model(self, reader: StateReader) -> None:
        self.node_counts_ = NodeCounts.of(self.counts_, self.missing)
        size = len(with_values(self.counts_))
        parent = reader.integers("parents", np.int32, (size,), -1, max(-1, size - 1))
        try:
            top_down(parent)
        except ValueError:
            raise reader.refusal("parents", "go in a circle", "a tree") from None
        self._fit_tables(parent)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the posterior of each row."""
        return self.tree_.probabilities(self.counts_.codes_of(table, rows))

    def answer_by_fold(self, models: list[Self], table: Table, fold: Ints) -> Floats:
        """Predict each row by the tree of its fold, in one pass over the rows."""
        return probabilities_by_fold([model.tree_ for model in models], models[0].counts_.codes_of(table), fold)

    def _form(self) -> Form:
        tree, counts = self.tree_, self.counts_
        check_size("TAN", sum(table.size for table in tree.logs))
        scores = ColumnTree(
            logarithms(tree.prior), tree.used, tree.parent.tolist(), tree.order, tree.logs, tree.mode
        ).form(CountedTerms(self.schema_, counts))
        return Softmax(scores, tree.prior)

    def explain(self, row: Any) -> Workings:
        """Return each value given the class and its parent's value, the products, and the normalisation."""
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def draw(self) -> Drawing:
        """Draw the tree: each column below its parent."""
        check_is_fitted(self)
        return draw_tree(self)

    def tables(self) -> tuple[Grid, ...]:
        """Return the tables of probabilities, one grid per column, parents first."""
        check_is_fitted(self)
        return probability_grids(self)

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "tree_") else repr(self)
