"""k nearest neighbours for regression: the mean of the most similar training rows."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats, Longs
from crake.learners.base.card import Card
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.neighbors.base import CONSTRAINTS, Neighbors
from crake.learners.neighbors.drawing import draw_errors
from crake.learners.neighbors.search import Neighbours
from crake.learners.neighbors.state import restore_rows, rows_state
from crake.learners.neighbors.text import model_text
from crake.learners.neighbors.value_difference import mean_shares
from crake.learners.neighbors.workings import explain_mean
from crake.render.drawing.drawing import Drawing
from crake.render.workings import Workings
from crake.table.table import Table


class NeighborsRegressor(Neighbors, TableRegressor):
    """ŷ(x) = Σ w_i·y_i / Σ w_i over the k training rows nearest to x; distances are those of NeighborsClassifier.

    The model is the training rows: a file of it holds them all.

    Parameters
    ----------
    n_neighbors : k, or "auto": the k with the least squared error when each training row is left out.
    weights : "uniform", "distance" (1/d), "inverse" (1/(r + 0.001)), "similarity" (1 − r), r = √(d²/columns).
    metric : "euclidean", or "manhattan": d = Σ_j d_j.
    nominal_distance : "overlap" (0 or 1), or "value-difference": by the mean target of two values.
    scale : of numeric columns: "range", "deviation" (standard deviations), or None: as they are.
    ties : "all": every row as far as the k-th counts; "first": exactly k, rows in their order; "bitwise": as "all", but
        rows are as far only if their distances agree to the last bit, as in WEKA's IBk.
    max_neighbors : the largest k that "auto" tries.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> model = NeighborsRegressor(2).fit([[1.0], [2.0], [3.0], [10.0]], [10.0, 20.0, 30.0, 90.0])
    >>> model.predict([[1.4], [8.0]]).tolist()
    [15.0, 60.0]
    """

    card = Card(
        title="k nearest neighbours",
        about="mean of the k training rows most similar to a row",
        model="the rows themselves",
        is_readable=False,
        missing="as far away as can be",
        has_interactions=True,
        time="none to fit; each new row is compared with all rows",
        most_rows=50_000,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: str = "uniform",
        metric: str = "euclidean",
        nominal_distance: str = "overlap",
        scale: str | None = "range",
        ties: str = "all",
        max_neighbors: int = 30,
        nominal: Any = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.nominal_distance = nominal_distance
        self.scale = scale
        self.ties = ties
        self.max_neighbors = max_neighbors
        self.nominal = nominal

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Keep the rows of X and their numbers y; a Table brings its own target and weights."""
        super().fit(X, y, sample_weight)
        self._number_rows(X, y, sample_weight, numeric=True)
        return self

    def _learn(self, table: Table, y: Floats) -> None:
        self._keep(table, y)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the weighted mean of the neighbours' numbers."""
        return self._means(self._sums(table, rows))

    def _means(self, sums: Floats) -> Floats:
        """Sums of weights and of weighted numbers, in units of 2^exponent, to means within the numbers met."""
        target = self.rows_.target.astype(np.float64)
        mean: Floats = np.ldexp(sums[:, 1] / sums[:, 0], self._exponent)
        return np.clip(mean, target.min(), target.max())

    @property
    def _exponent(self) -> int:
        """The unit of the target in which sums of any numbers are numbers."""
        _, exponent = np.frexp(np.abs(self.rows_.target.astype(np.float64)).max())
        return int(exponent)

    def _shares(self) -> tuple[Floats, ...]:
        rows = self.rows_
        return mean_shares(rows.codes, rows.target.astype(np.float64), rows.mass, self.schema_)

    def _votes(self) -> Floats:
        mass = self.rows_.mass
        return np.column_stack([mass, mass * np.ldexp(self.rows_.target.astype(np.float64), -self._exponent)])

    def _leave_one_out(self, most: int, rows: Longs | None = None) -> Floats:
        """Minus the mean squared error of k neighbours among the others, k = 1 … most, in units of 2^exponent."""
        error, mass = np.zeros(most), self.rows_.mass
        target = np.ldexp(self.rows_.target.astype(np.float64), -self._exponent)

        def add(part: Longs, nearest: Neighbours) -> None:
            for k in range(1, most + 1):
                sums = self.poll_.of(nearest, k)
                with np.errstate(invalid="ignore"):
                    residual = np.where(sums[:, 0] > 0, sums[:, 1] / sums[:, 0] - target[part], 0.0)
                error[k - 1] += float(mass[part] @ residual**2)

        self.poll_.left_out(most, add, rows)
        score: Floats = -error / (mass.sum() if rows is None else mass[rows].sum())
        return score

    def draw(self, *, width: float = 560) -> Drawing:
        """Draw the error of training rows, each left out, by the number of neighbours asked."""
        check_is_fitted(self)
        return draw_errors(
            self,
            "root mean squared error",
            lambda scores: np.ldexp(np.sqrt(np.maximum(-scores, 0.0)), self._exponent),
            width=width,
        )

    def explain(self, row: Any) -> Workings:
        """Return the neighbours with their distances, weights and numbers, and their mean."""
        table = self._one_row(row)
        return explain_mean(self, table, float(self.answers(table)[0]))

    def state(self) -> State:
        """Return all training rows: they are the model."""
        return {**super().state(), **rows_state(self)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the training rows and their search."""
        super().restore(reader)
        restore_rows(self, reader, classes=None)
        return self

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "rows_") else repr(self)
