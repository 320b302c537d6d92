"""Estimates of a trained model from its training table: one sentence, and the same as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from crake.render.format_numbers import amount, amount_interval, decimals_for
from crake.render.leaderboard import Figure
from crake.render.sentences import capital

if TYPE_CHECKING:
    from crake.evaluation.comparison.criterion import Criterion
    from crake.evaluation.report.sections.measures import NumberMeasure
    from crake.evaluation.result.classification import Evaluation
    from crake.evaluation.result.regression import NumberEvaluation
    from crake.metrics.estimate import Estimate as MeasuredValue


class Estimate(Protocol):
    """An estimate of a classifier or of a regressor."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return where the plan gave way, and which rows were left out."""

    def sentence(self) -> str:
        """Return the measures on unseen rows, the plan, and the measure of a constant prediction."""

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as a JSON document."""


@dataclass(frozen=True, eq=False)
class ClassEstimate:
    """Accuracy, or the measure that chose the learner, beside that of the majority class on the same folds."""

    evaluation: Evaluation
    majority: Evaluation
    criterion: Criterion | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of the evaluation."""
        return self.evaluation.notes

    def sentence(self) -> str:
        """Return the measure with its interval."""
        evaluation, by = self.evaluation, self.criterion
        name = "accuracy" if by is None else by.name
        own, majority = (each.accuracy if by is None else by.measure(each) for each in (evaluation, self.majority))
        return f"{name} {_text(own)} ({evaluation.plan}); {self.majority.name} {majority:.3f}"

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as a JSON document."""
        return {
            "plan": self.evaluation.plan,
            "measures": {name: measure.to_dict() for name, measure in self.evaluation.measures().items()},
            "majority_class_accuracy": self.majority.accuracy.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class NumberEstimate:
    """RMSE, MAE and R², beside those of always predicting the mean of the tested rows."""

    evaluation: NumberEvaluation

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of the evaluation."""
        return self.evaluation.notes

    def sentence(self) -> str:
        """Return each measure with its interval."""
        measures = self._measures()
        text = f"{', '.join(map(_figure, measures))} ({self.evaluation.plan})"
        squared, explained = measures[0], measures[-1]
        if squared.of_mean is None or explained.value is None:
            return text
        low = explained.value if explained.low is None else explained.low
        beaten = "" if low > 0 else "not shown to beat "
        return f"{text}; {beaten}always the mean: RMSE {amount(squared.of_mean)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as a JSON document."""
        names = tuple(self.evaluation.measures())
        return {
            "plan": self.evaluation.plan,
            "measures": {name: measure.to_dict() for name, measure in self.evaluation.measures().items()},
            "always_the_mean": {k: each.of_mean for k, each in zip(names, self._measures(), strict=True)},
        }

    def _measures(self) -> tuple[NumberMeasure, ...]:
        from crake.evaluation.report.sections.measures import number_measures  # noqa: PLC0415 (numpy only when there is work)

        return number_measures(self.evaluation)


@dataclass(frozen=True, eq=False)
class ChosenEstimate:
    """The estimate of a learner that a comparison chose: honest about the choice."""

    of_best: Estimate
    learner: str
    reason: str
    learners: int
    corrected: MeasuredValue | None = None
    """The measure by which it was chosen, corrected for that; None where there is no correction."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of the evaluation."""
        return self.of_best.notes

    def sentence(self) -> str:
        """Return which learner was chosen and why, and its measures in the comparison."""
        chosen = f"{capital(self.learner)}, {self.reason}: {self.of_best.sentence()}"
        if self.learners == 1:
            return chosen
        if self.corrected is None:
            return f"{chosen}; chosen among {self.learners} by this very figure, which is a little too good for it"
        return f"{chosen}; corrected for choosing the best of {self.learners}: {self._corrected_text()}"

    def _corrected_text(self) -> str:
        assert self.corrected is not None  # noqa: S101 (the caller asked)
        if not isinstance(self.of_best, NumberEstimate) or self.corrected.interval is None:
            return _text(self.corrected)
        value = float(self.corrected)
        return f"{amount(value)} {amount_interval(value, *self.corrected.interval)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as a JSON document."""
        corrected = None if self.corrected is None else self.corrected.to_dict()
        return {
            **self.of_best.to_dict(),
            "chosen_among": self.learners,
            "reason": self.reason,
            "corrected_for_choosing": corrected,
        }


def _text(measure: MeasuredValue) -> str:
    """Return a measure and its interval with the decimals that tell its ends apart, as the leaderboard shows them."""
    return measure.text(decimals_for([Figure(measure.value, *(measure.interval or (None, None)))]))


def _figure(each: NumberMeasure) -> str:
    if each.value is None:
        return f"{each.name} {each.reason}"
    interval = "" if each.low is None or each.high is None else f" {amount_interval(each.value, each.low, each.high)}"
    return f"{each.name} {amount(each.value)}{interval}"
