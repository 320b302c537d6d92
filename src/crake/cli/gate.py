"""Gates: `--fail-under accuracy=0.8` lets a script stop when the best learner is not good enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.render.leaderboard import Leaderboard

MEASURES = ("accuracy", "auc", "f1")


@dataclass(frozen=True)
class Gate:
    """A measure, and the number it must reach."""

    measure: str
    least: float

    @classmethod
    def of(cls, text: str) -> Gate:
        """The gate of a text such as accuracy=0.8.

        >>> Gate.of("AUC = 0.8")
        Gate(measure='auc', least=0.8)
        >>> Gate.of("recall=0.8")
        Traceback (most recent call last):
        crake.errors.CrakeError: --fail-under recall=0.8: expected one of accuracy, auc, f1, then = and a number 0 … 1
        """
        name, _, number = text.partition("=")
        measure = name.strip().lower()
        try:
            least = float(number)
        except ValueError:
            least = math.nan
        if measure not in MEASURES or not 0 <= least <= 1:
            raise CrakeError(f"--fail-under {text}: expected one of {', '.join(MEASURES)}, then = and a number 0 … 1")
        return cls(measure, least)

    def failure(self, board: Leaderboard) -> str | None:
        """Why the best learner does not pass, or None if it does."""
        best = board.best
        if best is None:
            return f"{self.measure} must be at least {self.least:g}, but there is no best learner"
        figure = board.figure(best, self.measure)
        if figure.value is None:
            return f"{self.measure} of {best.name} is undefined ({figure.reason}); expected at least {self.least:g}"
        if figure.value < self.least:
            return f"{self.measure} of {best.name} is {figure.value:.4f}, under {self.least:g}"
        return None
