"""Rows in memory: every learner is tested on the same folds of a table, by models that have not seen the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.evaluation.protocol.arguments import (
    numbers_of,
    predicts_numbers,
    read_by,
    target_name,
    with_its_column,
    without_column,
)
from crake.evaluation.protocol.collector import Collector
from crake.evaluation.protocol.folds import Answers, one_pass, refit, refit_foreign, refit_regressor
from crake.evaluation.protocol.other_libraries import array_rows, fit_rows, foreign_answer, some_rows
from crake.evaluation.protocol.outcome import Outcome, Run, left_out_note
from crake.evaluation.protocol.timing import Clock, Progress, begin_learner, end_learner, of_few_members, rehearse, warm
from crake.evaluation.protocol.trials import Trials
from crake.evaluation.result.base import Context
from crake.evaluation.result.bootstrap import BootstrapTerms
from crake.evaluation.result.data import ArrayRows, InMemory
from crake.evaluation.result.out_of_fold import ClassPredictions, NumericPredictions
from crake.learners.base.classifier import TableClassifier, reads_tables
from crake.learners.base.scikit_learn import clone
from crake.learners.registry import title_of
from crake.plans import Assignment, Bootstrap, CrossValidation, Plan, Resubstitution
from crake.table.table import Table


def run(
    learners: Sequence[Any],
    data: InMemory,
    plan: Plan | None,
    progress: Progress | None = None,
    *,
    n_jobs: int | None = None,
) -> Run:
    """Test every learner as the plan says; without a plan by 10-fold cross-validation, of classes stratified."""
    plan, rest = with_its_column(_usual(plan, learners[0]), data.table)
    rounds: Iterable[Assignment] = _rounds(plan, replace(data, table=rest), learners[0])
    if len(learners) > 1:
        rounds = tuple(rounds)
    outcomes: list[Outcome] = []
    trials = Trials(learners, progress)
    for place, learner in enumerate(learners):
        if isinstance(rounds, tuple):
            begin_learner(progress, title_of(learner), place + 1, len(learners), rounds[0].folds * rounds[0].of)
        with trials.of(place):
            own = without_column(read_by(learner, data), data.table, rest)
            outcomes.append(run_learner(learner, own, rounds, plan, trials.progress, n_jobs))
        if not trials.has_failed(place):
            end_learner(progress, outcomes[-1])
    failures = trials.finished()
    return Run(tuple(outcomes), rest, plan, notes=(*rest.notes, *outcomes[0].plan_notes), failures=failures)


def deal(learner: Any, data: InMemory, plan: Plan | None) -> tuple[Plan, InMemory, Iterable[Assignment]]:
    """Return the plan, the rows as one learner reads them, and the folds that the plan deals out."""
    plan, rest = with_its_column(_usual(plan, learner), data.table)
    own = without_column(read_by(learner, data), data.table, rest)
    return plan, own, _rounds(plan, replace(data, table=rest), learner)


def _usual(plan: Plan | None, learner: Any) -> Plan:
    """Return the plan, or the usual one. The .632 estimates are for classifiers only."""
    if not predicts_numbers(learner):
        return plan or CrossValidation()
    plan = plan or CrossValidation(stratified=False)
    return replace(plan, estimate="out-of-bag") if isinstance(plan, Bootstrap) else plan


def _rounds(plan: Plan, data: InMemory, learner: Any) -> Iterable[Assignment]:
    if predicts_numbers(learner):
        return plan.rounds(np.where(np.isnan(numbers_of(data)), -1, 0), ())
    return plan.rounds(data.table.target, data.table.schema.classes)


def run_learner(
    learner: Any,
    data: InMemory,
    rounds: Iterable[Assignment],
    plan: Plan,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> Outcome:
    """Test one learner on folds that are dealt already: the same for every learner of a comparison."""
    predictions, notes = out_of_fold(learner, data, rounds, progress, n_jobs)
    return outcome_of(learner, data, plan, predictions, notes)


def outcome_of(
    learner: Any,
    data: InMemory,
    plan: Plan,
    predictions: ClassPredictions | NumericPredictions,
    notes: tuple[str, ...],
) -> Outcome:
    """Return the outcome of one learner under a plan; `notes` are the plan's."""
    table, target = data.table, target_name(data)
    context = Context(learner, data, plan)
    is_numeric = isinstance(predictions, NumericPredictions)
    is_unknown = np.isnan(numbers_of(data)) if is_numeric else table.target < 0
    unknown = int(np.sum(is_unknown if table.weights is None else is_unknown & (table.weights > 0)))
    return Outcome(
        learner=learner,
        out_of_fold=predictions,
        table=table.name,
        target=target,
        plan=plan.describe(),
        classes=() if is_numeric else table.schema.classes,
        notes=(*left_out_note(unknown, target), *notes),
        plan_notes=notes,
        bootstrap=_bootstrap(plan, context, is_numeric=is_numeric) if isinstance(plan, Bootstrap) else None,
        context=context,
    )


