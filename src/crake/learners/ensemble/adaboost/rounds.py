"""The rounds of AdaBoost: fit a member, weigh its errors, raise the weights of the rows that it had wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import readable
from crake.kernels.adaboost import add_votes, raise_factors, raise_weights, weigh_errors
from crake.learners.base.most_probable import most_probable
from crake.learners.ensemble.adaboost.votes import decisions, is_j48
from crake.learners.ensemble.members import Members, Sampler
from crake.table.table import Table

MARGIN = 1e-6
"""WEKA's tolerance: an error within it of 0 or ½ ends the rounds of "m1"."""
LEAST_ERROR = 1e-10
"""The error that a member without errors counts as in "lecture", so that its vote is finite: log(1e10) = 23."""
REDRAWS = 10
"""Samples that a round of "lecture" may draw before it gives up."""


@dataclass(frozen=True)
class Settings:
    """The rule of the rounds. `resamples`: members learn from samples by weight in place of weighted rows."""

    variant: str
    n_estimators: int
    learning_rate: float
    resamples: bool
    generator: str
    seed: int


@dataclass(eq=False)
class Rounds:
    """The members so far, the vote and the weighted error of each, and why there are no more.

    `training_errors` is the error of the whole committee on the training rows after each round.
    """

    members: list[Any] = field(default_factory=list)
    votes: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    training_errors: list[float] = field(default_factory=list)
    stopped: str = ""

    def keep(self, member: Any, vote: float, error: float) -> None:
        """Add a member."""
        self.members.append(member)
        self.votes.append(vote)
        self.errors.append(error)


def boost(table: Table, learner: Any, settings: Settings, after_round: Callable[[Any, float], bool]) -> Rounds:
    """Return the rounds over the rows of a table; `after_round(member, vote)` is True if no more are wanted."""
    return _Booster(table, learner, settings, after_round).run()


