"""The rule that turns probabilities into predictions, chosen on rows that the models had not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.learners.meta.cutoff.options import CutoffChoice
from crake.metrics.curves.averaging import fold_rankings
from crake.metrics.cutoffs import Cutoff, CutoffSpread, choose_cutoff, cutoff_spread, least_expected_cost
from crake.metrics.cutoffs.calling import called
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.table.schema import Label

INDIFFERENT = "every error costs the same, so the most probable class costs least"


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Out-of-fold predictions: class codes, probabilities, weights and folds of the rows."""

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
        """Return the predicted class code of each row."""
        if self.cutoff is not None and self.positive is not None:
            return called(probabilities, self.positive, self.cutoff.value).astype(np.intp)
        if self.costs is not None:
            return least_expected_cost(probabilities, self.costs)
        return np.asarray(np.argmax(probabilities, axis=1), np.intp)


def rule_of(
    choice: CutoffChoice, classes: tuple[Label, ...], totals: Callable[[], Floats], predict: Callable[[], OutOfFold]
) -> Rule:
    """Return the rule for these classes; `totals` (rows by class) and `predict` are called only if they are needed."""
    if choice.positive is not None and choice.positive not in classes:
        raise CrakeError(f"there is no class {choice.positive!r} to call positive; classes: {list(classes)}")
    costs = choice.costs(classes)
    if len(classes) > 2 and costs is not None:
        if choice.positive is not None or "prior" in choice.values:
            raise CrakeError(f"the cost matrix has {len(classes)} classes; it needs neither positive= nor prior=")
        return Rule(costs=costs.costs)
    if len(classes) > 2 and choice.positive is None:
        if choice.is_indifferent:
            return Rule(why_not=INDIFFERENT)
        raise CrakeError(
            f"Only binary classification is supported where no class is named, and there are {len(classes)} classes: "
            f"say which one is meant, positive=…, or give a cost matrix, cost=…; classes: {list(classes)}"
        )
    if len(classes) < 2:
        return Rule(why_not=f"all rows are of class {classes[0]!r}")
    positive = classes.index(choice.positive) if choice.positive is not None else _rarer(totals())
    if choice.cutoff is not None:
        return Rule(positive, _as_given(choice.cutoff))
    try:
        rows = predict()
    except DataError as refused:  # too few rows to hold any out
        return Rule(positive, why_not=str(refused))
    return _chosen(choice, classes, positive, rows)


def _rarer(totals: Floats) -> int:
    """Return the rarer of two classes, of equals the last, as an evaluation does."""
    return 0 if totals[0] < totals[1] else 1


def _as_given(value: float) -> Cutoff:
    return Cutoff(float(value), "value", "given", float(value), 0.0, 0.0, 0.0, 0.0)


def _chosen(choice: CutoffChoice, classes: tuple[Label, ...], positive: int, rows: OutOfFold) -> Rule:
    is_positive, scores = rows.actual == positive, rows.probabilities[:, positive]
    ranking = rank_scores(is_positive, scores, rows.weights)
    if ranking.missing_side:
        return Rule(positive, why_not=f"among the rows held out {ranking.missing_side}")
    by, options = choice.options(classes, positive)
    cutoff = choose_cutoff(ranking, by, **options)
    of_folds = [
        cutoff_in_fold
        for fold in fold_rankings(is_positive, scores, rows.fold, rows.weights)
        if (cutoff_in_fold := _in_fold(fold, by, options)) is not None
    ]
    return Rule(positive, cutoff, cutoff_spread(of_folds) if of_folds else None)


def _in_fold(ranking: Ranking, by: str, options: dict[str, object]) -> Cutoff | None:
    """Return the cutoff of one fold; None if it has rows of one class only, or cannot reach the criterion."""
    if ranking.missing_side:
        return None
    try:
        return choose_cutoff(ranking, by, **options)
    except DataError:
        return None
