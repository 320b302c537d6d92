"""The quality of the made-up rows of a class: figures, the limits they are held to, and advice."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crake.balance.cells import Cells
from crake.balance.quality.detector import detector_auc
from crake.balance.quality.distances import are_copies, column_distances, correlation_differences, repeated_share
from crake.table.schema import Schema

FARTHEST = 0.1
"""Limit of the distance of a column: Kolmogorov–Smirnov for numbers, total variation for names."""
CORRELATION = 0.1
"""Limit of the difference of correlations, in the mean over all pairs of columns."""
CHANCE = 1.63
"""Times √(1/n + 1/m): what the distance of two samples of n and m rows exceeds by chance in 1 % of all cases.

Few rows are held to this where it is above the limit; correlations to √(1/n + 1/m).
"""
COPIES = 0.05
"""Limit of the share of copies of real rows, above the share of real rows that have a twin."""
DETECTED = 0.9
"""Limit of the AUC of the detector."""


@dataclass(frozen=True)
class Quality:
    """Distances between the real and the made-up rows of a class.

    `columns` has each column's name and its distance, 0 … 1, farthest first: Kolmogorov–Smirnov for numbers, total
    variation for names. `correlation` is the mean difference of correlations over pairs of columns, `pair` the pair
    with the largest difference, and `pair_difference` that difference. `copies` is the share of made-up rows that equal
    a real one; `twins` is the share of real rows that equal another one. `detector_auc` tells how well a classifier can
    tell made-up rows from real ones: 0.5 not at all, 1 always; None if there are too few rows.
    """

    label: str
    real_rows: int
    made_rows: int
    columns: tuple[tuple[str, float], ...]
    correlation: float
    pair: tuple[str, str] | None
    pair_difference: float
    copies: float
    twins: float
    detector_auc: float | None

    @property
    def farthest_limit(self) -> float:
        """The limit of the distance of a column."""
        return max(FARTHEST, CHANCE * self._chance)

    @property
    def correlation_limit(self) -> float:
        """The limit of the mean difference of correlations."""
        return max(CORRELATION, self._chance)

    @property
    def _chance(self) -> float:
        return math.sqrt(1 / self.real_rows + 1 / self.made_rows)

    @property
    def problems(self) -> tuple[str, ...]:
        """Figures beyond their limits, each in a sentence; empty if all is well."""
        found = []
        far = [f"{name} {distance:.2f}" for name, distance in self.columns if distance > self.farthest_limit]
        if far:
            more = f" and {len(far) - 3} more" if len(far) > 3 else ""
            found.append(
                f"the shares of values differ by more than {self.farthest_limit:.2f} in {', '.join(far[:3])}{more}"
            )
        if self.correlation > self.correlation_limit:
            found.append(
                f"correlations differ by {self.correlation:.2f} in the mean, more than {self.correlation_limit:.2f}"
            )
        if self.copies > self.twins + COPIES:
            found.append(f"{self.copies:.0%} are copies of real rows, more than {self.twins + COPIES:.0%}")
        if self.detector_auc is not None and self.detector_auc > DETECTED:
            found.append(f"a detector tells them from real rows with AUC {self.detector_auc:.2f}, above {DETECTED:.2f}")
        return tuple(found)

    @property
    def advice(self) -> str:
        """One sentence about the made-up rows, which advises against them where figures are beyond their limits."""
        rows = f"Made-up rows of the class {self.label}"
        if self.problems:
            return f"{rows} are poor: {'; '.join(self.problems)}. SMOTE or Weights is the safer choice here."
        return f"{rows} are within all limits: {self.figures}."

    @property
    def figures(self) -> str:
        """The figures in one line."""
        name, distance = self.columns[0] if self.columns else ("none", 0.0)
        auc = "not tried" if self.detector_auc is None else f"{self.detector_auc:.2f}"
        return (
            f"farthest column {name} {distance:.2f}, correlations {self.correlation:.2f}, "
            f"copies {self.copies:.0%}, detector AUC {auc}"
        )

    def __str__(self) -> str:
        auc = "not tried: too few rows" if self.detector_auc is None else f"{self.detector_auc:.3f}"
        pair = f" (most: {self.pair[0]} with {self.pair[1]}, {self.pair_difference:.3f})" if self.pair else ""
        lines = [
            f"Class {self.label}: {self.made_rows:,} made-up rows against {self.real_rows:,} real ones",
            f"  difference of correlations   {self.correlation:.3f}, limit {self.correlation_limit:.3g}{pair}",
            f"  copies of real rows          {self.copies:.3f}, limit {self.twins + COPIES:.3g}",
            f"  AUC of a detector            {auc}, limit {DETECTED:g}",
            f"  distance of columns, limit {self.farthest_limit:.3g} (KS of numbers, total variation of names)",
            *(f"    {name:26} {distance:.3f}" for name, distance in self.columns),
        ]
        return "\n".join(lines)


def quality_of(schema: Schema, label: str, real: Cells, made: Cells, *, detector: bool = True) -> Quality:
    """Return the quality of the made-up rows of a class; `detector=False` leaves the detector out."""
    names = [column.name for column in (*schema.numeric, *schema.nominal)]
    distances = column_distances(real, made)
    order = np.argsort(-distances, kind="stable")
    differences = correlation_differences(real, made)
    upper = np.triu_indices(len(names), 1)
    one, two = np.unravel_index(int(differences.argmax()), differences.shape) if len(names) > 1 else (0, 0)
    return Quality(
        label=label,
        real_rows=len(real),
        made_rows=len(made),
        columns=tuple((names[j], float(distances[j])) for j in order),
        correlation=float(differences[upper].mean()) if len(names) > 1 else 0.0,
        pair=(names[one], names[two]) if len(names) > 1 else None,
        pair_difference=float(differences[one, two]),
        copies=float(are_copies(real, made).mean()),
        twins=repeated_share(real),
        detector_auc=detector_auc(real, made) if detector else None,
    )
