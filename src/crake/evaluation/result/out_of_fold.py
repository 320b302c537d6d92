"""Out-of-fold predictions: one line per tested row, predicted by a model that has not learned from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.predictions import Answers
from crake.render.short_repr import short_repr


@dataclass(frozen=True, eq=False, kw_only=True)
class OutOfFold:
    """The columns that classes and numbers share: row number, fold, weight; and the seconds of all folds.

    Lines stand round by round (a repeated plan has several rounds). Folds are counted through all rounds. `repeat` is
    the round of each line if rows are tested more than once. `training_rows` is the number of rows that each fold's
    model learned from.
    """

    rows: NDArray[np.intp]
    fold: NDArray[np.int32]
    weights: Floats
    fit_seconds: float
    predict_seconds: float
    repeat: NDArray[np.int32] | None = None
    training_rows: NDArray[np.int64] | None = None

    COLUMNS: ClassVar[tuple[str, ...]] = ("rows", "fold", "weights")

    __repr__ = short_repr

    @property
    def is_unweighted(self) -> bool:
        """Return True if every row counts once, by one number that all rows share: reading them is faster then."""
        return self.weights.strides == (0,) and bool(len(self.weights)) and bool(self.weights[0] == 1)

    @property
    def repeats(self) -> int:
        """Return the number of rounds of the plan."""
        return 1 if self.repeat is None or len(self.repeat) == 0 else int(self.repeat[-1]) + 1

    def by_repeat(self) -> Iterator[Self]:
        """Yield the lines of each round."""
        if self.repeat is None:
            yield self
            return
        edges = np.searchsorted(self.repeat, np.arange(self.repeats + 1))
        for start, stop in pairwise(edges):
            yield self.lines(slice(start, stop))

    def by_fold(self) -> Iterator[Self]:
        """Yield the lines of each fold that tested any."""
        order = np.argsort(self.fold, kind="stable")
        edges = np.flatnonzero(np.diff(self.fold[order], prepend=-1)).tolist()
        for start, stop in zip(edges, [*edges[1:], len(order)], strict=True):
            yield self.lines(order[start:stop])

    def lines(self, which: slice | NDArray[Any]) -> Self:
        """Return some of the lines, as those of one round."""
        columns: dict[str, Any] = {
            name: None if (column := getattr(self, name)) is None else column[which] for name in self.COLUMNS
        }
        return replace(self, **columns, repeat=None)


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassPredictions(OutOfFold):
    """The actual class of each line, by its code, and the predicted probabilities.

    Lines of a round stand by row number. `answered` holds the predicted classes of a model that decides by a rule of
    its own. `kind` says what `probabilities` are: scores only rank, labels are 1 for the predicted class.
    """

    actual: NDArray[np.int32]
    probabilities: Floats
    answered: NDArray[np.int32] | None = None
    kind: Answers = "probabilities"

    COLUMNS: ClassVar[tuple[str, ...]] = (*OutOfFold.COLUMNS, "actual", "probabilities", "answered")

    __repr__ = short_repr

    @cached_property
    def predicted(self) -> NDArray[np.intp]:
        """Return the predicted classes: the most probable one, ties to the first of the schema; or the model's own."""
        if self.answered is not None:
            return self.answered.astype(np.intp)
        most_probable: NDArray[np.intp] = np.argmax(self.probabilities, axis=1)
        return most_probable


@dataclass(frozen=True, eq=False, kw_only=True)
class NumericPredictions(OutOfFold):
    """The actual and the predicted number of each line. Lines stand fold by fold."""

    actual: Floats
    predicted: Floats

    COLUMNS: ClassVar[tuple[str, ...]] = (*OutOfFold.COLUMNS, "actual", "predicted")

    __repr__ = short_repr
