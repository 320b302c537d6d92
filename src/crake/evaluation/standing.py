"""How each learner stands: to the best one and to the baseline, by an exact paired test on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.evaluation.evaluation import Evaluation
from crake.metrics.significance.mcnemar import mcnemar

LEVEL = 0.05
"""Below this p-value two learners are called different."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A learner's place: p-values of McNemar's test against the best learner and against the majority class."""

    evaluation: Evaluation
    is_best: bool
    p_best: float | None
    baseline: str | None
    p_baseline: float | None
    is_above_baseline: bool

    @property
    def is_distinguishable_from_best(self) -> bool:
        """Whether the best learner is better by more than chance explains."""
        return self.p_best is not None and self.p_best < LEVEL

    @property
    def beats_baseline(self) -> bool:
        """Whether this learner is better than the baseline by more than chance explains."""
        return self.p_baseline is not None and self.p_baseline < LEVEL and self.is_above_baseline

    @property
    def verdict(self) -> str:
        """In words, with the p-value."""
        if self.is_best:
            return self._against_baseline("best", "best, but ")
        said = "worse than the best" if self.is_distinguishable_from_best else "not distinguishable from the best"
        said = f"{said} (p {p_text(self.p_best)})"
        if self.evaluation.is_baseline:
            return f"baseline; {said}"
        return self._against_baseline(said, f"{said}; ")

    def _against_baseline(self, plain: str, before: str) -> str:
        if self.baseline is None or self.beats_baseline:
            return plain
        return f"{before}not shown to beat the {self.baseline} (p {p_text(self.p_baseline)})"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **self.evaluation.to_dict(),
            "is_best": self.is_best,
            "p_against_best": self.p_best,
            "baseline": self.baseline,
            "p_against_baseline": self.p_baseline,
            "verdict": self.verdict,
        }


def standings(evaluations: Sequence[Evaluation]) -> tuple[Standing, ...]:
    """By accuracy, best first; equals keep the order they were given in."""
    ranked = sorted(evaluations, key=lambda evaluation: -float(evaluation.accuracy))
    best = ranked[0]
    # The majority class is the first baseline given; without one there is nothing to beat.
    baseline = next((evaluation for evaluation in evaluations if evaluation.is_baseline), None)
    return tuple(_standing(evaluation, best, baseline) for evaluation in ranked)


def _standing(evaluation: Evaluation, best: Evaluation, baseline: Evaluation | None) -> Standing:
    against = baseline if baseline is not evaluation else None
    return Standing(
        evaluation,
        is_best=evaluation is best,
        p_best=None if evaluation is best else paired_p(evaluation, best),
        baseline=None if against is None else against.name,
        p_baseline=None if against is None else paired_p(evaluation, against),
        is_above_baseline=against is not None and float(evaluation.accuracy) > float(against.accuracy),
    )


def paired_p(one: Evaluation, other: Evaluation) -> float:
    """McNemar's exact p on the rows both tested; fractional weights are left out of it, rows are counted."""
    weights = one.out_of_fold.weights
    whole = bool(np.all(weights == np.floor(weights)))
    return mcnemar(one.correct, other.correct, weights=weights if whole else None).p_value


def p_text(p: float | None) -> str:
    """= 0.041, < 0.001.

    >>> p_text(0.0407), p_text(1e-9)
    ('= 0.041', '< 0.001')
    """
    if p is None:
        return "unknown"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
