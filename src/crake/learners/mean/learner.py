"""The mean of the target: the baseline that every other regressor must beat. ZeroR in WEKA."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.export.forms import Additive, Form
from crake.learners.base.card import Card
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.mean.drawing import draw_ranges
from crake.render.drawing.drawing import Drawing
from crake.render.format_numbers import count, quantity
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, number
from crake.table.table import Table

RANGES = 10
"""Ranges of equal width in which the numbers are counted, for the picture."""


class MeanRegressor(TableRegressor):
    """Predicts the mean of the target for every row; no column is looked at.

    ŷ = Σ w_i·y_i / Σ w_i.

    >>> model = MeanRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 4.0, 6.0])
    >>> model.predict([[9.0]]), model.deviation_.round(3)
    (array([3.5]), np.float64(1.803))
    """

    card = Card(
        title="mean",
        about="always the mean of the target: the baseline to beat",
        model="one number",
        missing="no column is read",
        time="one pass",
        is_baseline=True,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}
    nominal = "auto"

    def __init__(self) -> None:
        """Take no parameters."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # It is the baseline: scoring poorly is its job.
        tags.regressor_tags.poor_score = True
        return tags

    def _learn(self, table: Table, y: Floats) -> None:
        weights = np.ones(len(y)) if table.weights is None else table.weights
        # In a unit in which sums of any numbers are numbers; a power of two rounds nothing.
        unit = int(np.frexp(np.abs(y).max())[1])
        scaled = np.ldexp(y, -unit)
        self.weight_ = math.fsum(weights)
        mean = math.fsum(weights * scaled) / self.weight_
        mean = min(max(mean, float(scaled.min())), float(scaled.max()))
        self.mean_ = float(np.ldexp(mean, unit))
        spread = math.sqrt(math.fsum(weights * (scaled - mean) ** 2) / self.weight_)
        self.deviation_ = np.ldexp(spread, unit)
        edges = np.linspace(float(scaled.min()), float(scaled.max()), RANGES + 1)
        edges = edges[:1].repeat(2) if edges[0] == edges[-1] else edges
        place = np.clip(np.searchsorted(edges, scaled, side="right") - 1, 0, len(edges) - 2)
        self.edges_: Floats = np.ldexp(edges, unit)
        self.counts_: Floats = np.bincount(place, weights=weights, minlength=len(edges) - 1).astype(np.float64)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the mean, once per row."""
        return np.full(len(table) if rows is None else len(rows), self.mean_)

    def _form(self) -> Form:
        return Additive(np.array([self.mean_]))

    def draw(self, *, width: float = 560) -> Drawing:
        """Draw a bar for each range of the target; the one that holds the mean is marked."""
        check_is_fitted(self)
        return draw_ranges(self, width=width)

    def explain(self, row: Any = None) -> Workings:
        """Return the sum behind the mean, which is predicted for every row."""
        del row
        check_is_fitted(self)
        target = self.schema_.target or "target"
        n, mean = number(self.weight_), number(self.mean_)
        with np.errstate(over="ignore"):
            total = number(float(np.float64(self.weight_) * self.mean_))
        steps = (
            Step("n", "the sum of the weights", "", n, f"rows with a known {target}"),
            Step(f"mean of {target}", "Σ y / n", f"{total} / {n}", mean),
            Step("standard deviation", "√(Σ (y − mean)² / n)", "", number(float(self.deviation_))),
        )
        title = f"The mean of {target} is {mean}, whatever the row"
        return Workings(title, (Section("Mean", steps),), ((target, self.mean_),))

    def state(self) -> State:
        """Return the mean, the deviation and the counts of the picture."""
        sums = np.array([self.mean_, float(self.deviation_), self.weight_])
        return {**super().state(), "sums": sums, "edges": self.edges_, "counts": self.counts_}

    def restore(self, reader: StateReader) -> Self:
        """Take back a stored model, checked."""
        super().restore(reader)
        self.mean_, deviation, self.weight_ = reader.floats("sums", (3,)).tolist()
        if not (deviation >= 0 and self.weight_ > 0):
            raise reader.refusal(
                "sums", f"has the weight {self.weight_} and the deviation {deviation}", "those of rows"
            )
        self.deviation_ = np.float64(deviation)
        self.counts_ = reader.floats("counts", (None,), 0)
        self.edges_ = reader.floats("edges", (len(self.counts_) + 1,))
        return self

    def __str__(self) -> str:
        if not hasattr(self, "mean_"):
            return repr(self)
        target = visible(self.schema_.target or "target")
        deviation = quantity(float(self.deviation_))
        return f"Mean of {target}: {quantity(self.mean_)} (standard deviation {deviation}, {count(self.weight_)} rows)"