def _bootstrap(plan: Bootstrap, context: Context, *, is_numeric: bool) -> BootstrapTerms:
    """Return the training terms; numbers are measured out of bag and need none."""
    if is_numeric:
        return BootstrapTerms(plan.estimate, np.empty(0), np.nan)
    return terms(plan, context, resubstituted(context))


def resubstituted(context: Context) -> ClassPredictions:
    """Return the predictions of the model of all rows for those very rows."""
    table, data = context.table, InMemory(context.table, context.arrays)
    rounds = Resubstitution().rounds(table.target, table.schema.classes)
    predictions, _ = out_of_fold(context.learner, data, rounds)
    assert isinstance(predictions, ClassPredictions)  # noqa: S101 (classifiers are resubstituted)
    return predictions


def out_of_fold(
    learner: Any,
    data: InMemory,
    rounds: Iterable[Assignment],
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> tuple[ClassPredictions | NumericPredictions, tuple[str, ...]]:
    """Return the predictions for all tested rows, and the notes of the rounds.

    A learner that is a function of statistics gathers once for all folds (equal to refitting; the tests hold it).
    Any other is cloned and fitted on each training part, `n_jobs` of them at a time. Learners of other libraries get
    arrays.
    """
    warm()
    clock, collector = Clock(progress, title_of(learner)), Collector(data.table)
    for number, *piece in _predictions(learner, data, collector.noting(rounds), clock, n_jobs):
        collector.add(number, *piece)
    notes = tuple(dict.fromkeys(collector.notes))
    if predicts_numbers(learner):
        return collector.numeric_predictions(clock, numbers_of(data)), notes
    return collector.class_predictions(clock), notes


def _predictions(
    learner: Any, data: InMemory, rounds: Iterable[Assignment], clock: Clock, n_jobs: int | None
) -> Answers:
    table = data.table
    if predicts_numbers(learner):
        return refit_regressor(learner, data, rounds, clock, n_jobs)
    if not reads_tables(learner):
        return refit_foreign(learner, data.arrays or array_rows(table, learner), rounds, clock, n_jobs)
    if learner.one_pass:
        rehearse(learner, table, lambda few, folds: one_pass(learner, few, folds, Clock()))
        return one_pass(learner, table, rounds, clock)
    rehearse(learner, table, lambda few, folds: refit(of_few_members(learner), few, folds, Clock(), None))
    return refit(learner, table, rounds, clock, n_jobs)


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
    answers = (_replicate_predictions(learner, table, context.arrays, sample, known) for sample in rounds)
    wrong = [predicted != table.target[known] for predicted in answers]
    return np.array([np.dot(each, weights[known]) / weights[known].sum() for each in wrong])


def _replicate_predictions(
    learner: Any, table: Table, arrays: ArrayRows | None, sample: Assignment, rows: NDArray[np.intp]
) -> NDArray[np.integer[Any]]:
    train, _ = sample.split(0)
    if not reads_tables(learner):
        data = arrays or array_rows(table, learner)
        fitted = fit_rows(data, clone(learner), train)
        _, codes, _ = foreign_answer(fitted, some_rows(data.X, rows), data.classes)
        return codes
    if learner.one_pass and sample.copies is not None:
        fresh = clone(learner).checked()
        weights = sample.copies.astype(np.float64) if table.weights is None else sample.copies * table.weights
        model: TableClassifier = fresh.estimate(fresh.gather(table.with_weights(weights)))
    else:
        model = clone(learner).fit(table.take(train))
    return model.decide(model.probabilities(table, rows))


def _error(predictions: ClassPredictions) -> float:
    if len(predictions.rows) == 0 or not predictions.weights.any():
        raise CrakeError("a bootstrap replicate tests no row of positive weight; take more rows")
    wrong = predictions.actual != predictions.predicted
    return float(predictions.weights[wrong].sum() / predictions.weights.sum())


def _no_information(predictions: ClassPredictions) -> float:
    K = predictions.probabilities.shape[1]
    p = np.bincount(predictions.actual, weights=predictions.weights, minlength=K) / predictions.weights.sum()
    q = np.bincount(predictions.predicted, weights=predictions.weights, minlength=K) / predictions.weights.sum()
    return float(1 - np.dot(p, q))
