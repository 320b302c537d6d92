"""Checks of predicted numbers: an odd fold, duplicates between folds, and rows learned by heart."""

from __future__ import annotations

from collections.abc import Iterator
from math import erfc

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.evaluation.checks.duplicates_across_folds import DUPLICATES_ADVICE, SHARE, rows_with_duplicates
from crake.evaluation.checks.folds import LEVEL, MOST_FOLDS
from crake.evaluation.checks.overfitting import FACTOR, advice_on_gap
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.predictions import PredictedValues
from crake.metrics.regression import RMSE
from crake.metrics.significance.ranks import average_ranks
from crake.render.check import Check
from crake.render.format_numbers import amount

FEWEST_ROWS = 8
"""Rows that a fold must have for the ranks of its errors to say something."""
MUCH = 1.05
"""Errors of rows without a duplicate over those of all rows, from which it is worth a word."""
DUPLICATES_LEVEL = 0.001


def odd_fold_of_numbers(evaluation: NumberEvaluation) -> Iterator[Check]:
    """One fold's errors far from those of the others: ranks of their sizes, corrected for all folds.

    False alarms: at most 1 % where rows are dealt out at random. Of a repeated plan the first round is taken.
    """
    part = next(iter(evaluation.out_of_fold.by_repeat()))
    folds, place, n = np.unique(part.fold, return_inverse=True, return_counts=True)
    if not 2 <= len(folds) <= MOST_FOLDS or n.min() < FEWEST_ROWS:
        return
    errors = np.abs(part.predicted - part.actual)
    p = np.minimum(1.0, len(folds) * np.array([of_ranks(errors, place == k) for k in range(len(folds))]))
    odd = int(np.argmin(p))
    if p[odd] >= LEVEL:
        return
    own, others = float(errors[place == odd].mean()), float(errors[place != odd].mean())
    p_words = "< 0.001" if p[odd] < 0.001 else f"= {p[odd]:.3f}"
    yield Check(
        "odd-fold",
        "warning",
        f"Fold {int(folds[odd]) + 1} of {len(folds)} is odd: the mean error of {evaluation.name} is {amount(own, 3)} "
        f"in its {n[odd]:,} rows and {amount(others, 3)} in the others (p {p_words}, "
        f"corrected for {len(folds)} folds).",
        "Look at its rows: another source, another time? crake.GroupedCrossValidation and crake.TimeOrdered keep such "
        "rows together.",
    )


def duplicates_of_numbers(evaluation: NumberEvaluation) -> Iterator[Check]:
    """Check that small errors do not rest on duplicates: rows equal to a row learned from, but for target and ids."""
    has_duplicate = rows_with_duplicates(evaluation)
    if has_duplicate is None or has_duplicate.mean() < SHARE:
        return
    part = next(iter(evaluation.out_of_fold.by_repeat()))
    errors = np.abs(part.predicted - part.actual)
    if has_duplicate.all():
        text = "Every tested row has a twin among the rows learned from."
        yield Check("twins-across-folds", "warning", text, DUPLICATES_ADVICE)
        return
    overall, without = float(errors.mean()), float(errors[~has_duplicate].mean())
    if without < MUCH * overall or of_ranks(errors, has_duplicate) >= DUPLICATES_LEVEL:
        return
    yield Check(
        "twins-across-folds",
        "warning",
        f"{int(has_duplicate.sum()):,} of {len(errors):,} tested rows have a twin, equal in every column, among the "
        f"rows learned from: the mean error of {evaluation.name} is "
        f"{amount(float(errors[has_duplicate].mean()), 3)} in them and {amount(without, 3)} in the others.",
        DUPLICATES_ADVICE,
    )


def optimistic_errors(evaluation: NumberEvaluation) -> Iterator[Check]:
    """Errors in the rows learned from against those in new rows; it costs one more fit.

    It speaks where the RMSE is twice as large in new rows, and that of the rows learned from lies below its interval.
    """
    honest, training = evaluation.rmse, training_rmse(evaluation)
    if training is None or honest.value is None or honest.interval is None:
        return
    if training >= honest.interval[0] or honest.value < FACTOR * training:
        return
    yield Check(
        "optimistic-gap",
        "note",
        f"{evaluation.beginning} has an RMSE of {amount(training, 3)} in the rows it learned from and of "
        f"{amount(honest.value, 3)} in new ones: it learns rows by heart.",
        advice_on_gap(evaluation.key),
    )


def training_rmse(evaluation: NumberEvaluation) -> float | None:
    """Return the RMSE in the rows learned from; None for a fitted model, a scan, or a learner of another library."""
    context = evaluation.context
    if context is None or evaluation.is_fitted or not context.table.in_memory or context.tested is not None:
        return None
    fitted = evaluation.fitted()
    if fitted is None:
        return None
    model, arrays = fitted[0], context.arrays
    y = np.asarray(context.table.column(context.table.schema.target or "") if arrays is None else arrays.y, np.float64)
    predicted = np.asarray(model.predict(context.table if arrays is None else arrays.X), np.float64)
    known = ~np.isnan(y)
    weights = np.ones(int(known.sum())) if context.table.weights is None else context.table.weights[known]
    return float(RMSE.value(PredictedValues(y[known], predicted[known], weights)))


def of_ranks(errors: Floats, is_in: NDArray[np.bool_]) -> float:
    """Return the two-sided p-value of Wilcoxon's rank sum test, normal approximation with ties and continuity.

    >>> errors, first = np.arange(20.0), np.arange(20) < 8
    >>> round(of_ranks(errors, first), 5), of_ranks(np.ones(20), first)
    (0.00025, 1.0)
    """
    n, N = int(is_in.sum()), len(errors)
    ranks = average_ranks(errors)
    _, times = np.unique(errors, return_counts=True)
    variance = n * (N - n) / 12 * (N + 1 - float((times**3 - times).sum()) / (N * (N - 1)))
    if variance <= 0:
        return 1.0
    away = abs(float(ranks[is_in].sum()) - n * (N + 1) / 2) - 0.5
    return float(erfc(max(away, 0.0) / np.sqrt(2 * variance)))
