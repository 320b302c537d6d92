"""Standings: each learner against the best one and against the baseline, by a paired test on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from crake.errors import CrakeError
from crake.evaluation.comparison.criterion import BY_ACCURACY, ByCost, Criterion
from crake.evaluation.result.base import EvaluationBase
from crake.metrics.estimate import Estimate
from crake.metrics.significance.holm import holm
from crake.metrics.significance.p_text import LEVEL, p_words
from crake.render.short_repr import short_repr

__all__ = ["LEVEL", "Standing", "p_text", "standings"]


def with_article(name: str) -> str:
    """Return a baseline's name within a sentence.

    >>> with_article("majority class"), with_article("1R"), with_article("DummyClassifier")
    ('the majority class', '1R', 'DummyClassifier')
    """
    return f"the {name}" if name[:1].islower() else name


@dataclass(frozen=True, eq=False)
class Standing:
    """A learner's place: p-values of a paired test against the best learner and against the baseline.

    `p_best` and `p_baseline` are those of the one test. `corrected_p_best` and `corrected_p_baseline` are corrected by
    Holm's method for all `comparisons` of the leaderboard with the best, and with the baseline; verdicts go by them.
    Where the baseline itself is the best (`is_baseline_best`), a verdict speaks of the best only.
    """

    evaluation: Any
    criterion: Criterion
    is_best: bool
    p_best: float | None
    baseline: str | None
    p_baseline: float | None
    is_above_baseline: bool
    corrected_p_best: float | None = None
    corrected_p_baseline: float | None = None
    comparisons: int = 1
    is_baseline_best: bool = False

    __repr__ = short_repr

    @property
    def short_verdict(self) -> str:
        """Return the standing against the best in a few words: "tied (p = 0.310)"."""
        if self.is_best:
            return "best"
        if self.measure.value is None:
            return "not ranked"
        if self.corrected_p_best is None:
            return "not tested"
        return f"{'worse' if self.is_distinguishable_from_best else 'tied'} (p {p_text(self.corrected_p_best)})"

    @property
    def remark(self) -> str:
        """Return what the short verdict leaves out: that this is a baseline, or is not better than it."""
        if self.evaluation.is_baseline:
            return "baseline"
        if (name := self._opponent) is None or self.beats_baseline:
            return ""
        return f"{'worse than' if self._differs_from_baseline else 'not shown to beat'} {with_article(name)}"

    @property
    def measure(self) -> Estimate:
        """Return the measure that ranks."""
        return self.criterion.measure(self.evaluation)

    @property
    def is_distinguishable_from_best(self) -> bool:
        """Return True if the best learner is better by more than chance explains."""
        return self.corrected_p_best is not None and self.corrected_p_best < LEVEL

    @property
    def is_tied(self) -> bool:
        """Return True if the test cannot tell this learner from the best."""
        return not self.is_best and self.corrected_p_best is not None and self.corrected_p_best >= LEVEL

    @property
    def beats_baseline(self) -> bool:
        """Return True if this learner is better than the baseline by more than chance explains."""
        return self._differs_from_baseline and self.is_above_baseline

    @property
    def _opponent(self) -> str | None:
        """Return the name of the baseline where a verdict speaks of it."""
        return None if self.corrected_p_baseline is None or self.is_baseline_best else self.baseline

    @property
    def _differs_from_baseline(self) -> bool:
        return self.corrected_p_baseline is not None and self.corrected_p_baseline < LEVEL

    @property
    def verdict(self) -> str:
        """Describe the standing in words, with the p-value."""
        if self.is_best:
            return self._against_baseline("best", "best, but ")
        if self.measure.value is None:
            return f"not ranked: {self.criterion.name} undefined"
        if self.corrected_p_best is None:
            return self._against_baseline("not tested against the best", "not tested against the best; ")
        text = "worse than the best" if self.is_distinguishable_from_best else "not distinguishable from the best"
        text = f"{text} (p {p_text(self.corrected_p_best)})"
        if self.evaluation.is_baseline:
            return f"baseline; {text}"
        return self._against_baseline(text, f"{text}; ")

    def _against_baseline(self, plain: str, before: str) -> str:
        if (name := self._opponent) is None or self.beats_baseline:
            return plain
        is_worse = self._differs_from_baseline and not self.is_above_baseline
        text = "worse than" if is_worse else "not shown to beat"
        return f"{before}{text} {with_article(name)} (p {p_text(self.corrected_p_baseline)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the standing and the evaluation for JSON."""
        return {
            **self.evaluation.to_dict(),
            **({"mean_cost": self.measure.to_dict()} if isinstance(self.criterion, ByCost) else {}),
            "ranked_by": {"measure": self.criterion.of.name, **self.measure.to_dict()},
            "is_best": self.is_best,
            "p_against_best": self.p_best,
            "p_against_best_corrected": self.corrected_p_best,
            "baseline": self.baseline,
            "p_against_baseline": self.p_baseline,
            "p_against_baseline_corrected": self.corrected_p_baseline,
            "verdict": self.verdict,
        }


