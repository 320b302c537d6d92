"""The words of a hand calculation on one row: its values, the columns left out, fractions, the normalisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Codes, Floats
from crake.render.workings import Step, fraction, number, scientific
from crake.table.schema import Kind
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.semi_naive.counted import CutModel

CLASSES, LIKELIEST = 8, 4
"""Classes that are all written out; of more, this number of the most probable."""
LONGEST = 40
"""Factors of a product that are written out; the others are only counted."""
LONGEST_OF_MANY = 12
"""Products of a calculation that has many, and factors of each of them, that are written out."""


def value_name(model: CutModel, j: int, code: int) -> str:
    """Return a value of a counted column as a condition: outlook = Sunny, age ≤ 30, age in 30 … 40."""
    column, levels = model.schema_.features[model.counts_.places[j]], model.counts_.columns[j].levels
    if column.kind is Kind.NOMINAL:
        return f"{column.name} = {levels[code]}"
    is_between = 0 < code < len(levels) - 1
    return f"{column.name} {'in ' if is_between else ''}{levels[code]}"


def skipped_columns(model: CutModel, row: Table, codes: Codes, instead: Mapping[int, str] | None = None) -> list[str]:
    """Return a sentence for each column whose value is not known in this row, and for each that is never used.

    It is skipped, unless `instead` says what becomes of this counted column.
    """
    done = {} if instead is None else {model.counts_.places[j]: text for j, text in instead.items()}
    code_of = dict(zip(model.counts_.places, codes.tolist(), strict=True))
    notes = []
    for place, column in enumerate(model.schema_.features):
        if place not in code_of:
            notes.append(f"{column.name} is skipped: no cut of it pays")
        elif code_of[place] < 0:
            cell = row.column(column.name)[0]
            is_missing = np.isnan(cell) if column.kind is Kind.NUMERIC else cell == -1
            why = "missing" if is_missing else "this value was never seen in training"
            notes.append(f"{column.name} {done.get(place, 'is skipped')}: {why}")
    return notes


def fraction_written(count: float, known: float, alpha: float, cells: int) -> str:
    """Write a smoothed fraction as on paper.

    >>> fraction_written(2, 9, 0, 3), fraction_written(2, 9, 1, 3), fraction_written(0, 0, 0, 3)
    ('2/9', '(2 + 1)/(9 + 3)', '1/3')
    """
    if alpha == 0:
        return fraction(count, known) if known > 0 else f"1/{cells}"
    return f"({number(count)} + {number(alpha)})/({number(known)} + {number(alpha * cells)})"


def written_out(logs: Floats) -> list[int]:
    """Return the classes whose arithmetic is shown: all of a few, of many the most probable, in their order."""
    if len(logs) <= CLASSES:
        return list(range(len(logs)))
    return sorted(np.argsort(-logs, kind="stable")[:LIKELIEST].tolist())


def normalisation(logs: Floats, probabilities: Floats, labels: list[str], of: list[int]) -> tuple[Step, ...]:
    """Return each class divided by the sum of all."""
    if np.all(np.isneginf(logs)):
        return tuple(Step(f"P({labels[k]} | row)", f"P({labels[k]})", "", number(probabilities[k])) for k in of)
    total = scientific(float(np.logaddexp.reduce(logs)))
    return tuple(
        Step(f"P({labels[k]} | row)", "", f"{scientific(logs[k])} / {total}", number(probabilities[k])) for k in of
    )


def notes_on_classes(logs: Floats, probabilities: Floats, of: list[int]) -> list[str]:
    """Return what is to be said of classes not written out, and of rows that no class can have."""
    notes = []
    if len(of) < len(logs):
        rest = 1.0 - float(sum(probabilities[k] for k in of))
        notes.append(
            f"written out for the {len(of)} most probable of {len(logs)} classes; the sum is over all, and the "
            f"others have P = {number(max(0.0, rest))} together"
        )
    if np.all(np.isneginf(logs)):
        notes.append("every class has a factor of 0, so the row is impossible: the answer is the share of each class")
    return notes
