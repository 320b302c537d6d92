"""Columns that know too much: one that tells the target almost without error."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import numpy as np

from crake.learners.base.training_rows import present_rows
from crake.learners.one_rule import OneRuleClassifier
from crake.render.check import Check
from crake.render.format_numbers import percent
from crake.table.describe.warnings import coded_warnings, is_copy, is_id_like, named
from crake.table.table import Table

ERRORS = 0.01
"""One rule on a suspicious column errs in at most this share of the rows."""
BASE = 0.1
"""And the majority class errs in at least this share: otherwise being right is no surprise."""
ROWS_A_VALUE = 10
"""A column with fewer rows for each of its values learns them by heart."""
MOST_ROWS = 20_000
"""Rows sampled from a larger table: a column that is nearly perfect is so in the sample, too."""

_TO_DO = {
    "constant-column": "Nothing is lost by leaving it out.",
    "rare-class": "Give costs, or find more rows of it.",
    "repeated-rows": "Drop them if they are the same thing twice; keep them if different things look alike.",
    "text-column": "Words are for learners of text.",
    "target": "Look at the column that is predicted.",
}


def perfect_columns(table: Table) -> Iterator[Check]:
    """1R on each column alone; copies of the target and ids, which reading warns of, are not named again.

    No test of significance: a column may honestly be that good.
    """
    if not table.in_memory or len(table) < ROWS_A_VALUE:
        return
    rows = present_rows(table)
    model = OneRuleClassifier().fit(rows if len(rows) <= MOST_ROWS else rows.sample(MOST_ROWS, 1))
    n = float(model.class_count_.sum())
    if 1 - float(model.class_count_.max()) / n < BASE:
        return
    perfect = [
        (rules.column.name, rules.errors)
        for rules in model.rules_
        if rules.errors <= ERRORS * n
        and np.count_nonzero(rules.counts.sum(axis=1)) * ROWS_A_VALUE <= n
        and not (is_copy(table, rules.column) or is_id_like(table, rules.column))
    ]
    if not perfect:
        return
    names = [name for name, _ in perfect]
    right = percent(1 - max(errors for _, errors in perfect) / n)
    alone = "alone tells" if len(names) == 1 else "each alone tell"
    yield Check(
        "perfect-column",
        "warning",
        f"{named(names)} {alone} the target in {right} of the rows or more: was that known before the answer was?",
        f"If not, leave it out: {' '.join(f'--ignore {shlex.quote(name)}' for name in names[:5])}",
    )


DATA = ("target", "copy-of-target", "id-column", "constant-column", "rare-class", "repeated-rows", "text-column")
"""The codes of what reading warns of: shown as warnings about the table, not once more among the checks."""


def data_checks(table: Table) -> Iterator[Check]:
    """Yield the warnings of reading with their codes; a scanned table was looked at while it was compared."""
    if not table.in_memory:
        return
    for code, sentence in coded_warnings(table):
        sentence_start, leave, columns = sentence.partition(". Leave ")
        what = f"Leave {columns}" if leave else _TO_DO.get(code, "")
        yield Check(code, "warning", f"{sentence_start[:1].upper()}{sentence_start[1:]}.", what)
