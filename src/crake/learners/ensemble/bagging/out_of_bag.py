"""The out-of-bag estimate: each training row is predicted by the members whose samples lack it."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import proportion
from crake.table.table import Table


class OutOfBag:
    """Sums of the predictions of members, by row, and the error after each member: NaN until a sample lacks a row."""

    def __init__(self, table: Table, weights: Floats) -> None:
        self.target, self.weights = table.target, weights
        self.sums = np.zeros((len(table), len(table.schema.classes)))
        self.members = np.zeros(len(table), np.int32)
        self.errors: list[float] = []

    def add(self, rows: Floats, probabilities: Floats) -> None:
        """Add the predictions of one member for the rows that its sample lacks."""
        self.sums[rows] += probabilities
        self.members[rows] += 1
        right, all_rows = self.counts()
        self.errors.append(1.0 - right / all_rows if all_rows else float("nan"))

    def counts(self) -> tuple[float, float]:
        """Return the weight of the rows predicted right, and of all rows that some sample lacks."""
        predicted = self.members > 0
        right = predicted & (np.argmax(self.sums, axis=1) == self.target)
        return float(self.weights[right].sum()), float(self.weights[predicted].sum())


def estimate(right: float, rows: float) -> Estimate:
    """Return the accuracy on rows out of bag with its interval."""
    return proportion(right, rows - right, otherwise="every row is in all samples")
