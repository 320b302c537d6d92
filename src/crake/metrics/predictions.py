"""Predictions of tested rows: the one form that every measure reads.

`Predictions` is a protocol. An evaluation fulfils it, a fold of a search does (`PredictedRows`), and so may anything
else that has tested rows. `Values` is the same for regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.render.short_repr import short_repr
from crake.table.schema import Label

Codes = NDArray[np.integer[Any]]
Answers = Literal["probabilities", "scores", "labels"]
"""The kind of output per row: a probability per class, a score per class, or only the label."""


class Predictions(Protocol):
    """Tested rows of a classifier: their classes, and what was predicted for them."""

    @property
    def classes(self) -> tuple[Label, ...]:
        """The label of each class code."""

    @property
    def answers(self) -> Answers:
        """The kind of `probabilities`: probabilities, scores, or 1 for the predicted label and 0 for the others."""

    @property
    def positive(self) -> Label | None:
        """The class that measures of one class speak of; None averages them over the classes by their size."""

    @property
    def ranked_class(self) -> Label | None:
        """The class whose scores rank the rows; None averages over the classes by their size."""

    @property
    def rows(self) -> NDArray[Any]:
        """The number of each row in its table."""

    @property
    def actual(self) -> Codes:
        """The class code of each row."""

    @property
    def predicted(self) -> Codes:
        """The class code that was predicted for each row."""

    @property
    def probabilities(self) -> Floats:
        """Shape (rows, classes)."""

    @property
    def weights(self) -> Floats | None:
        """The weight of each row; None where every row counts once."""

    @property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix of these rows."""

    @property
    def ranking(self) -> Ranking:
        """These rows by their score for `ranked_class`."""


class Values(Protocol):
    """Tested rows of a regressor: their values, and the values predicted for them."""

    @property
    def rows(self) -> NDArray[Any]:
        """The number of each row in its table."""

    @property
    def actual(self) -> Floats:
        """The value of each row."""

    @property
    def predicted(self) -> Floats:
        """The value that was predicted for each row."""

    @property
    def weights(self) -> Floats:
        """The weight of each row."""


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """Predictions held as arrays, such as those of one fold of a search.

    >>> rows = PredictedRows(("no", "yes"), np.array([0, 1, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]))
    >>> rows.predicted, rows.confusion.accuracy.value
    (array([0, 1, 0]), 0.6666666666666666)
    """

    classes: tuple[Label, ...]
    actual: Codes
    probabilities: Floats
    called: Codes | None = None
    """The codes predicted, where that is not the most probable class."""
    weights: Floats | None = None
    positive: Label | None = None
    answers: Answers = "probabilities"

    __repr__ = short_repr

    @property
    def rows(self) -> NDArray[np.intp]:
        """Numbers from 0 on."""
        return np.arange(len(self.actual))

    @property
    def ranked_class(self) -> Label | None:
        """The positive class, if there is one."""
        return self.positive

    @cached_property
    def predicted(self) -> Codes:
        """The codes predicted: `called`, or the most probable class."""
        return np.argmax(self.probabilities, axis=1) if self.called is None else self.called

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix of these rows."""
        return confusion_matrix(self.actual, self.predicted, self.classes, weights=self.weights)

    @cached_property
    def ranking(self) -> Ranking:
        """The rows by their score for the positive class; of two classes without one, by that for the second."""
        if self.positive is None and len(self.classes) != 2:
            raise several_classes(self.classes)
        code = 1 if self.positive is None else self.classes.index(self.positive)
        return rank_scores(self.actual == code, self.probabilities[:, code], self.weights)


@dataclass(frozen=True, eq=False)
class PredictedValues:
    """Predicted values held as arrays."""

    actual: Floats
    predicted: Floats
    weights: Floats

    __repr__ = short_repr

    @property
    def rows(self) -> NDArray[np.intp]:
        """Numbers from 0 on."""
        return np.arange(len(self.actual))


def several_classes(classes: tuple[Label, ...]) -> CrakeError:
    """Return the error of a measure that speaks of one class where there are several and none is named."""
    return CrakeError(f"{len(classes)} classes: say which one is meant, positive=…; {list(classes)}")
