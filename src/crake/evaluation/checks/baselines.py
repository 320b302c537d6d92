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
    best: Evaluation,
    majority: Evaluation | None = None,
    criterion: Criterion = BY_ACCURACY,
    p: float | None = None,
) -> Iterator[Check]:
    """Check that the best learner is shown to beat the most frequent class, by the paired test of the comparison.

    It speaks where that is not shown at 5 %. `p` is the p-value corrected for all comparisons; without it that of the
    one test counts, by which a learner that is truly no better is let through in 2.5 % of all tables.
    """
    constant = majority or constant_answer(best)
    p = criterion.p_value(best, constant) if p is None else p
    if best.name == constant.name or _is_better(best, constant, criterion, p):
        return
    yield Check(
        "not-above-majority",
        "warning",
        f"{_capital(best.name)} {_stands(best, constant, criterion, p)} one answer to all rows: "
        f"{_figures(best, constant, criterion)} (p {p_text(p)}).",
        "The columns may say nothing about the target, or rows may be too few: more rows, other columns, or costs.",
    )


def beats_one_rule(best: Evaluation, one_rule: Evaluation, criterion: Criterion = BY_ACCURACY) -> Iterator[Check]:
    """Check that the best learner is shown to beat 1R; 1R itself and the majority class need not."""
    p = criterion.p_value(best, one_rule)
    if best.is_baseline or _is_better(best, one_rule, criterion, p):
        return
    yield Check(
        "not-above-1r",
        "note",
        f"{_capital(best.name)} {_stands(best, one_rule, criterion, p)} 1R, a rule on one column: "
        f"{_figures(best, one_rule, criterion)} (p {p_text(p)}).",
        "1R is easier to explain, and may do.",
    )


def beats_mean(best: NumberEvaluation, mean: NumberEvaluation | None = None, p: float | None = None) -> Iterator[Check]:
    """Check that the best regressor is shown to beat the mean, by the paired test on squared errors.

    `p` is the p-value corrected for all comparisons; without it that of the one test counts.
    """
    constant = mean or constant_number(best)
    p = BY_RMSE.p_value(best, constant) if p is None else p
    if best.key == "mean" or _is_better(best, constant, BY_RMSE, p):
        return
    yield Check(
        "not-above-mean",
        "warning",
        f"{_capital(best.name)} {_stands(best, constant, BY_RMSE, p)} the mean for all rows: RMSE "
        f"{amount(float(best.rmse))} against {amount(float(constant.rmse))} (p {p_text(p)}).",
        "The columns may say nothing about the target, or rows may be too few: more rows, or other columns.",
    )


def _is_better(best: EvaluationBase, other: EvaluationBase, criterion: Criterion, p: float) -> bool:
    return criterion.rank(best) > criterion.rank(other) and p < LEVEL


def _stands(best: EvaluationBase, other: EvaluationBase, criterion: Criterion, p: float) -> str:
    is_worse = criterion.rank(best) < criterion.rank(other) and p < LEVEL
    return "does worse than" if is_worse else "is not shown to do better than"


def _figures(best: Evaluation, other: Evaluation, criterion: Criterion) -> str:
    return f"{criterion.name} {criterion.measure(best):.3f} against {criterion.measure(other):.3f}"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