def standings(evaluations: Sequence[EvaluationBase], criterion: Criterion | None = None) -> tuple[Standing, ...]:
    """Return the learners, best first, by accuracy unless said otherwise; equals keep the given order.

    The p-values against the best, and those against the baseline, are corrected by Holm's method, each set by itself.
    The best and the baseline are compared in both: the larger p-value stands in both lines.
    """
    by = criterion or BY_ACCURACY
    ranked = sorted(evaluations, key=lambda evaluation: -by.rank(evaluation))
    best = ranked[0]
    if (measured := by.measure(best)).value is None:
        raise CrakeError(f"no learner has the measure {by.of.name!r}: {measured.reason}; rank by another one")
    baseline = next((each for each in evaluations if each.is_baseline), None)  # wherever it stands
    places = [_standing(evaluation, best, baseline, by) for evaluation in ranked]
    against_best = _corrected([place.p_best for place in places])
    against_baseline = _corrected([place.p_baseline for place in places])
    at = next((k for k, place in enumerate(places) if place.evaluation is baseline), 0)
    if (p := against_best[at]) is not None and (q := against_baseline[0]) is not None:
        against_best[at] = against_baseline[0] = max(p, q)
    return tuple(
        replace(place, corrected_p_best=p_best, corrected_p_baseline=p_baseline, comparisons=len(places) - 1)
        for place, p_best, p_baseline in zip(places, against_best, against_baseline, strict=True)
    )


def _corrected(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct the p-values that are there by Holm's method."""
    corrected = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(corrected) for p in p_values]


def _standing(
    evaluation: EvaluationBase, best: EvaluationBase, baseline: EvaluationBase | None, by: Criterion
) -> Standing:
    against = baseline if baseline is not evaluation else None
    return Standing(
        evaluation,
        by,
        is_best=evaluation is best,
        p_best=None if evaluation is best else by.p_value(evaluation, best),
        baseline=None if against is None else against.name,
        p_baseline=None if against is None else by.p_value(evaluation, against),
        is_above_baseline=against is not None and by.rank(evaluation) > by.rank(against),
        is_baseline_best=best is baseline,
    )


def frame_line(standing: Standing) -> dict[str, Any]:
    """Return one learner's line of the frame."""
    line: dict[str, Any] = {"learner": standing.evaluation.name, "is_best": standing.is_best}
    for name, estimate in standing.evaluation.measures().items():
        line |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    seconds = standing.evaluation.fit_seconds
    return {**line, "p_against_best": standing.p_best, "verdict": standing.verdict, "fit_seconds": seconds}


def p_text(p: float | None) -> str:
    """As = 0.041 or < 0.001, to stand after p.

    >>> p_text(0.0407), p_text(1e-9)
    ('= 0.041', '< 0.001')
    """
    return "unknown" if p is None else p_words(p).removeprefix("p ")
