"""The choice among candidates by their values per fold, and the table that shows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.meta.tune.candidates import Parameters, written
from crake.metrics.intervals import corrected_interval
from crake.metrics.measure import Measure
from crake.metrics.predictions import Predictions
from crake.metrics.significance.corrected_t import corrected_t
from crake.render.grid import Grid

LEVEL = 0.05
EQUAL = 1e-12
"""Relative to the largest: means so near each other differ by roundings only and are equally good."""


@dataclass(frozen=True, eq=False)
class Scores:
    """`values[c, f]`: candidate c in fold f; rows learned from and tested by fold."""

    values: Floats
    training_rows: Floats
    test_rows: Floats
    measure: Measure[Predictions]

    @classmethod
    def defined(cls, values: Floats, training_rows: Floats, test_rows: Floats, measure: Measure[Predictions]) -> Scores:
        """Without the folds in which the measure is undefined for a candidate."""
        defined = ~np.isnan(values).any(axis=0)
        if not defined.any():
            raise CrakeError(f"{measure.name} is undefined in every inner fold; take fewer folds or another measure")
        return cls(values[:, defined], training_rows[defined], test_rows[defined], measure)

    @property
    def sign(self) -> int:
        """1 where larger is better, −1 where smaller is."""
        return self.measure.sign

    @property
    def means(self) -> Floats:
        """The mean over the folds of each candidate."""
        means: Floats = self.values.mean(axis=1)
        return means

    @property
    def best(self) -> int:
        """The candidate of the best mean; of equals the first."""
        worth = self.sign * self.means
        return int(np.argmax(worth >= worth.max() - self._equal))

    @property
    def _equal(self) -> float:
        """Means that differ by no more are equally good."""
        return EQUAL * max(1.0, float(np.abs(self.means).max()))

    @property
    def simplest(self) -> int:
        """The first candidate whose mean is within one standard error, s/√k, of the best (Breiman et al. 1984)."""
        folds = self.values.shape[1]
        if folds < 2:
            raise CrakeError("one standard error needs two folds or more; take rule='best', or another plan")
        error = float(np.std(self.values[self.best], ddof=1)) / np.sqrt(folds)
        worth = self.sign * self.means
        return int(np.argmax(worth >= worth[self.best] - error - self._equal))

    def p_values(self) -> list[float | None]:
        """Against the best, by the corrected resampled t test; None of the best itself, and where there is one fold."""
        if self.values.shape[1] < 2:
            return [None] * len(self.values)
        return [
            None if c == self.best else corrected_t(own - self.values[self.best], *self._rows()).p_value
            for c, own in enumerate(self.values)
        ]

    def grid(self, candidates: tuple[Parameters, ...], chosen: int, title: str) -> Grid:
        """Return one line per candidate, best first, with rank, mean, interval and verdict."""
        p_values, means = self.p_values(), self.means
        ranks = [1 + int(np.sum(self.sign * (means - own) > self._equal)) for own in means]
        order = np.argsort(ranks, kind="stable").tolist()
        ratio = float(self.test_rows.mean() / max(1.0, self.training_rows.mean()))
        rows = []
        for c in order:
            interval = self._interval(c, ratio)
            rows.append(
                (
                    written(candidates[c]) or "as it is",
                    str(ranks[c]),
                    f"{means[c]:.4f}",
                    "" if interval is None else f"[{interval[0]:.4f}, {interval[1]:.4f}]",
                    _verdict(c, self.best, chosen, p_values[c]),
                )
            )
        return Grid(title, ("candidate", "rank", "mean", "95 % interval", ""), tuple(rows))

    def _interval(self, candidate: int, ratio: float) -> tuple[float, float] | None:
        """Held to the values that the measure can have."""
        interval = corrected_interval(self.values[candidate], ratio)
        low, high = self.measure.bounds
        return None if interval is None else (max(low, interval[0]), min(high, interval[1]))

    def _rows(self) -> tuple[Floats, Floats]:
        return self.training_rows, self.test_rows


def _verdict(candidate: int, best: int, chosen: int, p: float | None) -> str:
    if candidate == best:
        text = "best"
    elif p is None:
        text = ""
    else:
        text = "worse than the best" if p < LEVEL else "not distinguishable from the best"
        text += " (p < 0.001)" if p < 0.001 else f" (p = {p:.3f})"
    return f"{text}; chosen" if candidate == chosen else text
