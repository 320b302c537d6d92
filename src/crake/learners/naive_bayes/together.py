"""Naive Bayes on many parts of the same rows: its models of folds and samples lie side by side where they can."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.learners.naive_bayes import folds_of_texts, many_models
from crake.statistics import Statistics
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


class AnswersTogether(StatisticsClassifier):
    """The methods by which an evaluation asks all folds, or all samples, in one pass over the rows."""

    def answers_together(self, table: Table) -> bool:
        """Return True if every column is counted: then a model is a table of logarithms, and many lie side by side."""
        return many_models.counts_alone(table)

    def estimate_together(self, parts: Iterable[Statistics]) -> many_models.Models:
        """Return the models' logarithms side by side."""
        return many_models.estimated(cast("NaiveBayesClassifier", self), parts)

    def answer_together(self, models: Any, table: Table, left_out: NDArray[np.bool_]) -> list[Floats]:
        """Predict each row by the models that have not seen it, in one pass over the rows."""
        return many_models.answered(models, table, left_out)

    def folds_together(self, table: Table, statistics: Statistics) -> bool:
        """Return True if every column is counted, or a text whose words can be counted in one array."""
        model = cast("NaiveBayesClassifier", self)
        return self.answers_together(table) or folds_of_texts.fits(model, table, statistics)

    def estimate_folds(self, statistics: Statistics, groups: Sequence[int]) -> Any:
        """Return the models of the folds side by side; those of words share one vocabulary."""
        if not statistics.schema.texts:
            return super().estimate_folds(statistics, groups)
        return folds_of_texts.estimated(cast("NaiveBayesClassifier", self), statistics, groups)

    def answer_by_fold(self, models: Any, table: Table, fold: NDArray[np.int32]) -> Floats:
        """Predict each row by the model of its fold, in one pass over the rows."""
        if isinstance(models, folds_of_texts.TextFolds):
            return folds_of_texts.answered(models, table, fold)
        return many_models.answered_by_fold(models, table, fold)
