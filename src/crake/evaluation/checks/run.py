"""All checks of an evaluation or a comparison. Sizes, never a clock, decide about a check that costs another fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from crake.evaluation.checks.baselines import beats_majority, beats_mean, beats_one_rule
from crake.evaluation.checks.duplicates_across_folds import duplicates_across_folds
from crake.evaluation.checks.folds import class_without_recall, odd_fold
from crake.evaluation.checks.leaking_columns import Suspicion, data_checks, perfect_columns
from crake.evaluation.checks.overconfidence import Sureness, posteriors, sureness
from crake.evaluation.checks.overfitting import optimistic_gap
from crake.evaluation.checks.rare_classes import answers_balanced, balanced_beforehand, useless_accuracy
from crake.evaluation.checks.regressors import duplicates_of_numbers, odd_fold_of_numbers, optimistic_errors
from crake.evaluation.checks.unstable_root import unsteady_root
from crake.evaluation.comparison.criterion import BY_ACCURACY, ByCost, Criterion
from crake.evaluation.comparison.standing import Standing
from crake.evaluation.protocol import memory, test_table
from crake.evaluation.protocol.outcome import class_evaluation
from crake.evaluation.protocol.trials import Failure
from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import InMemory, TestTable
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.one_rule import OneRuleClassifier
from crake.render.check import Check
from crake.table.table import Table

MOST_CELLS = 5_000_000
"""Rows × columns × folds up to which 1R is tested beside a learner that was evaluated alone."""


def checks_of_comparison(
    evaluations: Sequence[Evaluation],
    standings: Sequence[Standing],
    table: Table,
    sure: Sequence[Sureness] | None = None,
    suspicious: Sequence[Suspicion] | None = None,
) -> Iterator[Check]:
    """Yield those of the table, those of the best learner, and those of all learners together."""
    best, criterion = standings[0].evaluation, standings[0].criterion
    majority = next((each for each in evaluations if each.key == "majority"), None)
    one_rule = next((each for each in evaluations if each.key == "1r"), None)
    yield from data_checks(table)
    yield from perfect_columns(table, suspicious)
    if not _aims_elsewhere(best, criterion):
        yield from beats_majority(best, majority, criterion, _corrected(standings, "majority"))
        yield from () if one_rule is None else beats_one_rule(best, one_rule, criterion)
    probable = (each for each in evaluations if each.answers == "probabilities")
    yield from posteriors(map(sureness, probable) if sure is None else sure)
    yield from _of_the_answers(best, criterion)


def checks_of_regressors(
    evaluations: Sequence[NumberEvaluation],
    standings: Sequence[Standing],
    table: Table,
    suspicious: Sequence[Suspicion] | None = None,
) -> Iterator[Check]:
    """Yield those of the table and those of the best regressor."""
    mean = next((each for each in evaluations if each.key == "mean"), None)
    yield from _of_numbers(table)
    yield from perfect_columns(table, suspicious)
    yield from beats_mean(standings[0].evaluation, mean, _corrected(standings, "mean"), standings[0].criterion)
    yield from _of_predicted_numbers(standings[0].evaluation)


def _corrected(standings: Sequence[Standing], key: str) -> float | None:
    """Return the corrected p-value of the best learner against the baseline, if that is the learner with this key."""
    best = standings[0]
    baseline = next((each.evaluation for each in standings if each.evaluation.name == best.baseline), None)
    return best.corrected_p_baseline if baseline is not None and baseline.key == key else None


def checks_of_regression(evaluation: NumberEvaluation) -> Iterator[Check]:
    """Yield the checks of one regressor."""
    if evaluation.context is not None and not evaluation.is_fitted:
        yield from _of_numbers(evaluation.context.table)
    yield from beats_mean(evaluation)
    yield from _of_predicted_numbers(evaluation)


def _of_predicted_numbers(best: NumberEvaluation) -> Iterator[Check]:
    yield from odd_fold_of_numbers(best)
    yield from duplicates_of_numbers(best)
    if not best.is_baseline and one_more_fit_is_little(best):
        yield from _unless_it_fails(best, optimistic_errors(best))


def _unless_it_fails(best: EvaluationBase, checks: Iterator[Check]) -> Iterator[Check]:
    """Yield checks that fit the best learner to all rows, or that this cannot be done: the others were compared."""
    try:
        yield from checks
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is, it is named)
        yield Check(
            "not-fitted",
            "warning",
            f"{best.beginning} was tested, but cannot be fitted to all rows: {Failure(0, best.name, error).words}.",
            "Train another learner, or this one with other parameters or fewer rows.",
        )


def _of_numbers(table: Table) -> Iterator[Check]:
    """Yield the warnings of reading; that the target holds no classes is what a regressor needs."""
    return (check for check in data_checks(table) if check.code != "target")


def checks_of_evaluation(evaluation: Evaluation, *, of_data: bool = True) -> Iterator[Check]:
    """Yield the checks of one learner; 1R is tested beside it where the rows are known and not too many."""
    context = evaluation.context
    if context is not None:
        yield from data_checks(context.table) if of_data else ()
        yield from perfect_columns(context.table)
    if not _aims_elsewhere(evaluation, BY_ACCURACY):
        yield from beats_majority(evaluation)
        one_rule = None if evaluation.is_baseline or evaluation.key == "1r" else _one_rule(evaluation)
        yield from () if one_rule is None else beats_one_rule(evaluation, one_rule)
    yield from posteriors([sureness(evaluation)]) if evaluation.answers == "probabilities" else ()
    yield from _of_the_answers(evaluation, None)


def _of_the_answers(best: Evaluation, criterion: Criterion | None) -> Iterator[Check]:
    costs = criterion.costs if isinstance(criterion, ByCost) else None
    yield from balanced_beforehand(best)
    yield from useless_accuracy(best)
    # Each fold of a learner that draws a balanced sample draws its own: folds then differ by more than their rows.
    yield from () if _draws_rows(best) else odd_fold(best)
    yield from class_without_recall(best)
    yield from duplicates_across_folds(best)
    if not best.is_baseline and one_more_fit_is_little(best):
        yield from _unless_it_fails(best, optimistic_gap(best, costs))
    yield from unsteady_root(best)


def _aims_elsewhere(evaluation: Evaluation, criterion: Criterion) -> bool:
    """Return True for balanced answers that would be held to their accuracy, which balancing lowers on purpose."""
    return criterion.of.name == BY_ACCURACY.of.name and answers_balanced(evaluation)


def _draws_rows(evaluation: Evaluation) -> bool:
    learner = None if evaluation.context is None else evaluation.context.learner
    while learner is not None and not hasattr(learner, "draws_rows"):
        learner = getattr(learner, "estimator", None)
    return learner is not None and bool(learner.draws_rows)


def one_more_fit_is_little(evaluation: EvaluationBase) -> bool:
    """Return True if a fit of all rows adds little: it is known, at least five were made, or the table is small."""
    context, folds = evaluation.context, len(np.unique(evaluation.out_of_fold.fold))
    if evaluation.bootstrap is not None or folds >= 5 or context is None:
        return True
    return len(context.table) * len(context.table.schema.features) <= MOST_CELLS


def _one_rule(evaluation: Evaluation) -> Evaluation | None:
    context = evaluation.context
    if context is None or not context.table.in_memory:
        return None
    folds = len(np.unique(evaluation.out_of_fold.fold))
    if len(context.table) * len(context.table.schema.features) * folds > MOST_CELLS:
        return None
    data, learner = context.data, OneRuleClassifier()
    if isinstance(data, TestTable):
        return class_evaluation(test_table.run_learner(learner, replace(data, arrays=None)), evaluation.positive)
    if context.plan is None:
        return None
    rounds = context.plan.rounds(context.table.target, context.table.schema.classes)
    outcome = memory.run_learner(learner, InMemory(context.table), rounds, context.plan)
    return class_evaluation(outcome, evaluation.positive)
