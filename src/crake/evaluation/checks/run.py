"""All checks of an evaluation or a comparison. What costs another fit is decided by sizes, never by a clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from crake.evaluation.checks.baselines import beats_majority, beats_one_rule
from crake.evaluation.checks.duplicates_across_folds import twins_across_folds
from crake.evaluation.checks.folds import never_found, odd_fold
from crake.evaluation.checks.leaking_columns import data_checks, perfect_columns
from crake.evaluation.checks.overconfidence import posteriors
from crake.evaluation.checks.overfitting import optimistic_gap
from crake.evaluation.checks.unstable_root import unsteady_root
from crake.evaluation.comparison.criterion import ByCost, Criterion
from crake.evaluation.comparison.standing import Standing
from crake.evaluation.evaluate import evaluate_on
from crake.evaluation.protocol.test_table import Supplied, evaluate_supplied
from crake.evaluation.result.classification import Evaluation
from crake.learners.one_rule import OneRuleClassifier
from crake.render.check import Check
from crake.table.table import Table

MOST_CELLS = 5_000_000
"""Rows × columns × folds up to which 1R is tested beside a learner that was evaluated alone."""


def checks_of_comparison(
    evaluations: Sequence[Evaluation], standings: Sequence[Standing], table: Table
) -> Iterator[Check]:
    """Those of the table, those of the best learner, and those of all learners together."""
    best, criterion = standings[0].evaluation, standings[0].criterion
    baselines = {each.name: each for each in evaluations if each.is_baseline}
    majority = next((each for name, each in baselines.items() if name.startswith("majority")), None)
    one_rule = next((each for name, each in baselines.items() if name.startswith("1R")), None)
    yield from data_checks(table)
    yield from perfect_columns(table)
    yield from beats_majority(best, majority, criterion)
    yield from () if one_rule is None else beats_one_rule(best, one_rule, criterion)
    yield from posteriors(evaluations)
    yield from _of_the_answers(best, criterion)


def checks_of_evaluation(evaluation: Evaluation, *, of_data: bool = True) -> Iterator[Check]:
    """The same of one learner; 1R is tested beside it where the rows are known and not too many."""
    context = evaluation.context
    if context is not None:
        yield from data_checks(context.table) if of_data else ()
        yield from perfect_columns(context.table)
    yield from beats_majority(evaluation)
    one_rule = None if evaluation.is_baseline else _one_rule(evaluation)
    yield from () if one_rule is None else beats_one_rule(evaluation, one_rule)
    yield from posteriors([evaluation]) if evaluation.answers == "probabilities" else ()
    yield from _of_the_answers(evaluation, None)


def _of_the_answers(best: Evaluation, criterion: Criterion | None) -> Iterator[Check]:
    costs = criterion.costs if isinstance(criterion, ByCost) else None
    yield from odd_fold(best)
    yield from never_found(best)
    yield from twins_across_folds(best)
    if not best.is_baseline and one_more_fit_is_little(best):
        yield from optimistic_gap(best, costs)
    yield from unsteady_root(best)


def one_more_fit_is_little(evaluation: Evaluation) -> bool:
    """Whether a fit of all rows adds little: it is known already, at least five were made, or the table is small."""
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
    table, learner = context.table, OneRuleClassifier()
    if context.tested is not None:
        return evaluate_supplied(learner, table, Supplied(context.tested), positive=evaluation.positive)[0]
    rounds = context.plan.rounds(table.target, table.schema.classes)
    return evaluate_on(learner, table, rounds, plan=context.plan, positive=evaluation.positive)
