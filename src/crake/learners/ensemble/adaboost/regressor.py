"""AdaBoost.R2: the weighted median of members, each learned where the earlier ones were far off."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.parameters import HasMethods, Interval, StrOptions
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.ensemble.bagging.regressor import BaggingRegressor
from crake.learners.ensemble.foreseen import seconds_of
from crake.learners.ensemble.members import Members, Sampler
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.explaining.shapley import Contributions
from crake.render.sentences import counted
from crake.render.workings import Section, Step, Workings, number
from crake.table.table import Table

SHOWN = 12
"""Members that an explanation lists one by one."""
LARGEST_VOTE = 1e300
"""The largest vote of a member: sums of votes are still numbers."""


class AdaBoostRegressor(BaggingRegressor):
    """Members learn from samples by weight; rows that a member predicts badly weigh more for the next (AdaBoost.R2).

    The loss L of a row is its error over the largest error. With the mean loss ℓ of a member, by weight, and
    β = ℓ/(1 − ℓ), weights are multiplied by β^(1 − L), and the member votes with log(1/β). The prediction is the
    weighted median of the members' predictions.

    Parameters
    ----------
    estimator : one of crake's regressors; a CART regression tree of depth 3 if None.
    n_estimators : the most members; fewer if one is perfect or too bad (`stopped_` says why).
    learning_rate : a factor of every vote, and the exponent's of the weights.
    loss : "linear" |error|/D with the largest error D, "square" its square, "exponential" 1 − exp(−|error|/D).
    resample : members learn from samples by weight; False: from weighted rows.
    random_state : the seed of the samples.

    Fitted: `estimators_`, `estimator_weights_` (the votes), `estimator_errors_` (the mean losses), `stopped_`.

    >>> from crake.table.examples import load
    >>> X = load("iris").matrix(["sepal length (cm)", "petal length (cm)"], float)
    >>> AdaBoostRegressor(n_estimators=20).fit(X[:, 1:], X[:, 0]).predict([[4.0]]).round(1)
    array([5.8])

    Drucker (1997), Improving regressors using boosting techniques.
    """

    card = Card(
        title="AdaBoost",
        about="median of small trees, each learned where others were far off",
        model="a median of many",
        is_readable=False,
        missing="as its members do",
        has_interactions=True,
        time="a tree per member",
        is_compared=False,
        seconds=seconds_of(50, member=2e-3, cell=2e-8),
        usual_grid={"n_estimators": [10, 50]},
    )
    _for_classifiers = "AdaBoostClassifier"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"linear", "square", "exponential"})],
        "resample": ["boolean"],
        "random_state": [Interval(Integral, 0, 2**31 - 1, closed="both")],
    }
    oob_score = False
    max_samples = 1.0

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        resample: bool = True,
        random_state: int = 1,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.resample = resample
        self.random_state = random_state

    def _inner_learner(self) -> Any:
        return CARTRegressor(max_depth=3) if self.estimator is None else super()._inner_learner()

    def _learn(self, table: Table, y: Floats) -> None:
        members, sampler = Members(self._inner_learner(), table, self.n_estimators), Sampler("crake", self.random_state)
        weights = np.ones(len(table)) if table.weights is None else table.weights.copy()
        estimators: list[Any] = []
        votes: list[float] = []
        losses: list[float] = []
        stopped = ""
        while len(estimators) < self.n_estimators and not stopped:
            at = len(estimators)
            if self.resample:
                member = members.sampled(sampler.rows(weights, len(table)), at)
            else:
                member = members.weighted(weights, at)
            each = self._losses(np.abs(member.answers(table) - y))
            loss = float(np.average(each, weights=weights))
            if loss >= 0.5 and estimators:
                stopped = f"member {at + 1}: its mean loss, {loss:.4g}, was not below 0.5"
                break
            beta = loss / (1 - loss) if 0 < loss < 0.5 else 1.0
            estimators.append(member)
            losses.append(loss)
            votes.append(min(self.learning_rate * -np.log(beta), LARGEST_VOTE) if 0 < loss < 0.5 else 1.0)
            if not 0 < loss < 0.5:
                why = "made no error on the training rows" if loss <= 0 else f"had the mean loss {loss:.4g}"
                stopped = f"member {at + 1} {why}"
                break
            raised = weights * beta ** ((1 - each) * self.learning_rate)
            weights = raised * (weights.sum() / raised.sum())
        self.estimators_, self.stopped_, self._oob = estimators, stopped, np.zeros(0)
        self.estimator_weights_, self.estimator_errors_ = np.array(votes), np.array(losses)

    def _losses(self, errors: Floats) -> Floats:
        """Return the loss of each row: 0 for none, at most 1 for the largest error."""
        largest = float(errors.max())
        share = errors / largest if largest > 0 else np.zeros_like(errors)
        if self.loss == "linear":
            return share
        return share**2 if self.loss == "square" else 1.0 - np.exp(-share)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the weighted median of the members' predictions: the least that half of the votes do not exceed."""
        return weighted_medians(self._each(table, rows), self.estimator_weights_)

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the predictions of the first member, of the first two, and so on."""
        each = self._each(self._coded(X), None)
        for stop in range(1, len(each) + 1):
            yield weighted_medians(each[:stop], self.estimator_weights_[:stop])

    def member_note(self, number: int) -> str:
        """Return one sentence on a member: its number, its vote and its mean loss."""
        place = self._place(number)
        vote, loss = self.estimator_weights_[place], self.estimator_errors_[place]
        said = f"its vote is {vote:.4g}, its mean loss on the training rows as they were weighted for it {loss:.4f}"
        return f"Member {number} of {self.n_members_}: {said}."

    def _staged(self, table: Table) -> Iterator[Floats]:
        return self.staged_predict(table)

    def _notes_on_rounds(self) -> tuple[str, ...]:
        return (f"It stopped: {self.stopped_}.",) if self.stopped_ else ()

    def _each(self, table: Table, rows: NDArray[np.intp] | None) -> Floats:
        return np.array([member.answers(table, rows) for member in self.estimators_])

    def contributions(self, row: Any) -> Contributions:
        """Raise: a median is no sum of what its members say."""
        del row
        raise CrakeError("expected a mean to divide among the columns, got a median: ForestRegressor predicts a mean")

    def _form(self) -> Form:
        return self._refused_form("its prediction is a weighted median of its members, which no target computes")

    def explain(self, row: Any) -> Workings:
        """Return the predictions of the members in ascending order, with their votes, and the median."""
        table = self._one_row(row)
        each, votes = self._each(table, None)[:, 0], self.estimator_weights_
        order = np.argsort(each, kind="stable")
        target, median = self.schema_.target or "target", float(self.answers(table)[0])
        half = float(votes.sum()) / 2
        steps = []
        if len(order) <= SHOWN:
            reached = np.cumsum(votes[order])
            steps = [
                Step(f"member {k + 1}", "", "", number(float(each[k])), f"votes so far {number(float(sum_))}")
                for k, sum_ in zip(order.tolist(), reached, strict=True)
            ]
        middle = f"half of the votes is {number(half)}"
        steps.append(Step(f"prediction of {target}", "the weighted median", "", number(median), middle))
        title = f"AdaBoost: the weighted median of {counted(len(order), 'member')}"
        return Workings(title, (Section("Predictions in ascending order", tuple(steps)),), ((target, median),))

    def _name(self) -> str:
        return "AdaBoost"

    def __str__(self) -> str:
        if not hasattr(self, "estimators_"):
            return repr(self)
        lines = [f"AdaBoost.R2: {counted(len(self.estimators_), 'member')}, {self._inner_learner()!r}"]
        losses = self.estimator_errors_
        lines.append(f"  mean losses from {losses.min():.4f} to {losses.max():.4f}")
        return "\n".join([*lines, f"  stopped: {self.stopped_}"] if self.stopped_ else lines)

    def state(self) -> State:
        """Return the members, their votes and losses."""
        votes, losses = self.estimator_weights_, self.estimator_errors_
        return {**super().state(), "votes": votes, "losses": losses, "stopped": Labels((self.stopped_,))}

    def restore(self, reader: StateReader) -> Self:
        """Take back the members with a vote each."""
        super().restore(reader)
        members = (len(self.estimators_),)
        self.estimator_weights_ = reader.floats("votes", members, 0, LARGEST_VOTE)
        self.estimator_errors_ = reader.floats("losses", members, 0, 1)
        self.stopped_ = "".join(reader.names("stopped"))
        if not self.estimator_weights_.sum() > 0:
            raise reader.refusal("votes", "are all 0", "a vote above 0")
        return self


def weighted_medians(each: Floats, weights: Floats) -> Floats:
    """Return the weighted median of each column of shape (members, rows): the first at which half of the weight is.

    >>> weighted_medians(np.array([[1.0], [5.0], [2.0]]), np.array([1.0, 3.0, 1.0]))
    array([5.])
    """
    order = np.argsort(each, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    # Sums of equal votes in another order differ in their last bits.
    at = np.argmax(reached >= 0.5 * weights.sum() * (1 - 1e-12), axis=0)
    columns = np.arange(each.shape[1])
    medians: Floats = each[order[at, columns], columns]
    return medians
