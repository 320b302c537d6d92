"""Gates: `--fail-under recall=0.8` and `--fail-over brier=0.2` stop a script whose best learner is not good enough.

Any measure of docs/measures.md can be a gate. Its direction decides the option: measures of which more is better have
a lower limit, losses and costs an upper one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from crake.cli.output import write_stderr
from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.metrics.cost.matrix import CostMatrix
    from crake.metrics.measure import Measure
    from crake.render.leaderboard import Leaderboard

UNDER, OVER = "--fail-under", "--fail-over"


@dataclass(frozen=True)
class Gate:
    """A measure, and the limit that it must not fall under (`--fail-under`) or rise over (`--fail-over`)."""

    measure: str
    limit: float
    option: str = UNDER

    @classmethod
    def of(cls, text: str, option: str = UNDER) -> Gate:
        """Return the gate of a text such as accuracy=0.8.

        >>> Gate.of("AUC = 0.8")
        Gate(measure='auc', limit=0.8, option='--fail-under')
        >>> Gate.of("brier=0.2")
        Traceback (most recent call last):
        crake.errors.CrakeError: --fail-under brier=0.2: less brier is better; use --fail-over brier=0.2
        >>> Gate.of("recall=80")
        Traceback (most recent call last):
        crake.errors.CrakeError: --fail-under recall=80: expected MEASURE=NUMBER, recall from 0 to 1, got '80'
        """
        from crake.metrics.measures import MEASURES, find_measure  # noqa: PLC0415 (numpy only where a gate is set)

        name, _, number = text.partition("=")
        try:
            measure = find_measure(name, MEASURES)
        except CrakeError as error:
            raise CrakeError(f"{option} {text}: {error}") from None
        expected = UNDER if measure.greater_is_better else OVER
        if option != expected:
            better = "more" if measure.greater_is_better else "less"
            raise CrakeError(f"{option} {text}: {better} {measure.name} is better; use {expected} {text}")
        return cls(measure.name, _limit(measure, number.strip(), f"{option} {text}"), option)

    def failure(self, name: str, value: float | None, reason: str = "") -> str | None:
        """Return why this learner does not pass, or None if it does.

        >>> Gate("recall", 0.8).failure("1R", 0.75)
        'recall of 1R is 0.7500, under 0.8'
        """
        floor = self.option == UNDER
        if value is None:
            expected = f"expected at {'least' if floor else 'most'} {self.limit:g}"
            return f"{self.measure} of {name} is undefined ({reason}); {expected}"
        if value < self.limit if floor else value > self.limit:
            return f"{self.measure} of {name} is {value:.4f}, {'under' if floor else 'over'} {self.limit:g}"
        return None


def gates_of(fail_under: Sequence[str] | None, fail_over: Sequence[str] | None) -> list[Gate]:
    """Return the gates of both options."""
    under, over = fail_under or (), fail_over or ()
    return [*(Gate.of(text) for text in under), *(Gate.of(text, OVER) for text in over)]


def failures(
    gates: Sequence[Gate], evaluation: Any, board: Leaderboard | None = None, costs: CostMatrix | None = None
) -> list[str]:
    """Return why the evaluation does not pass, one text per gate that fails.

    A measure that the leaderboard shows is read there: AUC may be pooled or the mean of the folds.
    """
    texts = [gate.failure(evaluation.name, *_value(gate, evaluation, board, costs)) for gate in gates]
    return [text for text in texts if text is not None]


def exit_with(texts: Sequence[str]) -> None:
    """Exit with 1 if a gate failed, after naming each that did."""
    for text in texts:
        write_stderr(f"crake: gate failed: {text}")
    if texts:
        raise typer.Exit(1)


def _value(
    gate: Gate, evaluation: Any, board: Leaderboard | None, costs: CostMatrix | None
) -> tuple[float | None, str]:
    if board is not None and board.best is not None and gate.measure in [column.name for column in board.columns]:
        figure = board.figure(board.best, gate.measure)
        return figure.value, figure.reason
    options = {} if costs is None else {"costs": costs}
    try:
        estimate = evaluation.estimate(gate.measure, **options)
    except CrakeError as error:
        raise CrakeError(f"{gate.option} {gate.measure}={gate.limit:g}: {error}") from error
    return estimate.value, estimate.reason


def _limit(measure: Measure[Any], text: str, option: str) -> float:
    try:
        limit = float(text)
    except ValueError:
        limit = math.nan
    low, high = measure.bounds
    if low <= limit <= high and math.isfinite(limit):
        return limit
    if math.isinf(low) and math.isinf(high):
        between = "any number"
    elif math.isinf(low) or math.isinf(high):
        between = f"{high:g} or less" if math.isinf(low) else f"{low:g} or more"
    else:
        between = f"from {low:g} to {high:g}"
    raise CrakeError(f"{option}: expected MEASURE=NUMBER, {measure.name} {between}, got {text!r}")
