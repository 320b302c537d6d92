"""Bagging for numbers: the mean of members that learned from bootstrap samples."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.export.forms import Form, Part, Sum
from crake.export.methods import form_of
from crake.kernels import threads
from crake.learners.base.card import Card
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import N_JOBS, HasMethods, Interval
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.bagging.samples import Sample, fitted, in_order, samples
from crake.learners.ensemble.foreign import checked_number_member
from crake.learners.ensemble.foreseen import seconds_of
from crake.learners.ensemble.members import Members
from crake.learners.ensemble.shapley import are_trees, columns_section, mean_contributions
from crake.learners.ensemble.showing import ShownEnsemble
from crake.learners.ensemble.stored_members import members_state, restored_members
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.explaining.shapley import Contributions
from crake.metrics.estimate import Estimate
from crake.metrics.regression import r_squared
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted
from crake.render.workings import Section, Step, Workings, added_up, number
from crake.table.table import Table

SAMPLES = "rows are sampled by weight: copies of a row change the sample"
IN_FULL = 12
"""Members whose predictions are written into the mean of an explanation."""


class BaggingRegressor(ShownEnsemble, TableRegressor):
    """Members learn from samples with replacement of the rows; the prediction is their mean.

    Parameters
    ----------
    estimator : one of crake's regressors, or one of another library; a full CART regression tree if None.
    n_estimators : the number of members.
    max_samples : the draws of each sample as a share of the rows.
    oob_score : whether each training row is predicted by the members whose samples lack it.
    random_state : the seed.
    n_jobs : threads that fit and predict use; None and −1: one for each core. The model does not depend on it.

    Fitted: `estimators_`, `oob_score_` (R² out of bag, with its interval).

    >>> from crake.table.examples import load
    >>> X = load("iris").matrix(["sepal length (cm)", "petal length (cm)"], float)
    >>> BaggingRegressor().fit(X[:, 1:], X[:, 0]).predict([[4.0]]).round(1)
    array([5.7])

    Breiman (1996), Bagging predictors.
    """

    card = Card(
        title="bagging",
        about="mean of many regression trees, each of a bootstrap sample",
        model="a mean of many",
        is_readable=False,
        missing="as its members do",
        has_interactions=True,
        time="a tree per member",
        seconds=seconds_of(10, member=2e-3, cell=4e-8),
    )
    _for_classifiers = "BaggingClassifier"
    _removed = "squared error"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Real, 0, None, closed="neither")],
        "oob_score": ["boolean"],
        "random_state": [Interval(Integral, 0, 2**31 - 1, closed="both")],
        "n_jobs": N_JOBS,
    }
    estimators_: list[Any]

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        oob_score: bool = True,
        random_state: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def nominal(self) -> Any:
        """The columns of X that the inner learner reads as nominal."""
        return getattr(self.estimator, "nominal", "auto")

    def _inner_learner(self) -> Any:
        if self.estimator is None:
            return CARTRegressor()
        return checked_number_member(self.estimator, self.random_state, self._for_classifiers)

    def _learn(self, table: Table, y: Floats) -> None:
        with threads.jobs(self.n_jobs):
            self._learn_members(table, y)

    def _learn_members(self, table: Table, y: Floats) -> None:
        members = Members(self._inner_learner(), table, self.n_estimators, y)
        weights = np.ones(len(table)) if table.weights is None else table.weights
        draws = max(1, int(len(table) * self.max_samples))
        bags = samples(weights, draws, self.n_estimators, "crake", self.random_state)
        estimators, sums, times = [], np.zeros(len(table)), np.zeros(len(table), np.int64)
        for member, rows, answers in in_order(lambda group: self._fitted(members, group), bags, members):
            estimators.append(member)
            sums[rows] += answers
            times[rows] += 1
        predicted = times > 0
        self.estimators_ = estimators
        means = sums[predicted] / times[predicted]
        score = r_squared(y[predicted], means, weights[predicted]) if predicted.any() else None
        known = score is not None and score.value is not None and score.interval is not None
        self._oob = np.array([score.value, score.low, score.high]) if known and score is not None else np.zeros(0)

    def _fitted(self, members: Members, bags: list[Sample]) -> list[tuple[Any, Rows, Floats]]:
        """Return the member of each sample, the rows that it lacks, and the member's predictions of them."""
        table, none = members.table, np.zeros(0, np.intp)
        fits = []
        for member, copies in fitted(bags, members):
            rows = np.flatnonzero(copies == 0) if self.oob_score else none
            fits.append((member, rows, member.answers(table, rows) if len(rows) else np.zeros(0)))
        return fits

    @property
    def oob_score_(self) -> Estimate:
        """R² on the training rows, each predicted by the members whose samples lack it, with its interval."""
        check_is_fitted(self, "estimators_")
        if not self.oob_score:
            raise AttributeError("there is no oob_score_: the model was fitted with oob_score=False")
        if not len(self._oob):
            return Estimate.undefined("too few rows are out of bag")
        value, low, high = self._oob.tolist()
        return Estimate(value, (low, high), "R² out of bag")

    @property
    def feature_importances_(self) -> Floats:
        """The mean of the members' importances; members have them if they are trees."""
        check_is_fitted(self)
        mean: Floats = np.mean([member.feature_importances_ for member in self.estimators_], axis=0)
        return mean

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the mean of the members' predictions."""
        total = np.zeros(len(table) if rows is None else len(rows))
        with threads.jobs(self.n_jobs):
            for member in self.estimators_:
                total += member.answers(table, rows) / len(self.estimators_)
        return total

    def _form(self) -> Form:
        weight = 1.0 / len(self.estimators_)
        return Sum(np.zeros(1), tuple(Part(form_of(member), weight) for member in self.estimators_))

    def explain(self, row: Any) -> Workings:
        """Return the prediction of each member and their mean; of trees also what each column adds to it."""
        table = self._one_row(row)
        each = np.array([float(member.answers(table)[0]) for member in self.estimators_])
        target, members, mean = self.schema_.target or "target", len(each), float(self.answers(table)[0])
        written = f"({added_up(each.tolist())})/{members}" if members <= IN_FULL else ""
        source = f"the predictions go from {number(float(each.min()))} to {number(float(each.max()))}"
        step = Step(f"prediction of {target}", "mean of the members' predictions", written, number(mean), source)
        sections = [Section("Mean", (step,))]
        if are_trees(self.estimators_):
            sections.append(columns_section(table, self.contributions(table), 0, f"the prediction of {target}"))
        return Workings(f"The mean of {counted(members, 'member')}", tuple(sections), ((target, mean),))

    def contributions(self, row: Any) -> Contributions:
        """Return what each column adds to the prediction of a row: exact Shapley values; members must be trees.

        `.base` is the mean of the members' mean predictions, each over the rows of its own sample; base and `.columns`
        (columns, 1) add up to `predict`.
        """
        return mean_contributions(self.estimators_, self._one_row(row))

    def draw(self, *, most: int = 20, width: float = 560) -> Drawing:
        """Draw the columns by their importance, the mean of the members'; members must be trees."""
        return self.draw_importances(most=most, width=width)

    def _staged(self, table: Table) -> Iterator[Floats]:
        total = np.zeros(len(table))
        for at, member in enumerate(self.estimators_, start=1):
            total += member.answers(table)
            yield total / at

    def _weight_exception(self) -> str:
        """Return why a row of weight k may count other than k copies of it."""
        return SAMPLES

    def _name(self) -> str:
        return "Bagging"

    def __str__(self) -> str:
        if not hasattr(self, "estimators_"):
            return repr(self)
        lines = [f"{self._name()}: {counted(len(self.estimators_), 'member')}, {self._inner_learner()!r}"]
        return "\n".join([*lines, f"  R² out of bag {self.oob_score_!s}"] if self.oob_score else lines)

    def state(self) -> State:
        """Return the members and the score out of bag."""
        return {**super().state(), **members_state(self.estimators_), "oob": self._oob}

    def restore(self, reader: StateReader) -> Self:
        """Take back the members, all fitted on the same columns."""
        super().restore(reader)
        self.estimators_ = restored_members(self._inner_learner(), self.schema_, self.missing_, reader)
        self._oob = reader.floats("oob", (None,))
        if len(self._oob) not in (0, 3):
            raise reader.refusal("oob", f"has {len(self._oob)} numbers", "a score and the ends of its interval")
        return self
