"""The base of both neighbour learners: parameters, training rows, k, and model files."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.errors import CrakeError
from crake.learners.base.estimator import TableEstimator
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.training_rows import learned_rows
from crake.learners.neighbors.edited_row import edited_sums
from crake.learners.neighbors.rows import Poll, TrainingRows, features_of, index_of
from crake.learners.neighbors.space import Space, space_of
from crake.learners.neighbors.votes import WEIGHTS
from crake.table.sources.edited_row import EditedRow
from crake.table.table import Table

CONSTRAINTS: dict[str, list[Any]] = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "weights": [StrOptions(set(WEIGHTS))],
    "metric": [StrOptions({"euclidean", "manhattan"})],
    "nominal_distance": [StrOptions({"overlap", "value-difference"})],
    "scale": [StrOptions({"range", "deviation"}), None],
    "ties": [StrOptions({"all", "first", "bitwise"})],
    "max_neighbors": [Interval(Integral, 1, None, closed="left")],
    "nominal": [StrOptions({"auto", "all"}), "array-like"],
}


class Neighbors(TableEstimator):
    """A learner whose model is its training rows. `k_` is the number of neighbours it asks."""

    _no_form: ClassVar[str] = "every prediction needs the training rows"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS
    n_neighbors: int | str
    weights: str
    metric: str
    nominal_distance: str
    scale: str | None
    ties: str
    max_neighbors: int
    rows_: TrainingRows
    k_: int
    leave_one_out_: Floats
    poll_: Poll
    is_bitwise_: bool

    def _keep(self, table: Table, target: NDArray[np.generic]) -> None:
        """Take the rows, then k: as asked, no more than there are rows, or the best when each row is left out."""
        self.schema_ = table.schema
        self.rows_ = TrainingRows.of(table, target)
        self.is_bitwise_ = self.ties == "bitwise"
        self._index()
        self.leave_one_out_ = np.zeros(0)
        total = float(self.rows_.mass.sum())
        if self.n_neighbors == "auto":
            self.leave_one_out_ = self._leave_one_out(max(1, min(self.max_neighbors, int(total) - 1)))
            self.k_ = int(np.argmax(self.leave_one_out_)) + 1
        else:
            # More than there are: all rows are neighbours, and the model's text says so.
            self.k_ = min(int(self.n_neighbors), max(1, int(np.ceil(total))))

    def _index(self) -> None:
        """The space of the training rows and what is searched; the same from `fit` and from a file."""
        rows = self.rows_
        space = space_of(rows.values, rows.weights, self.scale, squared=self.metric == "euclidean")
        if self.nominal_distance == "value-difference":
            space = replace(space, shares=self._shares())
        columns = len(self.schema_.features)
        index = index_of(rows, space, self._votes(), bitwise=self.is_bitwise_)
        self.poll_ = Poll(index, self.weights, self.ties, columns)

    @property
    def space_(self) -> Space:
        """Return the scales of numeric values and the distances of nominal values."""
        return self.poll_.index.space

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return the distances and the numbers of the nearest training rows, (rows of X, n_neighbors) each.

        Without X the training rows are asked, each among the others. Numbers are those of the rows given to `fit`, and
        equal distances stand in their order. Distances are the learner's own: scaled, of mixed columns, see the class.
        """
        check_is_fitted(self)
        k = self.k_ if n_neighbors is None else int(n_neighbors)
        most = len(self.rows_) - (X is None)
        if not 1 <= k <= most:
            raise CrakeError(f"n_neighbors is {k}; expected 1 to {most}, the rows to choose from")
        index = self.poll_.index
        if X is None:
            values, codes, left_out = index.values, index.codes, np.arange(len(self.rows_), dtype=np.int64)
        else:
            values, codes = features_of(self._coded(X), self.schema_)
            values, left_out = index.space.placed(values), None
        # Here a row is one neighbour, whatever its weight.
        nearest = replace(index, weights=np.ones(len(self.rows_)), _tree={}).nearest(values, codes, float(k), left_out)
        numbers = self.rows_.numbers[nearest.rows[:, :k]]
        if not return_distance:
            return numbers
        distance = nearest.distance[:, :k]
        return (np.sqrt(distance) if index.space.squared else distance.copy()), numbers

    def _sums(self, table: Table, rows: NDArray[np.intp] | None) -> Floats:
        """Return the summed votes for rows of a table coded under this model's schema."""
        source: Any = table.source
        if rows is None and isinstance(source, EditedRow):
            sums = edited_sums(self.poll_, source, self.schema_, self.k_)
            if sums is not None:
                return sums
        values, codes = features_of(table, self.schema_)
        if rows is not None:
            values, codes = values[rows], codes[rows]
        return self.poll_.sums(values, codes, self.k_)

    def _number_rows(self, X: Any, y: Any, sample_weight: Any, *, numeric: bool) -> None:
        self.rows_ = replace(self.rows_, numbers=learned_rows(X, y, sample_weight, numeric=numeric))

    def _shares(self) -> tuple[Floats, ...]:
        """Return the shares of the target for each value of each nominal column."""
        raise NotImplementedError

    def _votes(self) -> Floats:
        """Return the vote of each training row, times its weight: (rows, outputs)."""
        raise NotImplementedError

    def _leave_one_out(self, most: int, rows: Longs | None = None) -> Floats:
        """Return the score of 1 … most neighbours for rows that are left out (all, or `rows`); larger is better."""
        raise NotImplementedError
