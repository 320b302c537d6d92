"""The first lines of a comparison: what may make its figures worthless comes before its praise."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from crake.evaluation.checks.interpolated_rows import interpolated_class
from crake.evaluation.checks.rare_classes import copied_class
from crake.plans import CrossValidation, Plan
from crake.render.description import FIRST_ROW
from crake.render.format_numbers import percent
from crake.render.leaderboard import Leaderboard
from crake.render.plain_text import shown
from crake.render.sentences import capital
from crake.table.describe.warnings import named
from crake.table.table import Table

LOUD = re.compile(r"(?P<share>[0-9.]+ % of the rows) \([0-9,]+\) repeat an earlier row")
"""The warning of many repeated rows."""
EARLY = re.compile(rf"{'|'.join(FIRST_ROW)}|left out: |.* failed and is left out: |.* go with each other one to one: ")
"""Notes that belong to the first lines begin so."""
MOST_EARLY = 3
"""Such notes in the first lines; more of them stay below."""
DAYS = 10
"""A column with fewer different dates does not order the rows."""


def with_lead(board: Leaderboard, table: Table, plan: Plan, measure_reason: str) -> Leaderboard:
    """Return the leaderboard with what matters right below its headline."""
    early = tuple(note for note in board.notes if EARLY.match(note))[:MOST_EARLY]
    lines = (
        *((measure_reason,) if measure_reason else ()),
        *(f"{capital(note)}." for note in early),
        *_balanced_beforehand(table, is_loud=any(map(LOUD.match, board.warnings))),
        *_repeated(board.warnings),
        *_ids(board.warnings),
        *_dates(table, plan),
    )
    return replace(board, lead=lines, notes=tuple(note for note in board.notes if note not in early))


def _repeated(warnings: Sequence[str]) -> Iterator[str]:
    for warning in warnings:
        if match := LOUD.match(warning):
            yield f"{match['share']} are repeats, learned and tested; --plan grouped prevents it."


def _balanced_beforehand(table: Table, *, is_loud: bool) -> Iterator[str]:
    """Yield the class that was filled up before the split. Copies are looked for where many rows are repeats."""
    target = table.schema.target
    if not table.in_memory or not table.schema.features or target is None or not table.schema[target].levels:
        return
    before = "The table was balanced before it was split"
    if is_loud and (found := copied_class(table)):
        label, copies, rows, _ = found
        yield (
            f"{before}: {copies:,} of {rows:,} rows of class {shown(label, 30)!r} are copies, learned and tested; give "
            "the table as it was, with --balance over."
        )
    elif made := interpolated_class(table):
        label, share, rows = made
        yield (
            f"{before}: about {percent(share)} of the {rows:,} rows of class {shown(label, 30)!r} lie exactly between "
            "two others; give the table as it was, with --balance smote."
        )


def _ids(warnings: Sequence[str]) -> Iterator[str]:
    """Yield the columns that look like ids and were learned from."""
    for warning in warnings:
        for words in (" looks like an id", " look like ids"):
            columns, is_id, _ = warning.partition(f"{words}: ")
            if is_id:
                yield f"{columns}{words}, and learners read it; --ignore leaves it out."


def _dates(table: Table, plan: Plan) -> Iterator[str]:
    """Yield the hint that rows of a time are better tested in its order, where folds are dealt out at random."""
    if not table.in_memory or not isinstance(plan, CrossValidation):
        return
    for column in table.schema.features:
        if not column.is_date:
            continue
        days = table.column(column.name)
        if len(np.unique(days[~np.isnan(days)])) >= DAYS:
            plan_name = shlex.quote(f"time:{column.name}")
            yield f"Folds mix the times of {named([column.name])}; --plan {plan_name} learns from earlier rows only."
            return
