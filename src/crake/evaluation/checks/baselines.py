"""Baselines: does a learner beat one prediction for all rows, and one rule on one column?"""

from __future__ import annotations

from collections.abc import Iterator

from crake.evaluation.comparison.criterion import BY_ACCURACY, BY_RMSE, Criterion
from crake.evaluation.comparison.standing import LEVEL, p_text
from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.constant import constant_answer, constant_number
from crake.evaluation.result.regression import NumberEvaluation
from crake.render.check import Check
from crake.render.format_numbers import amount


def beats_majority(
    best: Evaluation, majority: Evaluation | None = None, criterion: Criterion = BY_ACCURACY
) -> Iterator[Check]:
    """Check that the best learner is shown to beat the most frequent class, by the paired test of the comparison.

    It speaks where that is not shown at 5 %; a learner that is truly no better is let through in 2.5 % of all tables.
    """
    constant = majority or constant_answer(best)
    if best.name == constant.name or _is_better(best, constant, criterion):
        return
    p = p_text(criterion.p_value(best, constant))
    yield Check(
        "not-above-majority",
        "warning",
        f"{_capital(best.name)} {_stands(best, constant, criterion)} one answer to all rows: "
        f"{_figures(best, constant, criterion)} (p {p}).",
        "The columns may say nothing about the target, or rows may be too few: more rows, other columns, or costs.",
    )


def beats_one_rule(best: Evaluation, one_rule: Evaluation, criterion: Criterion = BY_ACCURACY) -> Iterator[Check]:
    """Check that the best learner is shown to beat 1R; 1R itself and the majority class need not."""
    if best.is_baseline or _is_better(best, one_rule, criterion):
        return
    p = p_text(criterion.p_value(best, one_rule))
    yield Check(
        "not-above-1r",
        "note",
        f"{_capital(best.name)} {_stands(best, one_rule, criterion)} 1R, a rule on one column: "
        f"{_figures(best, one_rule, criterion)} (p {p}).",
        "1R is easier to explain, and may do.",
    )


def beats_mean(best: NumberEvaluation, mean: NumberEvaluation | None = None) -> Iterator[Check]:
    """Check that the best regressor is shown to beat the mean, by the paired test on squared errors."""
    constant = mean or constant_number(best)
    if best.key == "mean" or _is_better(best, constant, BY_RMSE):
        return
    p = p_text(BY_RMSE.p_value(best, constant))
    yield Check(
        "not-above-mean",
        "warning",
        f"{_capital(best.name)} {_stands(best, constant, BY_RMSE)} the mean for all rows: RMSE "
        f"{amount(float(best.rmse))} against {amount(float(constant.rmse))} (p {p}).",
        "The columns may say nothing about the target, or rows may be too few: more rows, or other columns.",
    )


def _is_better(best: EvaluationBase, other: EvaluationBase, criterion: Criterion) -> bool:
    return criterion.rank(best) > criterion.rank(other) and criterion.p_value(best, other) < LEVEL


def _stands(best: EvaluationBase, other: EvaluationBase, criterion: Criterion) -> str:
    is_worse = criterion.rank(best) < criterion.rank(other) and criterion.p_value(best, other) < LEVEL
    return "does worse than" if is_worse else "is not shown to do better than"


def _figures(best: Evaluation, other: Evaluation, criterion: Criterion) -> str:
    return f"{criterion.name} {criterion.measure(best):.3f} against {criterion.measure(other):.3f}"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
