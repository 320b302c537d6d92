"""The training terms of the .632 estimates: the model of all rows, and each replicate's model, on the training rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.evaluation.protocol.other_libraries import array_rows, fit_rows, foreign_answer, some_rows
from crake.evaluation.result.base import Context
from crake.evaluation.result.bootstrap import BootstrapTerms
from crake.evaluation.result.data import ArrayRows
from crake.evaluation.result.out_of_fold import ClassPredictions
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.statistics_classifier import StatisticsClassifier
from crake.plans import Assignment, Bootstrap
from crake.table.table import Table


def terms(plan: Bootstrap, context: Context, resubstituted: ClassPredictions) -> BootstrapTerms:
    """Return the training error that the plan's estimate asks for, from the model of all rows on those rows."""
    own = _error(resubstituted)
    gamma = _no_information(resubstituted)
    if plan.estimate != "632-lecture":
        return BootstrapTerms(plan.estimate, np.array([own]), gamma)
    rounds = plan.rounds(context.table.target, context.table.schema.classes)
    return BootstrapTerms(plan.estimate, _of_each_replicate(context, rounds), gamma)


def _of_each_replicate(context: Context, rounds: Iterable[Assignment]) -> Floats:
    """Return the error of each replicate's model on all rows."""
    table, learner = context.table, context.learner
    weights = np.ones(len(table)) if table.weights is None else table.weights
    known = np.flatnonzero(table.target >= 0)
    answers = (_answers(learner, table, context.arrays, sample, known) for sample in rounds)
    wrong = [found != table.target[known] for found in answers]
    return np.array([np.dot(each, weights[known]) / weights[known].sum() for each in wrong])


def _answers(
    learner: Any, table: Table, arrays: ArrayRows | None, sample: Assignment, rows: NDArray[np.intp]
) -> NDArray[np.integer[Any]]:
    train, _ = sample.split(0)
    if not reads_tables(learner):
        data = arrays or array_rows(table, learner)
        fitted = fit_rows(data, clone(learner), train)
        found, codes = foreign_answer(fitted, some_rows(data, rows), data.classes)
        return np.argmax(found, axis=1) if codes is None else codes
    if isinstance(learner, StatisticsClassifier) and learner.one_pass and sample.copies is not None:
        fresh = clone(learner).checked()
        weights = sample.copies.astype(np.float64) if table.weights is None else sample.copies * table.weights
        model: TableClassifier = fresh.estimate(fresh.gather(table.with_weights(weights)))
    else:
        model = clone(learner).fit(table.take(train))
    return model.decide(model.probabilities(table, rows))


def _error(found: ClassPredictions) -> float:
    if len(found.rows) == 0 or not found.weights.any():
        raise CrakeError("a bootstrap replicate tests no row of positive weight; take more rows")
    wrong = found.actual != found.predicted
    return float(found.weights[wrong].sum() / found.weights.sum())


def _no_information(found: ClassPredictions) -> float:
    K = found.probabilities.shape[1]
    p = np.bincount(found.actual, weights=found.weights, minlength=K) / found.weights.sum()
    q = np.bincount(found.predicted, weights=found.weights, minlength=K) / found.weights.sum()
    return float(1 - np.dot(p, q))