class _Booster:
    def __init__(self, table: Table, learner: Any, settings: Settings, after_round: Callable[[Any, float], bool]):
        self.table, self.settings, self.after_round = table, settings, after_round
        self.members = Members(learner, table, settings.n_estimators)
        self.sampler = Sampler(settings.generator, settings.seed)
        self.reseeds = bool(getattr(learner, "draws_rows", False))
        self.target = readable(table.target)
        # The weights keep their sum, so that limits on the rows of a leaf mean the same in every round.
        self.start = readable(np.ones(len(table)) if table.weights is None else table.weights)
        self.rounds = Rounds()
        self.start_sum = running_sum(self.start)
        # The weights of "samme" are the weights at the start times multiples of a unit: sums of whole weights are
        # exact in any order, so that a row of weight 2 is two rows, and no rounding decides between equal splits.
        self.factors, self.unit = np.ones(len(table)), 2.0 ** min(max(math.frexp(self.start_sum)[1], 0) - 51, -24)
        self.votes = np.zeros((len(table), len(table.schema.classes)))

    def run(self) -> Rounds:
        """Go through the rounds."""
        weights = self.start
        while len(self.rounds.members) < self.settings.n_estimators and not self.rounds.stopped:
            round_of = self._drawn_round if self.settings.variant == "lecture" else self._one_round
            weights = round_of(weights)
        return self.rounds

    def _one_round(self, weights: Floats) -> Floats:
        """Fit a member of "m1" or "samme" and return the weights of the next round."""
        at = len(self.rounds.members)
        if self.settings.resamples:
            member, probabilities, error = self._resampled(weights)
        else:
            member = self.members.weighted(weights, at, self._seed(at))
            probabilities = member.probabilities(self.table)
            error = self._error(weights, member, probabilities)
        is_m1, K = self.settings.variant == "m1", len(self.table.schema.classes)
        none, most = (MARGIN, 0.5 - MARGIN) if is_m1 else (0.0, 1 - 1 / max(K, 2))
        if error <= none:
            self._stop(member, error, "it made no error on the training rows", is_kept=not is_m1)
            return weights
        if error >= most:
            self._stop(member, error, f"its error, {error:.4g}, was not below {1 - 1 / K if not is_m1 else 0.5:.4g}")
            return weights
        odds = (1 - error) / error
        vote = self.settings.learning_rate * (np.log(odds) + (0.0 if is_m1 else np.log(max(K, 2) - 1)))
        codes = decisions(member, probabilities)
        self._keep(member, vote, error, codes)
        factor = odds if is_m1 and self.settings.learning_rate == 1.0 else np.exp(vote)
        if is_m1:
            return raise_weights(codes, self.target, weights, 1.0, float(factor))
        self.factors = raise_factors(codes, self.target, self.start, self.factors, float(factor), self.unit)
        return self.start * self.factors

    def _drawn_round(self, weights: Floats) -> Floats:
        """Fit a member of "lecture" to a sample; too bad a sample is drawn again from the weights of the start."""
        at = len(self.rounds.members)
        for _ in range(REDRAWS):
            member = self.members.sampled(self.sampler.rows(weights, len(self.table)), at, self._seed(at))
            probabilities = member.probabilities(self.table)
            error = self._error(weights, member, probabilities)
            if error < 0.5:
                break
            weights = self.start
        else:
            self._stop(member, error, f"{REDRAWS} samples gave members with errors of 0.5 or more")
            return weights
        bounded = max(error, LEAST_ERROR)
        odds = (1 - bounded) / bounded
        codes = decisions(member, probabilities)
        self._keep(member, self.settings.learning_rate * float(np.log(odds)), error, codes)
        if error <= LEAST_ERROR:
            self.rounds.stopped = f"member {at + 1} made no error on the training rows"
            return weights
        factor = float(odds**-self.settings.learning_rate)
        return raise_weights(codes, self.target, weights, factor, 1.0)

    def _resampled(self, weights: Floats) -> tuple[Any, Floats, float]:
        """Fit a member to a sample by weight, drawn again up to ten times while it makes no error at all."""
        for _ in range(REDRAWS):
            at = len(self.rounds.members)
            member = self.members.sampled(self.sampler.rows(weights, len(self.table)), at, self._seed(at))
            probabilities = member.probabilities(self.table)
            error = self._error(weights, member, probabilities)
            if error > MARGIN:
                break
        return member, probabilities, error

    def _seed(self, at: int) -> int | None:
        """Return a seed for each member that draws a balanced sample; None for other members."""
        return self.settings.seed + at if self.reseeds else None

    def _error(self, weights: Floats, member: Any, probabilities: Floats) -> float:
        # WEKA counts the errors of a J48 by its probabilities, and raises weights by its decisions.
        codes = most_probable(probabilities) if is_j48(member) else decisions(member, probabilities)
        wrong, total = weigh_errors(codes, self.target, weights)
        return wrong / total

    def _keep(self, member: Any, vote: float, error: float, codes: NDArray[np.intp]) -> None:
        """Add a member that votes for these classes."""
        self.rounds.keep(member, float(vote), error)
        wrong = add_votes(codes, float(vote), self.target, self.start, self.votes)
        self.rounds.training_errors.append(wrong / self.start_sum)
        if self.after_round(member, float(vote)):
            self.rounds.stopped = "the error on the rows held out did not fall any more"

    def _stop(self, member: Any, error: float, reason: str, *, is_kept: bool = False) -> None:
        """End the rounds without this member, unless it is kept or there is no other: then its vote is 1."""
        at = len(self.rounds.members) + 1
        if is_kept or not self.rounds.members:
            self._keep(member, 1.0, error, decisions(member, member.probabilities(self.table)))
        self.rounds.stopped = f"member {at}: {reason}"


def running_sum(values: Floats) -> float:
    """Return the sum, added one after the other as WEKA does: rounding decides ties between errors."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0
