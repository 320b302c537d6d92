"""Measures of an evaluation: any of the registry, as an estimate over all its rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.result import bootstrap
from crake.evaluation.result.base import CONSTANT, Evaluated
from crake.metrics.confusion.entries import ACCURACY, ERROR
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.measures import CLASSIFICATION, find_measure
from crake.metrics.predictions import Predictions
from crake.metrics.ranking.entries import AUC, AUC_HAND_TILL
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.table.schema import Label


def measured(measure: Measure[Predictions]) -> cached_property[Estimate]:
    """Return the property of an evaluation that holds this measure."""

    def estimate(evaluation: Measures) -> Estimate:
        return evaluation.estimate(measure)

    estimate.__doc__ = measure.about
    return cached_property(estimate)


class Measures(Evaluated):
    """Tested rows as the measures read them (`crake.metrics.predictions.Predictions`)."""

    def estimate(self, measure: Measure[Predictions] | str, costs: CostMatrix | None = None) -> Estimate:
        """Return a measure, by its name or as it is; of several rounds the mean.

        Measures of one class are those of `positive`, or averaged over the classes by size. Costs take `costs`.

        >>> from crake.evaluation.evaluate import evaluate
        >>> from crake.table.examples import load
        >>> print(evaluate("naive-bayes", load("breast-cancer")).estimate("f2"))
        0.931 [0.908, 0.949]
        """
        chosen = find_measure(measure).with_costs(costs) if isinstance(measure, str) else measure
        if chosen not in CLASSIFICATION:  # bound to costs, or made by the user
            return self._estimate(chosen)
        if chosen.name not in self._estimates:
            self._estimates[chosen.name] = self._estimate(chosen)
        return self._estimates[chosen.name]

    @property
    def rows(self) -> NDArray[np.intp]:
        """The number of each tested row in its table."""
        return self.out_of_fold.rows

    @property
    def actual(self) -> NDArray[np.int32]:
        """The class code of each tested row."""
        return self.out_of_fold.actual

    @property
    def predicted(self) -> NDArray[np.integer[Any]]:
        """The class code predicted for each tested row."""
        return self.out_of_fold.predicted

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability (or score) of each class, shape (rows, classes)."""
        return self.out_of_fold.probabilities

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """The weight of each tested row; None where every row counts once."""
        return None if self.out_of_fold.is_unweighted else self.out_of_fold.weights

    @property
    def ranked_class(self) -> Label | None:
        """The class that ranking measures speak of; None where they average over more than two classes."""
        return self.positive if len(self.classes) != 2 else self.positive_class

    @cached_property
    def ranking(self) -> Ranking:
        """The tested rows by their score for the positive class: curves and cutoffs are read from it."""
        code = self.confusion.code(self.positive_class)
        return rank_scores(self.actual == code, self.as_ranked.probabilities[:, code], self.weights)

    @cached_property
    def is_constant(self) -> bool:
        """Return True if no fold tells its rows apart. Folds of one row show nothing: there the learner is asked."""
        if self.key in CONSTANT:
            return True
        order = np.argsort(self.out_of_fold.fold, kind="stable")
        fold, P = self.out_of_fold.fold[order], self.probabilities[order]
        same_fold = fold[1:] == fold[:-1]
        return bool(same_fold.any()) and not bool((same_fold & (P[1:] != P[:-1]).any(axis=1)).any())

    @cached_property
    def as_ranked(self) -> Self:
        """Return the rows as rankings read them: with one prediction for all, if each fold has one for all its rows.

        Pooling would rank them by the models of different folds: a constant prediction then has an AUC below ½, since
        a fold that is tested on more of a class was trained on less of it.

        Forman and Scholz (2010), Apples-to-apples in cross-validation studies.
        """
        if len(self.rows) == 0 or not self.is_constant:
            return self
        mean = np.tile(self.probabilities.mean(axis=0), (len(self.rows), 1))
        answered = np.asarray(self.predicted, np.int32)
        return replace(self, out_of_fold=replace(self.out_of_fold, probabilities=mean, answered=answered))

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {}

    def _estimate(self, measure: Measure[Predictions]) -> Estimate:
        if self.bootstrap is not None and measure in (ACCURACY, ERROR):
            error = bootstrap.error(self, self.bootstrap)
            return error if measure is ERROR else _complement(error)
        if reason := measure.why_not(self.answers):
            return Estimate.undefined(reason)
        return self.measured(_ranked(measure) if measure.needs == "scores" else measure.of)


def _ranked(measure: Measure[Predictions]) -> Callable[[Any], Estimate]:
    """Return the measure of a ranking; the AUC of one prediction for all rows is ½ whatever the rows are."""

    def estimate(part: Measures) -> Estimate:
        found = measure.of(part.as_ranked)
        if found.value is None or not part.is_constant or measure not in (AUC, AUC_HAND_TILL):
            return found
        return Estimate(0.5, method="one prediction for all rows: every pair is tied")

    return estimate


def _complement(error: Estimate) -> Estimate:
    interval = error.interval and (1 - error.interval[1], 1 - error.interval[0])
    return replace(error, value=1 - float(error), interval=interval)
