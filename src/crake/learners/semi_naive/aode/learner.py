"""AODE: each column in turn is the one parent of all others, and the answers are averaged."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.export.forms import Form, Softmax
from crake.kernels.bayes.one_dependence import one_dependence_posteriors, posteriors_by_fold
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.semi_naive.aode.fitting import MOST_SIDE_BY_SIDE, factor_count, one_dependence
from crake.learners.semi_naive.aode.workings import explain_row
from crake.learners.semi_naive.base import PairwiseClassifier
from crake.learners.semi_naive.dependences import draw_dependences
from crake.learners.semi_naive.form import CountedTerms, check_size, one_dependence_form
from crake.learners.semi_naive.text import counts_text
from crake.render.drawing.drawing import Drawing
from crake.render.workings import Workings
from crake.statistics import ClassCounts, Statistics
from crake.table.table import Table


class AODEClassifier(PairwiseClassifier):
    """P(c, x) = average over columns p of P(c, x_p) · Π_{a ≠ p} P(x_a given c, x_p).

    The name says averaged one-dependence estimators. Naive Bayes assumes that columns do not depend on each other
    within a class. Here each column may depend on one other, and no structure is chosen. Numbers are cut by MDL.
    Missing values, and values never seen in training, are left out as parents and as children.

    Parameters
    ----------
    alpha : added to every count (1 = Laplace).
    min_count : a value is a parent if the training rows that have it weigh at least so much (a row without a weight: 1;
        up to 1, any row is enough); if none is, naive Bayes answers.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> model = AODEClassifier().fit(load("weather"))
    >>> row = {"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"}
    >>> round(model.explain(row)["Yes"], 3)
    0.373

    Webb, Boughton and Wang (2005), Not so naive Bayes: aggregating one-dependence estimators.
    """

    card = Card(
        title="AODE",
        about="mean of Bayes models, each column in turn the parent of all",
        model="counts of pairs per class",
        is_readable=False,
        missing="skipped",
        has_interactions=True,
        probabilities="its own, often too near 0 or 1",
        time="one pass, columns²",
        is_compared=False,
        usual_grid={"min_count": [30, 10, 1], "alpha": [1.0, 0.5, 0.1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "min_count": [Interval(Real, 0, None, closed="left")],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    only_estimate = frozenset({"alpha", "min_count"})

    def __init__(
        self, alpha: float = 1.0, *, min_count: float = 1, class_weight: Any = None, nominal: Any = "auto"
    ) -> None:
        self.alpha = alpha
        self.min_count = min_count
        self.class_weight = class_weight
        self.nominal = nominal

    def _fit_counts(self) -> None:
        self.tables_ = one_dependence(self.counts_, self.alpha, self.min_count)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the normalised average of each row."""
        shares = self.class_count_ / self.class_count_.sum()
        return one_dependence_posteriors(self.counts_.codes_of(table, rows), self.tables_, shares)

    def folds_together(self, table: Table, statistics: Statistics) -> bool:
        """Return True for nominal columns, if the tables of all folds fit into memory side by side."""
        groups = statistics[ClassCounts].groups
        return super().folds_together(table, statistics) and groups * factor_count(statistics) <= MOST_SIDE_BY_SIDE

    def answer_by_fold(self, models: list[Self], table: Table, fold: Ints) -> Floats:
        """Predict each row by the model of its fold; the rows of a fold are brought together first."""
        shares = np.stack([model.class_count_ / model.class_count_.sum() for model in models])
        return posteriors_by_fold(models[0].counts_.codes_of(table), fold, [model.tables_ for model in models], shares)

    def _form(self) -> Form:
        check_size("AODE", factor_count(self.counts_.statistics))
        tables, sizes = self.tables_, [len(column.levels) for column in self.counts_.columns]
        is_parent = [
            np.flatnonzero(tables.is_parent[first : first + size])
            for first, size in zip(tables.first.tolist(), sizes, strict=True)
        ]
        terms = CountedTerms(self.schema_, self.counts_)
        scores = one_dependence_form(self.counts_, terms, is_parent, float(self.alpha), tables.prior)
        return Softmax(scores, self.class_count_ / self.class_count_.sum())

    def draw(self, *, most: int = 12, width: float = 640) -> Drawing:
        """Draw the pairs of columns that say most of each other within the classes."""
        check_is_fitted(self)
        return draw_dependences(self, "AODE: dependences between columns", most=most, width=width)

    def explain(self, row: Any) -> Workings:
        """Return the product of each parent for each class, their average, and the normalisation."""
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def __str__(self) -> str:
        return counts_text(self, "AODE") if hasattr(self, "counts_") else repr(self)
