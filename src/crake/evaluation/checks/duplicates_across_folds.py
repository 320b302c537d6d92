"""Duplicates across folds: a tested row that equals a row learned from is not a new one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.checks.folds import two_sided
from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.metrics.intervals import wilson
from crake.plans.assignment import NEVER
from crake.render.check import Check
from crake.render.format_numbers import percent
from crake.table.convert.frames import encode
from crake.table.describe.duplicates import kinds_of_rows, row_hashes
from crake.table.describe.ids import id_like_columns
from crake.table.describe.warnings import named
from crake.table.schema import Kind
from crake.table.table import Table

SHARE, DROP = 0.01, 0.01
"""The least share of tested rows with a duplicate, and of accuracy lost without them, to be worth a word."""
MUCH = 0.05
"""A loss of this much is a warning."""
LEVEL = 0.001


def duplicates_across_folds(evaluation: Evaluation) -> Iterator[Check]:
    """Check that the accuracy does not rest on duplicates: rows equal to a row learned from, but for target and ids.

    It speaks where at least 1 % of the tested rows have a duplicate, the accuracy on the others is lower by a point or
    more, and chance explains that in less than 0.1 % of all tables (exact test of two shares). A bootstrap draws rows
    twice on purpose and is not looked at.
    """
    has_duplicate = rows_with_duplicates(evaluation)
    if has_duplicate is None or has_duplicate.mean() < SHARE:
        return
    right = evaluation.correct[: len(has_duplicate)]
    n, others = int(has_duplicate.sum()), int((~has_duplicate).sum())
    if others == 0:
        yield Check(
            "twins-across-folds",
            "warning",
            "Every tested row has a twin among the rows learned from.",
            DUPLICATES_ADVICE,
        )
        return
    without, overall = float(right[~has_duplicate].mean()), float(right.mean())
    p = two_sided(float(right[has_duplicate].sum()), n, float(right.sum()), len(right))
    if overall - without < DROP or p >= LEVEL:
        return
    of_duplicates = percent(float(right[has_duplicate].mean()))
    low, high = wilson(float(right[~has_duplicate].sum()), others)
    ids = [] if evaluation.context is None else id_like_columns(evaluation.context.table)
    but = f" but {named(ids)}" if ids else ""
    yield Check(
        "twins-across-folds",
        "warning" if overall - without >= MUCH else "note",
        f"{n:,} of {len(right):,} tested rows have a twin, equal in every column{but}, among the rows learned from: "
        f"{evaluation.name} is right in {of_duplicates} of them and in {percent(without)} "
        f"[{low:.3f}, {high:.3f}] of the others.",
        DUPLICATES_ADVICE,
    )


DUPLICATES_ADVICE = (
    "If they are the same thing twice, drop them or keep them in one fold: --plan grouped, or "
    "crake.GroupedCrossValidation(); if they are different things that look alike, all is well."
)


def rows_with_duplicates(evaluation: EvaluationBase) -> NDArray[np.bool_] | None:
    """Return True for each tested row of the first round that equals a row learned from; None if that is unknown."""
    context = evaluation.context
    if context is None or context.arrays is not None or evaluation.bootstrap is not None:
        return None
    table = context.table
    if not table.in_memory or not _compared(table):
        return None
    predictions = next(iter(evaluation.out_of_fold.by_repeat()))
    if context.tested is not None:
        return _in_another(table, context.tested)[predictions.rows]
    fold = np.full(len(table), NEVER, np.int64)
    fold[predictions.rows] = predictions.fold
    if np.any(predictions.training_rows[np.unique(predictions.fold)] != _learned(table, predictions.fold)):  # type: ignore[index]
        return None  # a fold learns from less than all the others: a sample, the past
    kind = kinds_of_rows(table, id_like_columns(table))
    known = _known(table)
    times = np.bincount(kind[known], minlength=kind.max() + 1)
    _, place, together = np.unique(kind * (fold.max() + 2) + fold + 1, return_inverse=True, return_counts=True)
    return np.asarray((times[kind] > together[place])[predictions.rows])


def _compared(table: Table) -> list[str]:
    """Return the columns that duplicates share; a new id does not make a row a new one."""
    ids = set(id_like_columns(table))
    return [column.name for column in table.schema.features if column.name not in ids]


def _learned(table: Table, fold: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rows outside each fold."""
    _, tested = np.unique(fold, return_counts=True)
    return np.asarray(int(_known(table).sum()) - tested, np.int64)


def _known(table: Table) -> NDArray[np.bool_]:
    """Return True for the rows whose target is known: a class, or a number."""
    target = table.schema.target
    if target is not None and table.schema[target].kind is Kind.NUMERIC:
        return ~np.isnan(np.asarray(table.column(target), np.float64))
    return np.asarray(table.target >= 0)


def _in_another(training: Table, test: Table) -> NDArray[np.bool_]:
    features = training.schema.select(_compared(training))
    learned = row_hashes(training, features.features)
    return np.isin(row_hashes(encode(test, features), features.features), learned)
