"""k nearest neighbours: the classes of the most similar training rows vote."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats, Longs
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT as CLASS_WEIGHT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.row_query import Range, range_of
from crake.learners.base.state import State, StateReader
from crake.learners.neighbors.base import CONSTRAINTS, Neighbors
from crake.learners.neighbors.drawing import draw_errors
from crake.learners.neighbors.search import Neighbours
from crake.learners.neighbors.state import restore_rows, rows_state
from crake.learners.neighbors.text import model_text
from crake.learners.neighbors.value_difference import class_shares
from crake.learners.neighbors.workings import explain_votes
from crake.render.drawing.drawing import Drawing
from crake.render.workings import Workings
from crake.table.convert.export import label_array
from crake.table.schema import Column
from crake.table.table import Table

MOST_VOTES = 1e290
"""Votes of one class up to which those of all classes add up to a number."""


class NeighborsClassifier(Neighbors, TableClassifier):
    """P(c given x) = the share of class c among the k training rows nearest to x, weighted.

    d²(x, z) = Σ_j d_j²: for numbers the difference in units of the training range, for names 0 if they are the same and
    1 if not; a missing value is as far as it can be. The model is the training rows: a file of it holds them all.

    Parameters
    ----------
    n_neighbors : k, or "auto": the k with the most training rows right when each is left out (`leave_one_out_`).
    weights : "uniform", "distance" (1/d), "inverse" (1/(r + 0.001)), "similarity" (1 − r), r = √(d²/columns).
    metric : "euclidean", or "manhattan": d = Σ_j d_j.
    nominal_distance : "overlap" (0 or 1), or "value-difference": by the classes that two values go with.
    scale : of numeric columns: "range", "deviation" (standard deviations), or None: as they are.
    ties : "all": every row as far as the k-th votes; "first": exactly k, rows in their order; "bitwise": as "all", but
        rows are as far only if their distances agree to the last bit, as in WEKA's IBk.
    smoothing : votes that every class starts with; "1/n" as WEKA has it.
    max_neighbors : the largest k that "auto" tries.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    A row of weight w counts as w rows: it fills w of the k places and has w votes.

    >>> from crake.table.examples import load
    >>> model = NeighborsClassifier(3).fit(load("weather"))
    >>> round(model.explain({"outlook": "Sunny", "temp": "Cool", "humidity": "High", "windy": "True"})["Yes"], 3)
    0.444
    """

    card = Card(
        title="k nearest neighbours",
        about="vote of the k training rows most similar to a row",
        model="the rows themselves",
        is_readable=False,
        missing="as far away as can be",
        has_interactions=True,
        probabilities="shares among the neighbours",
        time="none to fit; each new row is compared with all rows",
        most_rows=50_000,
        many_rows=2200,
        usual_grid={"n_neighbors": [25, 15, 9, 5, 3, 1]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "smoothing": [Interval(Real, 0, None, closed="left"), StrOptions({"1/n"})],
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: str = "uniform",
        metric: str = "euclidean",
        nominal_distance: str = "overlap",
        scale: str | None = "range",
        ties: str = "all",
        smoothing: float | str = 0.0,
        max_neighbors: int = 30,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.nominal_distance = nominal_distance
        self.scale = scale
        self.ties = ties
        self.smoothing = smoothing
        self.max_neighbors = max_neighbors
        self.class_weight = class_weight
        self.nominal = nominal

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Keep the rows of X and their labels y; a Table brings its own target and weights."""
        super().fit(X, y, sample_weight)
        self._number_rows(X, y, sample_weight, numeric=False)
        return self

    def _learn(self, table: Table) -> None:
        self.classes_ = label_array(table.schema.classes)
        self._keep(table, table.target)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return each class's share of the votes."""
        return self._shares_of(self._sums(table, rows))

    @property
    def first_votes(self) -> float:
        """The votes that every class starts with; of more than MOST_VOTES their sum would be no number."""
        if self.smoothing == "1/n":
            return 1.0 / float(self.rows_.mass.sum())
        return min(float(self.smoothing), MOST_VOTES)

    def _shares_of(self, votes: Floats) -> Floats:
        first = self.first_votes
        start: Floats | float = first
        if self.weights == "distance":
            # Votes of rows that are nearly equal may be huge: only their proportions, and to the first ones, matter.
            largest = votes.max(axis=1, keepdims=True, initial=max(1e-300, first / MOST_VOTES))
            votes, start = votes / largest, start / largest
        votes = votes + start
        shares: Floats = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def _shares(self) -> tuple[Floats, ...]:
        rows = self.rows_
        return class_shares(rows.codes, rows.target.astype(np.int64), rows.mass, self.schema_)

    def _votes(self) -> Floats:
        votes = np.zeros((len(self.rows_), len(self.classes_)))
        votes[np.arange(len(votes)), self.rows_.target.astype(np.int64)] = self.rows_.mass
        return votes

    def _leave_one_out(self, most: int, rows: Longs | None = None) -> Floats:
        """Return the share of training rows that k neighbours among the others get right, k = 1 … most."""
        right, target, mass = np.zeros(most), self.rows_.target, self.rows_.mass

        def count(part: Longs, nearest: Neighbours) -> None:
            for k in range(1, most + 1):
                answer = np.argmax(self._shares_of(self.poll_.of(nearest, k)), axis=1)
                right[k - 1] += mass[part][answer == target[part]].sum()

        self.poll_.left_out(most, count, rows)
        share: Floats = right / (mass.sum() if rows is None else mass[rows].sum())
        return share

    def _range(self, column: Column) -> Range | None:
        return range_of(self.rows_.values[:, self.schema_.numeric.index(column)])

    def draw(self, *, width: float = 560) -> Drawing:
        """Draw the error of training rows, each left out, by the number of neighbours asked."""
        check_is_fitted(self)
        return draw_errors(self, "share of rows wrong", lambda scores: 1 - scores, width=width)

    def explain(self, row: Any) -> Workings:
        """Return the neighbours with their distances and votes."""
        table = self._one_row(row)
        return explain_votes(self, table, self.probabilities(table)[0])

    def state(self) -> State:
        """Return all training rows: they are the model."""
        return {**super().state(), **rows_state(self)}

    def restore(self, reader: StateReader) -> Self:
        """Take back the training rows and their search."""
        super().restore(reader)
        self.classes_ = label_array(self.schema_.classes)
        restore_rows(self, reader, classes=len(self.classes_))
        return self

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "rows_") else repr(self)
