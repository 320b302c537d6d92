"""Rare classes: an accuracy that says nothing, and tables that were balanced before they were dealt to folds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crake.arrays import Floats
from crake.evaluation.checks.interpolated_rows import interpolated_class
from crake.evaluation.comparison.choice import RARE
from crake.evaluation.result.classification import Evaluation
from crake.learners.meta.balance import Balanced
from crake.render.check import Check
from crake.render.format_numbers import percent
from crake.render.plain_text import shown
from crake.table.describe.duplicates import kinds_of_rows
from crake.table.describe.ids import id_like_columns
from crake.table.schema import Label
from crake.table.table import Table

NEAR = 0.2
"""The part of the errors of always answering the most frequent class that an accuracy must do without."""
FEWEST, COPIED, ELSEWHERE = 20, 0.3, 0.1
"""The least number of copies in a class, their least share of it, and their largest share of the other classes."""
MEASURED = 10
"""Rows of a class from which a table of its measures says something."""
FILLED = 1.1
"""A class that was filled up has at most this many times the rows of the largest other class."""
GROWTH = 1.4
"""The class has at least this many times the share that it has without copies."""


def rarest_class(totals: Floats) -> int | None:
    """Return the code of the rarest class if it is rare: below 0.4 / K of the rows; None otherwise.

    >>> rarest_class(np.array([970.0, 30.0])), rarest_class(np.array([60.0, 40.0]))
    (1, None)
    """
    present = np.flatnonzero(totals)
    if len(present) < 2:
        return None
    rarest = int(present[np.argmin(totals[present])])
    return rarest if totals[rarest] / totals.sum() < RARE / len(present) else None


def rare_class_to_measure(totals: Floats) -> int | None:
    """Return the rarest class with enough rows to measure it, if it is rare; if none has enough, the rarest.

    >>> rare_class_to_measure(np.array([3481.0, 194.0, 95.0, 2.0])), rare_class_to_measure(np.array([99.0, 2.0]))
    (2, 1)
    """
    found = rarest_class(np.where(totals >= MEASURED, totals, 0.0))
    return rarest_class(totals) if found is None else found


def answers_balanced(evaluation: Evaluation) -> bool:
    """Return True if the learner, or one within it, answers as among balanced classes: accuracy is not its aim."""
    learner = None if evaluation.context is None else evaluation.context.learner
    while learner is not None and not isinstance(learner, Balanced):
        learner = getattr(learner, "estimator", None)
    return learner is not None and learner.decision == "balanced"


def rows_of_learned(evaluation: Evaluation) -> Floats:
    """Return the tested rows of each class, 0 of classes that were not among the rows learned from."""
    totals, context = evaluation.confusion.actual_totals.copy(), evaluation.context
    if context is not None and context.tested is not None:
        totals[len(context.table.schema.classes) :] = 0.0
    elif evaluation.is_fitted and evaluation.learner is not None:
        totals[len(evaluation.learner.classes_) :] = 0.0
    return totals


def useless_accuracy(evaluation: Evaluation) -> Iterator[Check]:
    """Check that an accuracy is more than the share of the most frequent class, where another class is rare.

    It speaks where a learner makes more than 80 % of the errors of always answering the most frequent class. It says
    nothing about a learner that answers as among balanced classes.
    """
    totals = rows_of_learned(evaluation)
    rarest, accuracy = rarest_class(totals), evaluation.accuracy.value
    if rarest is None or accuracy is None or evaluation.is_baseline or answers_balanced(evaluation):
        return
    largest = int(np.argmax(totals))
    share = float(totals[largest] / totals.sum())
    if accuracy - share > NEAR * (1 - share):
        return
    rare, often = evaluation.classes[rarest], evaluation.classes[largest]
    repeats = evaluation.out_of_fold.repeats
    found, rows = evaluation.confusion.counts[rarest, rarest] / repeats, totals[rarest] / repeats
    yield Check(
        "accuracy-of-majority",
        "warning",
        f"Always answering {shown(often, 30)!r} is {percent(share)} accurate and useless: {evaluation.name} is right "
        f"in {percent(accuracy)} of the rows and finds {found:,.0f} of {rows:,.0f} rows of {shown(rare, 30)!r}.",
        "Look at average precision, cost and lift; --balance, a cutoff or costs find more of them.",
    )


def balanced_beforehand(evaluation: Evaluation) -> Iterator[Check]:
    """Check that no class was filled up before rows were dealt to folds, with copies or with rows between others.

    It speaks where rows of one class repeat each other, at least 30 % of them and 20 rows, those of the other classes
    at most in 10 %, the class would be much rarer without its copies, and another class is about as large. It also
    speaks where at least 30 % of the rows of a class lie exactly between two others of it, as SMOTE makes them, and in
    another class at most 10 %.
    """
    context = evaluation.context
    if context is None or not context.table.in_memory or not context.table.schema.features:
        return
    if found := copied_class(context.table):
        label, copies, rows, elsewhere = found
        yield _filled(
            f"{copies:,} of {rows:,} rows of class {shown(label, 30)!r} are copies of other rows of it, of the other "
            f"classes {percent(elsewhere)}. Copies of a row that is tested were learned",
            "over",
            "Oversample",
        )
    elif made := interpolated_class(context.table):
        label, share, rows = made
        yield _filled(
            f"about {percent(share)} of the {rows:,} rows of class {shown(label, 30)!r} lie exactly between two other "
            "rows of it, as SMOTE makes them. Rows made from a row that is tested were learned",
            "smote",
            "SMOTE",
        )


def _filled(found: str, name: str, sampler: str) -> Check:
    return Check(
        "balanced-beforehand",
        "warning",
        f"The table was balanced before it was split: {found}, so that recall and all other figures are too good.",
        f"Give the table as it was, and balance within each training part: --balance {name}, or "
        f"crake.Balanced(learner, crake.{sampler}()).",
    )


def copied_class(table: Table) -> tuple[Label, int, int, float] | None:
    """Return the class that was filled up with copies: its label, copies, rows, and the share of copies elsewhere."""
    known = np.flatnonzero(table.target >= 0)
    target, classes = table.target[known], len(table.schema.classes)
    kinds = kinds_of_rows(table, id_like_columns(table))[known].astype(np.int64) * classes + target
    _, first = np.unique(kinds, return_index=True)
    rows = np.bincount(target, minlength=classes)
    copies = rows - np.bincount(target[first], minlength=classes)
    code = int(np.argmax(np.where(rows > 0, copies / np.maximum(rows, 1), 0.0)))
    others = rows.sum() - rows[code]
    if copies[code] < FEWEST or copies[code] < COPIED * rows[code] or others == 0:
        return None
    if rows[code] > FILLED * np.delete(rows, code).max():  # nobody fills up the largest class
        return None
    elsewhere = float((copies.sum() - copies[code]) / others)
    before, now = (rows - copies)[code] / (rows - copies).sum(), rows[code] / rows.sum()
    if elsewhere > ELSEWHERE or now < GROWTH * before:
        return None
    return table.schema.classes[code], int(copies[code]), int(rows[code]), elsewhere
