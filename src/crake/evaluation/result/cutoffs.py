"""The cutoff of an evaluation: chosen on the out-of-fold scores, with its spread over the folds."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation.result.probability_measures import ProbabilityMeasures
from crake.metrics.cutoffs import Cutoff, CutoffSpread, choose_cutoff, cutoff_spread
from crake.metrics.cutoffs.calling import called
from crake.metrics.measure import NO_SCORES
from crake.metrics.ranking.ranking import Ranking


class Cutoffs(ProbabilityMeasures):
    """`cutoff(by=…)`: "cost", "f", "youden", "recall", "precision", "share", "prior"; see `crake.metrics.cutoffs`."""

    def cutoff(self, by: str = "cost", **options: Any) -> Cutoff:
        """The score from which on a row is called positive, chosen on all tested rows.

        Chosen and measured on the same rows, what it reaches is a little optimistic: `crake.WithCutoff` chooses it
        within each training part.

        >>> from crake.evaluation.evaluate import evaluate
        >>> from crake.table.examples import load
        >>> found = evaluate("naive-bayes", load("breast-cancer"), positive="malignant")
        >>> print(found.cutoff("recall", least=0.95))
        score ≥ 0.000859334 (highest precision with recall of at least 0.95): recall 0.953, precision 0.882, 0.402 of
        the rows
        """
        return choose_cutoff(_ranking(self), by, **options)

    def cutoff_spread(self, by: str = "cost", **options: Any) -> CutoffSpread:
        """The lowest, median and highest cutoff that the folds, each by itself, would choose."""
        _ranking(self)
        able = [each for part in self.by_fold() if not (each := part.ranking).missing_side]
        if not able:
            raise UndefinedMeasure("undefined: no fold has rows of both classes, so none has a cutoff of its own")
        return cutoff_spread(choose_cutoff(each, by, **options) for each in able)

    def at_cutoff(self, cutoff: float | Cutoff) -> Self:
        """Return the same scores with the predictions of this cutoff."""
        _ranking(self)
        value = cutoff.value if isinstance(cutoff, Cutoff) else float(cutoff)
        if math.isnan(value):
            raise CrakeError("the cutoff is nan; expected a number")
        predictions, code = self.out_of_fold, self.confusion.code(self.positive_class)
        answered = called(predictions.probabilities, code, value)
        return replace(self, out_of_fold=replace(predictions, answered=answered), bootstrap=None)


def _ranking(evaluation: ProbabilityMeasures) -> Ranking:
    if evaluation.answers == "labels":
        raise UndefinedMeasure(f"undefined: {NO_SCORES}")
    return evaluation.ranking
