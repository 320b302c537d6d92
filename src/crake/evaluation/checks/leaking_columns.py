"""Columns that know too much: one that tells the target almost without error."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.training_rows import present_rows
from crake.learners.one_rule import OneRuleClassifier
from crake.metrics.ranking.auc import area
from crake.metrics.ranking.delong import delong
from crake.metrics.ranking.ranking import rank_scores
from crake.render.check import Check
from crake.render.format_numbers import percent
from crake.table.describe.ids import is_id_like
from crake.table.describe.warnings import coded_warnings, copied_columns, named
from crake.table.schema import Column, Kind
from crake.table.table import Table

ERRORS = 0.01
"""One rule on a suspicious column errs in at most this share of the rows."""
BASE = 0.1
"""And the majority class errs in at least this share: otherwise being right is no surprise."""
NEAR_ERRORS = 0.02
"""With one value for each class, a column is nearly a copy up to this share of errors."""
AREA, AREA_OF_RARE, SURELY = 0.995, 0.99, 0.9
"""An AUC of a column alone above the first is suspicious (above the second where a class has less than `BASE` of the
rows and 1R cannot tell), if the lower end of its interval is above the third."""
CORRELATION = 0.999
"""A column with a squared correlation above this one is a numeric target in other units."""
ROWS_A_VALUE = 10
"""A column with fewer rows for each of its values learns them by heart."""
ROWS_A_PERFECT_VALUE = 5
"""The rows for each value that a rule without errors needs: chance seldom gives every value one class."""
MOST_ROWS = 20_000
"""Rows sampled from a larger table: a column that is nearly perfect is so in the sample, too."""

_TO_DO = {
    "constant-column": "Nothing is lost by leaving it out.",
    "only-gaps": "Compare a learner that reads gaps.",
    "rare-class": "Give costs, or find more rows of it.",
    "repeated-rows": "Drop them if they are the same thing twice; keep them if different things look alike.",
    "text-column": "Words are for learners of text.",
    "blanks": "Trim the names where the table is made.",
    "target": "Look at the column that is predicted.",
}


@dataclass(frozen=True)
class Suspicion:
    """Columns each of which alone tells the target too well, and how well: "tells the target in 99.5 % of the rows"."""

    names: tuple[str, ...]
    words: str
    is_copy: bool = False

    def __str__(self) -> str:
        verb, _, rest = self.words.partition(" ")
        if len(self.names) == 1:
            return f"{named(self.names)} alone {self.words}"
        return f"{named(self.names)} each alone {verb.removesuffix('s')} {rest}"


def suspicions(table: Table) -> tuple[Suspicion, ...]:
    """Return the columns that know too much: copies of the target, then those that nearly are, by 1R and by AUC."""
    if not table.in_memory or len(table) < ROWS_A_VALUE or table.schema.target is None:
        return ()
    copies = copied_columns(table)
    told_already = (Suspicion(tuple(copies), "tells the target one to one", is_copy=True),) if copies else ()
    if table.schema[table.schema.target].kind is not Kind.NOMINAL:
        return (*told_already, *_proportional(table, copies))
    rows = present_rows(table)
    rows = rows if len(rows) <= MOST_ROWS else rows.sample(MOST_ROWS, 1)
    features = [each for each in rows.schema.features if each.name not in copies and not _is_name(table, each)]
    by_rule = tuple(_by_rule(rows, features)) if features else ()
    by_rule_names = {name for each in by_rule for name in each.names}
    by_rank = _by_rank(rows, [each for each in features if each.name not in by_rule_names])
    return (*told_already, *by_rule, *by_rank)


def _is_name(table: Table, column: Column) -> bool:
    """Return True for names that differ in every row; numbers that do may still order the rows by the target."""
    return column.kind is Kind.NOMINAL and is_id_like(table, column)


def _by_rule(rows: Table, features: Sequence[Column]) -> Iterator[Suspicion]:
    """Yield the columns on which 1R hardly errs, or errs little with one value per class; they may be honest."""
    model = OneRuleClassifier().fit(rows)
    n = float(model.class_count_.sum())
    if 1 - float(model.class_count_.max()) / n < BASE:
        return
    names = {column.name for column in features}
    perfect = [
        rules
        for rules in model.rules_
        if rules.column.name in names
        and (rules.errors <= ERRORS * n or (rules.errors <= NEAR_ERRORS * n and _pairs_off(rules.counts)))
        and np.count_nonzero(rules.counts.sum(axis=1)) * (ROWS_A_PERFECT_VALUE if rules.errors == 0 else ROWS_A_VALUE)
        <= n
    ]
    if perfect:
        right = percent(1 - max(rules.errors for rules in perfect) / n)
        more = " or more" if len(perfect) > 1 else ""
        words = f"tells the target in {right} of the rows{more}"
        yield Suspicion(tuple(rules.column.name for rules in perfect), words)


def _pairs_off(counts: Floats) -> bool:
    """Return True if each value stands for another class, and each class has one: a copy but for some rows."""
    filled = counts[counts.sum(axis=1) > 0]
    classes = np.flatnonzero(filled.sum(axis=0))
    return sorted(filled.argmax(axis=1).tolist()) == classes.tolist()


def _by_rank(rows: Table, features: Sequence[Column]) -> Iterator[Suspicion]:
    """Yield the columns that rank two classes nearly without error."""
    if len(np.unique(rows.target)) != 2:
        return
    positive = rows.target == rows.target.max()
    least = AREA_OF_RARE if min(positive.mean(), 1 - positive.mean()) < BASE else AREA
    areas = [(column.name, of_column) for column in features if (of_column := _area(rows, column, positive)) > least]
    if areas:
        words = f"ranks the target with an AUC of {np.floor(1000 * min(each for _, each in areas)) / 1000:.3f}"
        yield Suspicion(tuple(name for name, _ in areas), words + (" or more" if len(areas) > 1 else ""))


def _area(rows: Table, column: Column, positive: NDArray[np.bool_]) -> float:
    """Return the AUC of a column alone, values by size, names by their share of the class; 0 where it may be chance."""
    values = np.asarray(rows.column(column.name))
    known = ~np.isnan(values) if column.kind is Kind.NUMERIC else values >= 0
    if 2 * known.sum() < len(rows):
        return 0.0
    values, side = values[known], positive[known]
    if column.kind is Kind.NOMINAL:
        counts = np.bincount(values)
        if np.count_nonzero(counts) * ROWS_A_VALUE > len(values):
            return 0.0
        values = (np.bincount(values, weights=side) / np.maximum(counts, 1))[values]
    ranking = rank_scores(side, values.astype(np.float64))
    if ranking.missing_side or AREA_OF_RARE > area(ranking) > 1 - AREA_OF_RARE:
        return 0.0
    estimate = delong(ranking)
    if estimate.value is None or estimate.interval is None:
        return 0.0
    value, low = estimate.value, estimate.interval[0]
    value, low = (value, low) if value >= 0.5 else (1 - value, 1 - estimate.interval[1])
    return value if low > SURELY else 0.0


def _proportional(table: Table, copies: Sequence[str]) -> Iterator[Suspicion]:
    """Yield the columns that are a numeric target but for a factor and a constant: r² of 0.999 and more."""
    y = table.column(table.schema.target or "")
    names = []
    for column in table.schema.numeric:
        x = table.column(column.name)
        known = ~(np.isnan(x) | np.isnan(y))
        if column.name in (table.schema.target, *copies) or known.sum() < ROWS_A_VALUE:
            continue
        spread = float(np.std(x[known]) * np.std(y[known]))
        if spread > 0 and (float(np.cov(x[known], y[known], ddof=0)[0, 1]) / spread) ** 2 > CORRELATION:
            names.append(column.name)
    if names:
        yield Suspicion(tuple(names), "goes with the target in proportion, r² above 0.999")


def perfect_columns(table: Table, suspicious: Sequence[Suspicion] | None = None) -> Iterator[Check]:
    """Yield a check for the columns that know too much; copies of the target and ids, which reading warns of, are not
    named again.
    """
    for each in suspicions(table) if suspicious is None else suspicious:
        if not each.is_copy:
            leave_out = " ".join(f"--ignore {shlex.quote(name)}" for name in each.names[:5])
            sentence = f"{each}: was that known before the answer was?"
            yield Check("perfect-column", "warning", sentence, f"If not, leave it out: {leave_out}")


DATA = (
    "target",
    "copy-of-target",
    "id-column",
    "constant-column",
    "only-gaps",
    "rare-class",
    "repeated-rows",
    "text-column",
    "blanks",
)
"""The codes of what reading warns of: shown as warnings about the table, not once more among the checks."""


def data_checks(table: Table) -> Iterator[Check]:
    """Yield the warnings of reading with their codes; a scanned table was looked at while it was compared."""
    if not table.in_memory:
        return
    for code, sentence in coded_warnings(table):
        sentence_start, leave, columns = sentence.partition(". Leave ")
        what = f"Leave {columns}" if leave else _TO_DO.get(code, "")
        yield Check(code, "warning", f"{sentence_start[:1].upper()}{sentence_start[1:]}.", what)
