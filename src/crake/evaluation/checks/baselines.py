"""Baselines: does a learner beat one prediction for all rows, and one rule on one column?"""

from __future__ import annotations

import math
from collections.abc import Iterator

from crake.evaluation.comparison.criterion import BY_ACCURACY, BY_RMSE, Criterion
from crake.evaluation.comparison.influence import ByAUC
from crake.evaluation.comparison.standing import LEVEL, p_text
from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.constant import constant_answer, constant_number
from crake.evaluation.result.regression import NumberEvaluation
from crake.render.check import Check
from crake.render.format_numbers import amount

MUCH = 0.1
"""The part of the baseline's errors that a learner could remove, by its interval: with more, rows may be too few."""


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
    if best.name == constant.name or p is None or _is_better(best, constant, criterion, p):
        return
    yield Check(
        "not-above-majority",
        "warning",
        f"{best.beginning} {_stands(best, constant, criterion, p)} one answer to all rows: "
        f"{_figures(best, constant, criterion)} (p {p_text(p)}).",
        _rank_advice(best, criterion) or _interval_advice(best, constant, criterion, "other columns, or costs"),
    )


def beats_one_rule(best: Evaluation, one_rule: Evaluation, criterion: Criterion = BY_ACCURACY) -> Iterator[Check]:
    """Check that the best learner is shown to beat 1R; 1R itself and the majority class need not."""
    p = criterion.p_value(best, one_rule)
    if best.is_baseline or best.key == one_rule.key or p is None or _is_better(best, one_rule, criterion, p):
        return
    yield Check(
        "not-above-1r",
        "note",
        f"{best.beginning} {_stands(best, one_rule, criterion, p)} 1R, a rule on one column: "
        f"{_figures(best, one_rule, criterion)} (p {p_text(p)}).",
        "1R is easier to explain, and may do.",
    )


def beats_mean(
    best: NumberEvaluation,
    mean: NumberEvaluation | None = None,
    p: float | None = None,
    criterion: Criterion = BY_RMSE,
) -> Iterator[Check]:
    """Check that the best regressor is shown to beat the mean, by the paired test of the comparison.

    `p` is the p-value corrected for all comparisons; without it that of the one test counts.
    """
    constant = mean or constant_number(best)
    p = criterion.p_value(best, constant) if p is None else p
    if best.key == "mean" or p is None or _is_better(best, constant, criterion, p):
        return
    figures = (amount(float(criterion.measure(each))) for each in (best, constant))
    yield Check(
        "not-above-mean",
        "warning",
        f"{best.beginning} {_stands(best, constant, criterion, p)} the mean for all rows: {criterion.name} "
        f"{' against '.join(figures)} (p {p_text(p)}).",
        _interval_advice(best, constant, criterion, "other columns"),
    )


def _rank_advice(best: Evaluation, criterion: Criterion) -> str:
    """Return what to do if the scores rank rows though the predictions are no better; "" if that is not shown."""
    auc = ByAUC().measure(best)
    if criterion.of.name == "auc" or auc.low is None or auc.low <= 0.5:
        return ""
    return f"Its scores do rank the rows, AUC {auc!s}: choose a cutoff, give costs, or rank by it (--measure auc)."


def _interval_advice(best: EvaluationBase, other: EvaluationBase, criterion: Criterion, remedy: str) -> str:
    """Return what the interval of the learner supports: that rows are too few, or that the columns say nothing."""
    measure, base = criterion.measure(best), float(criterion.measure(other))
    interval, sign = measure.interval, criterion.of.sign
    limit = criterion.of.bounds[1] if sign > 0 else max(criterion.of.bounds[0], 0.0)
    if interval is None or not math.isfinite(limit):
        return f"The columns may say nothing about the target, or rows may be too few: more rows, {remedy}."
    reach = interval[1] if sign > 0 else interval[0]
    if sign * (reach - base) > MUCH * abs(limit - base):
        return f"Its interval reaches {amount(reach, 3)}: rows may be too few to show it. More rows, {remedy}."
    return f"Its interval ends at {amount(reach, 3)}: the columns may say nothing about the target. Try {remedy}."


def _is_better(best: EvaluationBase, other: EvaluationBase, criterion: Criterion, p: float) -> bool:
    return criterion.rank(best) > criterion.rank(other) and p < LEVEL


def _stands(best: EvaluationBase, other: EvaluationBase, criterion: Criterion, p: float) -> str:
    is_worse = criterion.rank(best) < criterion.rank(other) and p < LEVEL
    return "does worse than" if is_worse else "is not shown to do better than"


def _figures(best: Evaluation, other: Evaluation, criterion: Criterion) -> str:
    return f"{criterion.name} {criterion.measure(best):.3f} against {criterion.measure(other):.3f}"
