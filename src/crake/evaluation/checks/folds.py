"""An odd fold, and classes of which no row is recognised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import gammaln

from crake.evaluation.checks.rare_classes import rows_of_learned
from crake.evaluation.result.classification import Evaluation
from crake.render.check import Check
from crake.render.format_numbers import percent

LEVEL = 0.01
"""Chance that folds dealt out at random hold an odd one."""
MOST_FOLDS = 100
FEWEST_ROWS = 5
"""Rows that a fold must have: leave-one-out has no odd folds."""


def odd_fold(evaluation: Evaluation) -> Iterator[Check]:
    """One fold's accuracy far from that of the others: the exact test of two shares, corrected for all folds.

    Right answers in a fold, given those of all rows, are hypergeometric; p is twice the smaller tail, times the number
    of folds. False alarms: at most 1 % where rows are dealt out at random. Of a repeated plan the first round is taken.
    """
    part = next(iter(evaluation.by_repeat())) if evaluation.out_of_fold.repeats > 1 else evaluation
    folds, place = np.unique(part.out_of_fold.fold, return_inverse=True)
    n = np.bincount(place).astype(np.float64)
    if not 2 <= len(folds) <= MOST_FOLDS or n.min() < FEWEST_ROWS:
        return
    right = np.bincount(place, weights=part.correct)
    p = np.minimum(
        1.0, len(folds) * np.array([two_sided(r, m, right.sum(), n.sum()) for r, m in zip(right, n, strict=True)])
    )
    odd = int(np.argmin(p))
    if p[odd] >= LEVEL:
        return
    others = (right.sum() - right[odd]) / (n.sum() - n[odd])
    p_words = "< 0.001" if p[odd] < 0.001 else f"= {p[odd]:.3f}"
    yield Check(
        "odd-fold",
        "warning",
        f"Fold {int(folds[odd]) + 1} of {len(folds)} is odd: {evaluation.name} is right in "
        f"{percent(right[odd] / n[odd])} of its {int(n[odd]):,} rows and in {percent(others)} of the others "
        f"(p {p_words}, corrected for {len(folds)} folds).",
        "Look at its rows: another source, another time? crake.GroupedCrossValidation and crake.TimeOrdered keep such "
        "rows together.",
    )


def two_sided(k: float, n: float, K: float, N: float) -> float:
    """Twice the smaller tail of the hypergeometric distribution at k: n rows drawn from N of which K are right.

    >>> round(two_sided(0, 5, 5, 10), 6)                                           # 2 · 1 / C(10, 5)
    0.007937
    """
    support = np.arange(max(0, int(n + K - N)), int(min(n, K)) + 1)
    logs = _log_choose(K, support) + _log_choose(N - K, n - support) - _log_choose(N, n)
    P = np.exp(logs)
    return float(min(1.0, 2 * min(P[support <= k].sum(), P[support >= k].sum())))


def class_without_recall(evaluation: Evaluation) -> Iterator[Check]:
    """Classes of which not one row was recognised; with few rows that may be chance, and the interval says so.

    Classes that only test rows have could not be found; a warning on reading says so.
    """
    confusion = evaluation.confusion
    totals = confusion.actual_totals
    missed = [c for c in np.flatnonzero(rows_of_learned(evaluation)).tolist() if confusion.counts[c, c] == 0]
    if not missed or evaluation.is_baseline:
        return
    what = "class" if len(missed) == 1 else "classes"
    labels = sorted(missed, key=lambda c: -totals[c])
    named = ", ".join(_of_class(evaluation, c) for c in labels[:3]) + (
        f" and {len(labels) - 3} more" if len(labels) > 3 else ""
    )
    yield Check(
        "class-never-found",
        "warning",
        f"{evaluation.beginning} never finds {what} {named}.",
        "Accuracy hides it: look at recall, give costs (cost=), move the cutoff (positive=), or find more rows of it.",
    )


def _of_class(evaluation: Evaluation, code: int) -> str:
    label = evaluation.classes[code]
    rows = evaluation.confusion.actual_totals[code] / evaluation.out_of_fold.repeats
    interval = evaluation.confusion.recall(label).interval
    up_to = "" if interval is None else f", recall at most {interval[1]:.2f}"
    return f"{str(label)!r} ({rows:,.0f} {'row' if rows == 1 else 'rows'}{up_to})"


def _log_choose(n: float, k: Any) -> Any:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
