"""Weights of classes as a sampler: every row stays, and each class weighs what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from crake.arrays import Floats
from crake.balance.sample import Sample
from crake.balance.sampler import Sampler
from crake.errors import CrakeError
from crake.learners.base.class_weights import BALANCED, check_class_weight, check_labels, class_factors
from crake.learners.base.parameters import StrOptions
from crake.render.plain_text import visible
from crake.table.schema import Label
from crake.table.table import Table


class Weights(Sampler):
    """Multiplies the weight of each row by a weight of its class; no row is drawn, left out or made up.

    Parameters
    ----------
    weights : "balanced" (all classes weigh the same in total, and all rows as much as before), or weights by class:
        {"yes": 5}; classes that are not named weigh 1.

    >>> from crake.table.examples import load
    >>> Weights().fit_resample(load("golf")).weights.round(2)[:3].tolist()
    [1.4, 1.4, 0.78]
    """

    name = "weights"
    weighs_classes = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"weights": [StrOptions({BALANCED}), dict]}

    def __init__(self, weights: Any = BALANCED) -> None:
        self.weights = weights

    def fit_resample(self, X: Any, y: Any = None) -> Any:
        """Return a Table with its rows weighted. X and y cannot hold weights: they are refused."""
        if not isinstance(X, Table):
            raise CrakeError(
                "expected a Table, which can hold weights, got X and y: take Balanced(learner, Weights()), or "
                "class_weight='balanced' of the learner"
            )
        return super().fit_resample(X, y)

    def factors(self, totals: Floats, classes: tuple[Label, ...]) -> Floats:
        """Return the factor of the weights of each class, of classes with these weights in total.

        >>> Weights().factors(np.array([5.0, 9.0]), ("no", "yes")).round(4).tolist()
        [1.4, 0.7778]
        """
        if isinstance(self.weights, Mapping):
            check_labels(self.weights, classes, "observed", "weights")
        return class_factors(self.weights, totals, classes)

    def _validate_params(self) -> None:
        super()._validate_params()
        check_class_weight(self.weights, "weights")

    def _resample(self, table: Table, generator: np.random.Generator) -> Sample:
        del generator
        totals = np.bincount(table.target, table.weights, minlength=len(table.schema.classes)).astype(np.float64)
        return Sample(np.arange(len(table)), self.factors(totals, table.schema.classes)[table.target])

    def _words(self) -> str:
        return "weights"

    def words(self) -> str:
        """Return the sampler in words, for titles, with weights that are given."""
        if not isinstance(self.weights, Mapping):
            return self._words()
        return f"weights ({', '.join(f'{visible(label)} {weight:g}' for label, weight in self.weights.items())})"
