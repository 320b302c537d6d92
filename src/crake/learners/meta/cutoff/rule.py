"""How probabilities become answers, and the choice of it on rows that the models had not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, DataError
from crake.learners.meta.cutoff.options import Way
from crake.metrics.curves.averaging import fold_rankings
from crake.metrics.cutoffs import Cutoff, CutoffSpread, choose_cutoff, cutoff_spread, least_expected_cost
from crake.metrics.cutoffs.calling import called
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.table.schema import Label

Floats = NDArray[np.float64]

INDIFFERENT = "every error costs the same, so the most probable class costs least"


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows with probabilities from models that had not seen them: class codes, probabilities, weights, folds."""

    actual: NDArray[np.int32]
    probabilities: Floats
    weights: Floats
    fold: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Rule:
    """A cutoff on the probability of the `positive` class (a code); or `costs`, of which the least is expected.

    With neither, the most probable class is the answer, and `why_not` says why.
    """

    positive: int | None = None
    cutoff: Cutoff | None = None
    spread: CutoffSpread | None = None
    costs: Floats | None = None
    why_not: str = ""

    def decide(self, probabilities: Floats) -> NDArray[np.intp]:
        """The code of the answer to each row."""
        if self.cutoff is not None and self.positive is not None:
            return called(probabilities, self.positive, self.cutoff.value).astype(np.intp)
        if self.costs is not None:
            return least_expected_cost(probabilities, self.costs)
        return np.asarray(np.argmax(probabilities, axis=1), np.intp)


def rule_of(
    way: Way, classes: tuple[Label, ...], totals: Callable[[], Floats], held_out: Callable[[], HeldOut]
) -> Rule:
    """The rule for these classes; `totals` (rows by class) and `held_out` are asked only where they are needed."""
    if way.positive is not None and way.positive not in classes:
        raise CrakeError(f"there is no class {way.positive!r} to call positive; classes: {list(classes)}")
    costs = way.costs(classes)
    if len(classes) > 2 and costs is not None:
        if way.positive is not None or "prior" in way.given:
            raise CrakeError(f"the cost matrix has {len(classes)} classes; it needs neither positive= nor prior=")
        return Rule(costs=costs.costs)
    if len(classes) > 2 and way.positive is None:
        if way.is_indifferent:
            return Rule(why_not=INDIFFERENT)
        raise CrakeError(
            f"Only binary classification is supported where no class is named, and there are {len(classes)} classes: "
            f"say which one is meant, positive=…, or give a cost matrix, cost=…; classes: {list(classes)}"
        )
    if len(classes) < 2:
        return Rule(why_not=f"all rows are of class {classes[0]!r}")
    positive = classes.index(way.positive) if way.positive is not None else _rarer(totals())
    if way.cutoff is not None:
        return Rule(positive, _as_given(way.cutoff))
    try:
        found = held_out()
    except DataError as refused:  # too few rows to hold any out
        return Rule(positive, why_not=str(refused))
    return _chosen(way, classes, positive, found)


def _rarer(totals: Floats) -> int:
    """Of two classes the rarer, of equals the last: as in an evaluation."""
    return 0 if totals[0] < totals[1] else 1


def _as_given(value: float) -> Cutoff:
    return Cutoff(float(value), "value", "given", float(value), 0.0, 0.0, 0.0, 0.0)


def _chosen(way: Way, classes: tuple[Label, ...], positive: int, found: HeldOut) -> Rule:
    is_positive, scores = found.actual == positive, found.probabilities[:, positive]
    ranking = rank_scores(is_positive, scores, found.weights)
    if ranking.missing_side:
        return Rule(positive, why_not=f"among the rows held out {ranking.missing_side}")
    by, options = way.options(classes, positive)
    cutoff = choose_cutoff(ranking, by, **options)
    of_folds = [
        cutoff_in_fold
        for fold in fold_rankings(is_positive, scores, found.fold, found.weights)
        if (cutoff_in_fold := _in_fold(fold, by, options)) is not None
    ]
    return Rule(positive, cutoff, cutoff_spread(of_folds) if of_folds else None)


def _in_fold(ranking: Ranking, by: str, options: dict[str, object]) -> Cutoff | None:
    """What a fold would choose by itself; None where it has rows of one side only, or cannot reach what is asked."""
    if ranking.missing_side:
        return None
    try:
        return choose_cutoff(ranking, by, **options)
    except DataError:
        return None
