"""Naive Bayes: the prior of a class times the likelihood of every attribute given the class, normalised."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from crake.errors import CrakeError
from crake.kernels.posterior import posteriors
from crake.learners.base import StatisticsClassifier
from crake.learners.naive_bayes import gaussian, interval
from crake.learners.naive_bayes.held import log_joint, normalised
from crake.learners.naive_bayes.leave_one_out import is_closed, leave_one_out
from crake.learners.naive_bayes.smoothing import Smoothing, overall_shares
from crake.learners.naive_bayes.tables import likelihood_grids, model_text
from crake.learners.naive_bayes.workings import explain_row
from crake.learners.priors import class_prior
from crake.learners.state import Given, State
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.statistics.gather import Group, Statistics, gather
from crake.table.table import Table

Floats = NDArray[np.float64]


def _adds_rows(model: NaiveBayesClassifier) -> bool:
    if isinstance(model.precision, str):
        raise CrakeError("an estimated precision needs all rows at once: use fit, or give precision as numbers")
    return True


class NaiveBayesClassifier(StatisticsClassifier):
    """P(c given x) ∝ P(c) · Π_j P(x_j given c): nominal columns by counting, numeric ones by a normal density.

    Missing values and values never seen in training are skipped, attribute by attribute.

    Parameters
    ----------
    alpha : added to every count (1 = Laplace, 0 = the raw fractions; all classes impossible → the prior).
    m, p : the m-estimate (n_c + m·p)/(n + m) in place of alpha; p None is 1/V, "overall" the value's share of all rows.
    zero : a constant for zero counts in place of alpha.
    prior : "empirical" n_c/n, "laplace" (n_c + 1)/(n + K), or the numbers: by class in order, or a mapping.
    ddof : the variance divides by n − ddof.
    min_variance : the least variance of a class, as a share of its column's variance.
    precision : None for densities; "estimated" or numbers for values held to a precision, as WEKA does.
    floor : every factor is at least this (WEKA: 1e-75).
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> model = NaiveBayesClassifier(alpha=0).fit(load("weather"))
    >>> row = {"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"}
    >>> round(model.explain(row)["Yes"], 3)
    0.205
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "m": [Interval(Real, 0, None, closed="neither"), None],
        "p": [Interval(Real, 0, 1, closed="both"), StrOptions({"overall"}), None],
        "zero": [Interval(Real, 0, 1, closed="both"), None],
        "prior": [StrOptions({"empirical", "laplace"}), "array-like", dict],
        "ddof": [Interval(Real, 0, None, closed="left")],
        "min_variance": [Interval(Real, 0, 1, closed="both")],
        "precision": [StrOptions({"estimated"}), Interval(Real, 0, None, closed="neither"), "array-like", None],
        "floor": [Interval(Real, 0, 1, closed="left")],
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }
    stored_statistics = ("values", "moments")

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        m: float | None = None,
        p: float | str | None = None,
        zero: float | None = None,
        prior: Any = "empirical",
        ddof: float = 1,
        min_variance: float = 1e-9,
        precision: Any = None,
        floor: float = 0.0,
        nominal: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.m = m
        self.p = p
        self.zero = zero
        self.prior = prior
        self.ddof = ddof
        self.min_variance = min_variance
        self.precision = precision
        self.floor = floor
        self.nominal = nominal

    @property
    def one_pass(self) -> bool:
        """An estimated precision is learned from each training part, so its folds must be refitted."""
        return not isinstance(self.precision, str)

    def gather(self, table: Table, group: Group | None = None, groups: int = 1) -> Statistics:
        """Counts of nominal columns, moments of numeric ones."""
        if self.precision is not None:
            self.precision_ = interval.column_precisions(self.precision, table)
            table = interval.rounded_table(table, self.precision_)
        return gather(table, group=group, groups=groups, values=True, moments=True)

    @available_if(_adds_rows)  # type: ignore[untyped-decorator]
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to the counts and moments; the model is that of `fit` on all rows seen."""
        return super().partial_fit(X, y, classes=classes, sample_weight=sample_weight)

    def state(self) -> State:
        """The statistics, and the precision the numbers are held to."""
        if self.precision is None:
            return super().state()
        if not hasattr(self, "precision_"):
            raise CrakeError(f"precision was set to {self.precision!r} after fit; fit the model again")
        return {**super().state(), "precision": self.precision_}

    def _restore_own(self, given: Given) -> None:
        if self.precision is not None:
            least = float(np.finfo(np.float64).smallest_subnormal)
            self.precision_ = given.floats("precision", (len(self.schema_.numeric),), least)

    @property
    def smoothing(self) -> Smoothing:
        """How counts become likelihoods."""
        return Smoothing(self.alpha, self.m, self.p, self.zero)

    def _estimate(self, statistics: Statistics) -> None:
        values, moments = statistics.value_counts, statistics.class_moments
        assert values is not None  # noqa: S101 - gather above asks for both
        assert moments is not None  # noqa: S101
        self.class_count_ = statistics.class_counts.counts[0]
        self.class_prior_ = class_prior(self.prior, self.class_count_, statistics.classes)
        smoothing = self.smoothing
        # likelihood_[j] has shape (classes, levels of nominal column j).
        self.likelihood_ = tuple(
            _likelihood(smoothing, values.table(j)[0], self.floor) for j in range(len(values.columns))
        )
        if self.precision is None:
            self.gaussians_ = gaussian.estimate(moments, self.ddof, self.min_variance)
        else:
            self.gaussians_ = interval.interval_gaussians(moments, self.precision_, self.ddof)

    @property
    def mean_(self) -> Floats:
        """The mean of each numeric column by class, shape (classes, numeric columns)."""
        mean: Floats = np.ldexp(self.gaussians_.mean, self.gaussians_.exponent)
        return mean

    @property
    def variance_(self) -> Floats:
        """The variance of each numeric column by class; 0 where the column is constant, ∞ beyond a float's range."""
        with np.errstate(over="ignore", under="ignore"):
            variance: Floats = np.ldexp(self.gaussians_.variance, 2 * self.gaussians_.exponent)
        return variance

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """The posterior of each row."""
        codes = table.source.matrix([column.name for column in table.schema.nominal], np.int32)
        values = table.source.matrix([column.name for column in table.schema.numeric], np.float64)
        rows = np.arange(len(table)) if rows is None else rows
        if self.precision is not None:
            held = interval.rounded(values[rows], self.precision_)
            return normalised(log_joint(self, codes[rows], held), self.class_prior_)
        offsets, log_likelihood = flat_log(self.likelihood_, len(self.classes_))
        return posteriors(
            rows, codes, values, self.class_prior_, log(self.class_prior_), offsets, log_likelihood,
            self.gaussians_.scale, np.ascontiguousarray(self.gaussians_.mean.T),
            np.ascontiguousarray(self.gaussians_.rest.T), np.ascontiguousarray(self.gaussians_.precision.T),
            np.ascontiguousarray(self.gaussians_.log_norm.T),
            float(log(np.float64(self.floor))),
        )  # fmt: skip

    def has_closed_leave_one_out(self, table: Table) -> bool:
        """Whether a row changes only its own class's counts."""
        return is_closed(self, table)

    def leave_one_out(self, table: Table) -> Floats:
        """P(class given row) of every training row under the model of all other rows."""
        return leave_one_out(self, table)

    def explain(self, row: Any) -> Workings:
        """The product of fractions and densities for each class, then the normalisation."""
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def tables(self) -> tuple[Grid, ...]:
        """The frequency and likelihood tables, one grid a column, as the lectures print them."""
        check_is_fitted(self)
        return likelihood_grids(self)

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "class_count_") else repr(self)


def _likelihood(smoothing: Smoothing, counts: Floats, floor: float) -> Floats:
    likelihood = smoothing.likelihood(counts, counts.sum(axis=1, keepdims=True), overall_shares(counts))
    return np.maximum(likelihood, floor)


def flat_log(likelihood: tuple[Floats, ...], classes: int) -> tuple[NDArray[np.int64], Floats]:
    """The first row of each column in one table of logs, shape (all levels, classes)."""
    widths = [table.shape[1] for table in likelihood]
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    flat = np.concatenate([table.T for table in likelihood]) if likelihood else np.zeros((0, classes))
    return offsets, np.ascontiguousarray(log(flat))


def log(probability: Floats | np.float64) -> Floats:
    """Log p, −∞ for 0."""
    with np.errstate(divide="ignore"):
        logarithm: Floats = np.log(probability)
    return logarithm
