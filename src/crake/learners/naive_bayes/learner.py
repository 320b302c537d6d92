"""Naive Bayes: the prior of a class times the likelihood of every attribute given the class, normalised."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError, DataError, ModelFileError
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import available_if, check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.priors import class_prior
from crake.learners.base.row_query import Range, RowQuery
from crake.learners.base.state import State, StateReader
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.naive_bayes import discretised, gaussian, kernel_density, predict
from crake.learners.naive_bayes import precision as interval
from crake.learners.naive_bayes import state as stored
from crake.learners.naive_bayes.crossings import column_range, gaussian_crossings
from crake.learners.naive_bayes.drawing import draw_column, nomogram_of
from crake.learners.naive_bayes.form import bayes_form
from crake.learners.naive_bayes.leave_one_out import is_closed, leave_one_out
from crake.learners.naive_bayes.smoothing import Smoothing, column_likelihood, likelihoods
from crake.learners.naive_bayes.tables import likelihood_grids, model_text
from crake.learners.naive_bayes.together import AnswersTogether
from crake.learners.naive_bayes.word_tables import draw_words, text_column, top_word_grid
from crake.learners.naive_bayes.words import MODELS, WordRules, text_models
from crake.learners.naive_bayes.workings import explain_row
from crake.learners.pictures.nomogram import with_row
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.nomogram import nomogram_drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.statistics import ClassCounts, ClassMoments, DistinctCounts, Statistic, Statistics, ValueCounts, WordCounts
from crake.statistics import gather as gathered
from crake.statistics.gather import Group
from crake.statistics.samples import SampleCopies
from crake.statistics.tokeniser import WORDS, Tokeniser
from crake.table.schema import Column
from crake.table.table import Table

BY_KIND = ("gaussians_", "kernels_", "intervals_", "interval_likelihood_")
"""Fitted attributes of numeric columns, of which a model has one kind."""


def _adds_rows(model: NaiveBayesClassifier) -> bool:
    if model.numeric == "gaussian" and isinstance(model.precision, str):
        raise CrakeError("an estimated precision needs all rows at once: use fit, or give precision as numbers")
    return True


class NaiveBayesClassifier(AnswersTogether, StatisticsClassifier):
    """P(c given x) ∝ P(c) · Π_j P(x_j given c): nominal columns by counting, numeric ones by a density or by intervals.

    Missing values and values never seen in training are skipped, attribute by attribute.

    Parameters
    ----------
    alpha : added to every count (1 = Laplace, 0 = the raw fractions; all classes impossible → the prior).
    m, p : the m-estimate (n_c + m·p)/(n + m) in place of alpha; p None is 1/V, "overall" the value's share of all rows.
    zero : a constant for zero counts in place of alpha.
    numeric : "gaussian" gives each class a normal density, "kernel" one made of a kernel for every value met (h =
        range/√n), "discretised" cuts the column by MDL and counts.
    prior : "empirical" n_c/n, "laplace" (n_c + 1)/(n + K), or the numbers: by class in order, or a mapping.
    ddof : the variance divides by n − ddof.
    min_variance : the least variance of a class, as a share of its column's variance: 0.01 is a tenth of its deviation.
    precision : None for densities; "estimated" or numbers for values held to a precision, as WEKA does.
    floor : every factor is at least this (WEKA: 1e-75).
    text : the model of columns of running text: "multinomial" counts words, (n_k + α)/(n + α·V); in "presence" a word
        counts once a text; "bernoulli" looks at absent words too; "complement" at the other classes' words.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> model = NaiveBayesClassifier(alpha=0).fit(load("weather"))
    >>> row = {"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"}
    >>> round(model.explain(row)["Yes"], 3)
    0.205
    """

    card = Card(
        title="naive Bayes",
        about="product over the columns of counts and densities in each class",
        model="counts per class",
        missing="skipped",
        probabilities="its own, often too near 0 or 1",
        time="one pass",
        usual_grid={"numeric": ["gaussian", "discretised"], "alpha": [5.0, 1.0, 0.5, 0.1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "m": [Interval(Real, 0, None, closed="neither"), None],
        "p": [Interval(Real, 0, 1, closed="both"), StrOptions({"overall"}), None],
        "zero": [Interval(Real, 0, 1, closed="both"), None],
        "numeric": [StrOptions({"gaussian", "kernel", "discretised"})],
        "prior": [StrOptions({"empirical", "laplace"}), "array-like", dict],
        "ddof": [Interval(Real, 0, None, closed="left")],
        "min_variance": [Interval(Real, 0, 1, closed="both")],
        "precision": [StrOptions({"estimated"}), Interval(Real, 0, None, closed="neither"), "array-like", None],
        "floor": [Interval(Real, 0, 1, closed="left")],
        "text": [StrOptions(set(MODELS))],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    stored_statistics: ClassVar[tuple[type[Statistic], ...]] = (ClassCounts, ValueCounts, ClassMoments, WordCounts)
    reads_text = True
    merged_attributes = ("precision_",)
    only_estimate = frozenset({"alpha", "m", "p", "zero", "prior", "ddof", "min_variance", "floor", "text"})

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        m: float | None = None,
        p: float | str | None = None,
        zero: float | None = None,
        numeric: str = "gaussian",
        prior: Any = "empirical",
        ddof: float = 1,
        min_variance: float = 0.01,
        precision: Any = None,
        floor: float = 0.0,
        text: str = "multinomial",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.m = m
        self.p = p
        self.zero = zero
        self.numeric = numeric
        self.prior = prior
        self.ddof = ddof
        self.min_variance = min_variance
        self.precision = precision
        self.floor = floor
        self.text = text
        self.class_weight = class_weight
        self.nominal = nominal

    @property
    def one_pass(self) -> bool:
        """Rounding to an estimated precision comes before the moments, so its folds must be refitted.

        Kernels and intervals are functions of the distinct values; those of each training part are found anew.
        """
        return super().one_pass and (self.numeric != "gaussian" or not isinstance(self.precision, str))

    @property
    def read_statistics(self) -> tuple[type[Statistic], ...]:
        """Counts of nominal columns, moments or distinct values of numeric ones, words of running text."""
        return (ClassCounts, ValueCounts, ClassMoments if self.numeric == "gaussian" else DistinctCounts, WordCounts)

    @property
    def tokeniser(self) -> Tokeniser:
        """The rules by which words are taken from running text."""
        return WORDS

    @property
    def _word_rules(self) -> WordRules:
        return WordRules(self.text, self.smoothing, self.floor)

    def gather(
        self, table: Table, group: Group | None = None, groups: int = 1, *, samples: SampleCopies | None = None
    ) -> Statistics:
        """Return the statistics of the rows, rounded to the precision if there is one."""
        self.__dict__.pop("precision_", None)
        if self.numeric == "gaussian" and self.precision is not None:
            self.precision_ = interval.column_precisions(self.precision, table)
            table = interval.rounded_table(table, self.precision_)
        members = [WordCounts.by_rules(self.tokeniser) if each is WordCounts else each for each in self.read_statistics]
        return gathered(table, members, group=group, groups=groups, samples=samples)

    @available_if(_adds_rows)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to the counts and moments; the model is that of `fit` on all rows seen."""
        return super().partial_fit(X, y, classes=classes, sample_weight=sample_weight)

    @available_if(_adds_rows)
    def forget(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Take rows away that were learned: exact for counts, kernels and intervals; see `StatisticsClassifier`."""
        return super().forget(X, y, sample_weight)

    @available_if(_adds_rows)
    def merge(self, other: Any) -> Self:
        """Return a new model: that of the rows of both, which have the same parameters and columns."""
        return super().merge(other)

    def state(self) -> State:
        """Return the statistics, and the precision the numbers are held to; cuts and counts, or kernels."""
        check_is_fitted(self)
        if self.numeric != self.numeric_:
            raise CrakeError(f"numeric was set to {self.numeric!r} after fit; fit the model again")
        if self.numeric_ == "gaussian":
            if (self.precision is None) == hasattr(self, "precision_"):
                raise CrakeError(f"precision was set to {self.precision!r} after fit; fit the model again")
            return super().state() if self.precision is None else {**super().state(), "precision": self.precision_}
        return {**TableClassifier.state(self), **stored.counted_state(self)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the model. Cut columns come without their values: no rows can be added to those."""
        try:
            return self._restored(reader)
        except DataError as error:
            raise ModelFileError(str(error)) from error

    def _restored(self, reader: StateReader) -> Self:
        if self.numeric == "gaussian":
            return super().restore(reader)
        TableClassifier.restore(self, reader)
        statistics = stored.counted_statistics(reader, self)
        if self.numeric == "kernel":
            return self.estimate(statistics)
        self._take(statistics)
        self._count(statistics)
        self._count_intervals(stored.intervals_of(reader.part("intervals"), statistics))
        return self

    def _restore_own(self, reader: StateReader) -> None:
        if self.precision is not None:
            least = float(np.finfo(np.float64).smallest_subnormal)
            self.precision_ = reader.floats("precision", (len(self.schema_.numeric),), least)

    @property
    def smoothing(self) -> Smoothing:
        """The rule that turns counts into likelihoods."""
        return Smoothing(self.alpha, self.m, self.p, self.zero)

    def _estimate(self, statistics: Statistics) -> None:
        self._count(statistics)
        if self.numeric == "kernel":
            distinct = statistics[DistinctCounts].by_column
            precision = kernel_density.precisions(self.precision, distinct)
            self.kernels_ = kernel_density.estimate(distinct, len(self.classes_), precision, self.min_variance)
        elif self.numeric == "discretised":
            self._count_intervals(discretised.estimate(statistics[DistinctCounts].by_column))
        else:
            moments = statistics[ClassMoments]
            self.gaussians_ = (
                gaussian.estimate(moments, self.ddof, self.min_variance)
                if self.precision is None
                else interval.interval_gaussians(moments, self.precision_, self.ddof)
            )

    def _count(self, statistics: Statistics) -> None:
        """Estimate priors and likelihoods of nominal columns: likelihood_[j] has shape (classes, levels)."""
        for name in BY_KIND:  # of an earlier fit of another kind
            self.__dict__.pop(name, None)
        self.numeric_ = self.numeric
        self.class_count_ = statistics[ClassCounts].counts[0]
        self.class_prior_ = class_prior(self.prior, self.class_count_, statistics.classes)
        self.likelihood_ = likelihoods(self.smoothing, statistics[ValueCounts], self.floor)
        words = statistics.get(WordCounts)
        self.words_ = () if words is None else text_models(words.by_column, self.tokeniser, self._word_rules)

    def _count_intervals(self, columns: tuple[discretised.Intervals, ...]) -> None:
        """Estimate the likelihoods of numeric columns by interval, in the same form."""
        self.intervals_ = columns
        self.interval_likelihood_ = tuple(column_likelihood(self.smoothing, x.counts, self.floor) for x in columns)

    @property
    def theta_(self) -> Floats:
        """The mean of each numeric column by class, under scikit-learn's name."""
        return self.mean_

    @property
    def var_(self) -> Floats:
        """The variance of each numeric column by class, under scikit-learn's name; divided by n − `ddof`."""
        return self.variance_

    @property
    def mean_(self) -> Floats:
        """The mean of each numeric column by class, shape (classes, numeric columns)."""
        return self.gaussians_.users_mean

    @property
    def variance_(self) -> Floats:
        """The variance of each numeric column by class; 0 where the column is constant, ∞ beyond a float's range."""
        return self.gaussians_.users_variance

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the posterior of each row."""
        codes = table.matrix([column.name for column in table.schema.nominal], np.int32)
        values = table.matrix([column.name for column in table.schema.numeric], np.float64)
        places = np.arange(len(table)) if rows is None else rows
        return predict.probabilities(self, codes, values, places, self.texts_of(table))

    def _form(self) -> Form:
        return bayes_form(self)

    def texts_of(self, table: Table) -> predict.Texts:
        """Return the texts of each column of running text that the model reads."""
        for words in self.words_:
            if words.name not in table.schema:
                raise ColumnNotFound(words.name, table.schema.names)
        return tuple(table.column(words.name) for words in self.words_)

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        codes = table.matrix([column.name for column in table.schema.nominal], np.int32)
        values = table.matrix([column.name for column in table.schema.numeric], np.float64)
        texts = self.texts_of(table)
        if rows is not None:
            codes, values, texts = codes[rows], values[rows], tuple(text[rows] for text in texts)
        return predict.log_probabilities(self, codes, values, texts)

    def has_closed_leave_one_out(self, table: Table) -> bool:
        """Return True if a row changes only its own class's counts."""
        return is_closed(self, table)

    def leave_one_out(self, table: Table) -> Floats:
        """Return P(class given row) of every training row under the model of all other rows."""
        return leave_one_out(self, table)

    def explain(self, row: Any) -> Workings:
        """Return the product of fractions and densities for each class, then the normalisation."""
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def _cut_points(self, column: Column) -> Floats | None:
        if self.numeric_ != "discretised":
            return None
        return np.asarray(self.intervals_[self.schema_.numeric.index(column)].cuts)

    def _crossings(self, query: RowQuery, column: Column, answer: int) -> Floats | None:
        if self.numeric_ != "gaussian" or hasattr(self, "precision_"):
            return None
        return gaussian_crossings(self, query, column, answer)

    def _range(self, column: Column) -> Range | None:
        if self.numeric_ == "discretised":
            return super()._range(column)
        return column_range(self, self.schema_.numeric.index(column))

    def draw(
        self,
        what: str = "nomogram",
        *,
        column: str | None = None,
        positive: Any = None,
        against: Any = None,
        most: int = 20,
        table: Table | None = None,
        row: Any = None,
        width: float = 760,
    ) -> Drawing:
        """Draw the "nomogram" of two classes (points for each value), or the model of one "column", class by class.

        By default the rarer class, or the second most frequent, is drawn against the most frequent one. Numbers go as
        far as the middle 95 % of `table`, or as far as those learned from. The rows of `table` stand behind a column's
        densities. The values of a `row` are marked in the nomogram.
        """
        check_is_fitted(self)
        if what == "words":
            return draw_words(self, text_column(self, column), positive, most, width)
        if what == "column" or (what == "nomogram" and column is not None):
            return draw_column(self, column, table, width)
        if what != "nomogram":
            raise CrakeError(f"draw({what!r}); expected 'nomogram', 'column' or 'words'")
        picture = nomogram_of(self, positive, against, most, table)
        picture = picture if row is None else with_row(picture, self._one_row(row), self.probabilities)
        return nomogram_drawing(picture, width)

    def pictures(self, table: Table | None = None) -> tuple[Drawing, ...]:
        """Return the nomogram, in which numbers go as far as those of `table`, and the words of each text column."""
        words = tuple(self.draw("words", column=each.name) for each in self.words_)
        return (self.draw(table=table), *words) if self.schema_.features or not words else words

    def top_words(self, most: int = 10, column: str | None = None) -> Grid:
        """Return the words that speak most for each class, with their log odds against the other classes."""
        check_is_fitted(self)
        return top_word_grid(self, text_column(self, column), most)

    def tables(self) -> tuple[Grid, ...]:
        """Return the frequency and likelihood tables, one grid per column, as the lectures print them."""
        check_is_fitted(self)
        return likelihood_grids(self)

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "class_count_") else repr(self)
