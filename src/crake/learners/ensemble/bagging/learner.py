"""Bagging: the mean prediction of members that learned from bootstrap samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.export.forms import Form, Part, Shares, Sum
from crake.export.methods import form_of
from crake.kernels import threads
from crake.learners.base.card import Card
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import N_JOBS, HasMethods, Interval, StrOptions
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.bagging.curve import curve_out_of_bag
from crake.learners.ensemble.bagging.out_of_bag import OutOfBag, estimate
from crake.learners.ensemble.bagging.samples import Sample, fitted, in_order, samples
from crake.learners.ensemble.bagging.workings import explained
from crake.learners.ensemble.base import EnsembleClassifier
from crake.learners.ensemble.error_curves import ErrorCurve
from crake.learners.ensemble.foreseen import seconds_of
from crake.learners.ensemble.members import Members
from crake.learners.ensemble.shapley import mean_contributions, vote_contributions
from crake.learners.tree.algorithms.c45 import C45Classifier
from crake.learners.tree.explaining.shapley import Contributions
from crake.metrics.estimate import Estimate
from crake.render.drawing.drawing import Drawing
from crake.render.sentences import counted
from crake.render.workings import Workings
from crake.table.convert.export import label_array
from crake.table.table import Table

SAMPLES = "rows are sampled by weight: copies of a row change the sample"


class BaggingClassifier(EnsembleClassifier):
    """Members learn from samples with replacement of the rows; their mean prediction varies less than each of them.

    A sample is the number of copies of each row: members share one table, and trees one sort of its columns.

    Parameters
    ----------
    estimator : one of crake's classifiers, or one of another library, whose samples are copies of rows; C4.5 if None.
    n_estimators : the number of members.
    max_samples : the draws of each sample as a share of the rows.
    voting : "probabilities" averages the members' probabilities, "votes" counts their classes.
    oob_score : whether each training row is predicted by the members whose samples lack it.
    generator : "crake", or "weka" for the samples and seeds of WEKA's Bagging with the same seed.
    random_state : the seed.
    n_jobs : threads that fit and predict use; None and −1: one for each core. The model does not depend on it.

    Fitted: `estimators_`, `oob_score_` (accuracy out of bag, with its interval), `oob_errors_` by number of members
    (NaN as long as every row is in all samples).

    >>> from crake.table.examples import load
    >>> model = BaggingClassifier(n_estimators=25).fit(load("breast-cancer"))
    >>> print(model.oob_score_)
    0.954 [0.934, 0.969]

    Breiman (1996), Bagging predictors.
    """

    card = Card(
        title="bagging",
        about="mean of many C4.5 trees, each of a bootstrap sample",
        model="a mean of many",
        is_readable=False,
        missing="as its members do",
        has_interactions=True,
        probabilities="means of the members' probabilities",
        time="a sort per number, a tree per member",
        seconds=seconds_of(10, member=1.5e-3, cell=1.8e-8),
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Real, 0, None, closed="neither")],
        "voting": [StrOptions({"probabilities", "votes"})],
        "oob_score": ["boolean"],
        "generator": [StrOptions({"crake", "weka"})],
        "random_state": [Interval(Integral, 0, 2**31 - 1, closed="both")],
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 10,
        max_samples: float = 1.0,
        voting: str = "probabilities",
        oob_score: bool = True,
        generator: str = "crake",
        random_state: int = 1,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.voting = voting
        self.oob_score = oob_score
        self.generator = generator
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, table: Table) -> None:
        with threads.jobs(self.n_jobs):
            self._learn_members(table)

    def _learn_members(self, table: Table) -> None:
        members = self._members(table)
        weights = np.ones(len(table)) if table.weights is None else table.weights
        draws = max(1, int(len(table) * self.max_samples))
        bags = samples(weights, draws, self.n_estimators, self.generator, self.random_state)
        if self.generator == "crake":
            members.sort()
        out_of_bag = OutOfBag(table, weights) if self.oob_score else None
        estimators = []
        for member, rows, probabilities in in_order(lambda group: self._fitted(members, group), bags, members):
            estimators.append(member)
            if out_of_bag is not None:
                out_of_bag.add(rows, probabilities)
        self.schema_, self.classes_ = table.schema, label_array(table.schema.classes)
        self.estimators_ = estimators
        self._oob_counts = (0.0, 0.0) if out_of_bag is None else out_of_bag.counts()
        self.oob_errors_ = np.array([] if out_of_bag is None else out_of_bag.errors)

    def _members(self, table: Table) -> Members:
        return Members(self._inner_learner(), table, self.n_estimators)

    def _fitted(self, members: Members, bags: list[Sample]) -> list[tuple[Any, Any, Floats]]:
        """Return the member of each sample, the rows that it lacks, and the member's predictions of them."""
        table, none = members.table, np.zeros(0, np.intp)
        fits = []
        for member, copies in fitted(bags, members):
            rows = np.flatnonzero(copies == 0) if self.oob_score else none
            known = self._counted(member, member.probabilities(table, rows)) if len(rows) else np.zeros((0, 1))
            fits.append((member, rows, known))
        return fits

    def _counted(self, member: Any, probabilities: Floats) -> Floats:
        """Return what a member adds to the sum: its probabilities, or 1 for its class."""
        if self.voting == "probabilities":
            return probabilities
        votes: Floats = np.eye(probabilities.shape[1])[member.decide(probabilities)]
        return votes

    @property
    def oob_score_(self) -> Estimate:
        """The accuracy on the training rows, each predicted by the members whose samples lack it, with its interval."""
        check_is_fitted(self, "estimators_")
        if not self.oob_score:
            raise AttributeError("there is no oob_score_: the model was fitted with oob_score=False")
        return estimate(*self._oob_counts)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the mean of the members' probabilities, or the shares of their votes."""
        with threads.jobs(self.n_jobs):
            return self._mean(self._counted(member, member.probabilities(table, rows)) for member in self.estimators_)

    def _mean(self, each: Iterable[Floats]) -> Floats:
        predictions = iter(each)
        total = next(predictions).astype(np.float64)
        for one in predictions:
            total += one
        normal: Floats = total / total.sum(axis=1, keepdims=True)
        return normal

    def _form(self) -> Form:
        is_vote = self.voting == "votes"
        parts = tuple(Part(form_of(member), is_vote=is_vote) for member in self.estimators_)
        return Shares(Sum(np.zeros(len(self.classes_)), parts))

    def explain(self, row: Any) -> Workings:
        """Return the prediction of each member and their mean; of trees also what each column adds to it."""
        table = self._one_row(row)
        each = [self._counted(member, member.probabilities(table)) for member in self.estimators_]
        return explained(self, np.concatenate(each), self._mean(each)[0], table)

    def contributions(self, row: Any) -> Contributions:
        """Return what each column adds to the prediction of a row: exact Shapley values; members must be trees.

        `.base` is the mean of the members' mean predictions, each over the rows of its own sample; base and `.columns`
        (columns, classes) add up to `predict_proba`.
        """
        return self._contributions(self._one_row(row))

    def _contributions(self, row: Table, answer: int | None = None) -> Contributions:
        if self.voting == "probabilities":
            return mean_contributions(self.estimators_, row, answer)
        votes = np.ones(len(self.estimators_))
        return vote_contributions(self.estimators_, row, votes, lambda _, each: np.argmax(each, axis=1), answer)

    def draw(self, *, width: float = 560) -> Drawing:
        """Draw the error out of bag by the number of members."""
        return self.draw_rounds(width=width)

    def _staged(self, table: Table) -> Iterator[Floats]:
        total = np.zeros((len(table), len(self.classes_)))
        for member in self.estimators_:
            total += self._counted(member, member.probabilities(table))
            yield total  # the largest sum is the largest mean

    def _own_curves(self, *, is_tested: bool) -> list[ErrorCurve]:
        del is_tested
        return [curve_out_of_bag(self)] if self._has_rows_out_of_bag() else []

    def _has_rows_out_of_bag(self) -> bool:
        return len(self.oob_errors_) > 0 and self._oob_counts[1] > 0

    def _no_curve(self) -> str:
        if len(self.oob_errors_):
            return "expected rows out of bag to draw, got none: every row is in all samples; set a smaller max_samples"
        return "expected errors out of bag to draw, got none: fit with oob_score=True"

    def _subject(self) -> str:
        if not self._has_rows_out_of_bag():
            return ""
        return "out of bag: each training row is predicted by the members whose samples lack it"

    def _default_learner(self) -> Any:
        return C45Classifier()

    def _weight_exception(self) -> str:
        return SAMPLES

    def __str__(self) -> str:
        if not hasattr(self, "estimators_"):
            return repr(self)
        lines = [f"{self._name()}: {counted(len(self.estimators_), 'member')}, {self._inner_learner()!r}"]
        if self.oob_score:
            lines.append(f"  accuracy out of bag {self.oob_score_!s}")
        return "\n".join(lines)

    def _name(self) -> str:
        return "Bagging"

    def state(self) -> State:
        """Return the members and the counts out of bag; errors from the first sample on that lacks a row."""
        known = self.oob_errors_[~np.isnan(self.oob_errors_)]
        return {**super().state(), "oob_counts": np.array(self._oob_counts), "oob_errors": known}

    def restore(self, reader: StateReader) -> Self:
        """Take back the members and the counts out of bag."""
        super().restore(reader)
        right, rows = reader.floats("oob_counts", (2,), 0, 1e300).tolist()
        if right > rows * (1 + 1e-9):
            raise reader.refusal("oob_counts", f"has {right} right of {rows} rows", "no more right than there are")
        self._oob_counts = min(right, rows), rows
        known = reader.floats("oob_errors", (None,), 0, 1)
        unknown = max(0, len(self.estimators_) - len(known)) if self.oob_score else 0
        self.oob_errors_ = np.concatenate([np.full(unknown, np.nan), known])
        return self
