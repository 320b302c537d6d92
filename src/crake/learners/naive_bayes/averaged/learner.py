"""Averaged naive Bayes: the Bayes-optimal answer over all sets of columns that may depend on the class."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.naive_bayes.averaged.columns import (
    column_grid,
    column_probabilities,
    draw_columns,
    with_columns,
)
from crake.learners.naive_bayes.averaged.evidence import Averaging
from crake.learners.naive_bayes.learner import NaiveBayesClassifier
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.statistics import ClassCounts, DistinctCounts, Statistic, ValueCounts
from crake.table.table import Table


class AveragedNaiveBayesClassifier(NaiveBayesClassifier):
    """P(c given x) ∝ P(c) · Π_j [w_j · P(x_j given c) + (1 − w_j) · P(x_j)]: the average over all sets of columns.

    Every set of columns is a naive Bayes model in which these columns depend on the class and the others do not. The
    answer is the mean over all 2^p sets, each weighted by its probability given the training rows. It is exact, because
    the mean is one product over the columns. w_j is the probability that column j depends on the class. Numbers are cut
    by MDL. Missing values, and values never seen in training, are skipped.

    Parameters
    ----------
    alpha : the parameter of the Dirichlet prior, added to every count (1 = Laplace); more than 0.
    depends : the probability, before any row is seen, that a column depends on the class.
    prior : "laplace" (n_c + 1)/(n + K), "empirical" n_c/n, or the numbers: by class in order, or a mapping.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> model = AveragedNaiveBayesClassifier().fit(load("weather"))
    >>> row = {"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"}
    >>> round(model.explain(row)["Yes"], 3)
    0.372
    >>> dict(zip(model.feature_names_in_, model.depends_.round(2).tolist()))
    {'outlook': 0.68, 'temp': 0.37, 'humidity': 0.67, 'windy': 0.47}

    Dash and Cooper (2004), Model averaging for prediction with discrete Bayesian networks.
    """

    card = Card(
        title="averaged naive Bayes",
        about="naive Bayes averaged over all sets of columns, exactly",
        model="counts per class, probability of each column",
        missing="skipped",
        probabilities="its own, often too near 0 or 1",
        time="one pass",
        is_compared=False,
        usual_grid={"depends": [0.5, 0.1, 0.9], "alpha": [1.0, 0.5, 0.1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "depends": [Interval(Real, 0, 1, closed="both")],
        "prior": [StrOptions({"empirical", "laplace"}), "array-like", dict],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    stored_statistics = (ClassCounts, ValueCounts)
    reads_text = False
    only_estimate = frozenset({"alpha", "depends", "prior"})

    m = p = zero = precision = None
    numeric, ddof, min_variance, floor, text = "discretised", 1, 0.01, 0.0, "multinomial"

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        depends: float = 0.5,
        prior: Any = "laplace",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.depends = depends
        self.prior = prior
        self.class_weight = class_weight
        self.nominal = nominal

    @property
    def read_statistics(self) -> tuple[type[Statistic], ...]:
        """Counts of nominal columns, distinct values of numeric ones."""
        return (ClassCounts, ValueCounts, DistinctCounts)

    @property
    def smoothing(self) -> Averaging:
        """The rule that turns counts into likelihoods: the average of both answers."""
        return Averaging(self.alpha, depends=self.depends)

    @property
    def depends_(self) -> Floats:
        """The probability that each column depends on the class, in table order."""
        return column_probabilities(self)

    def has_closed_leave_one_out(self, table: Table) -> bool:
        """Return False: every row has a say in w."""
        del table
        return False

    def explain(self, row: Any) -> Workings:
        """Return w of each column, the averaged factors and their product for each class, then the normalisation."""
        return with_columns(super().explain(row), self, self._one_row(row))

    def columns(self) -> Grid:
        """Return the probability that each column depends on the class, the most probable first."""
        check_is_fitted(self)
        return column_grid(self)

    def tables(self) -> tuple[Grid, ...]:
        """Return the columns with their probabilities, then counts and likelihoods, one grid per column."""
        return (self.columns(), *super().tables())

    def draw(self, what: str = "nomogram", *, most: int = 20, width: float = 760, **options: Any) -> Drawing:
        """Draw the probability of all "columns", the "nomogram" of two classes, or one "column" class by class."""
        check_is_fitted(self)
        if what not in ("nomogram", "column", "columns"):
            raise CrakeError(f"draw({what!r}); expected 'nomogram', 'column' or 'columns'")
        return (
            draw_columns(self, most, width)
            if what == "columns"
            else super().draw(what, most=most, width=width, **options)
        )

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the probabilities of the columns and the nomogram."""
        return (self.draw("columns"), *super().pictures(table))

    def __str__(self) -> str:
        if not hasattr(self, "intervals_"):
            return repr(self)
        head, *grids = super().__str__().split("\n\n")
        return "\n\n".join([head, str(self.columns()), *grids])
