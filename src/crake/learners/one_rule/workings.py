"""1R worked by hand: every attribute's rules with their errors, the best attribute, the row's branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crake.learners.base.cell_text import cell_text
from crake.learners.one_rule.rules import AttributeRules
from crake.render.grid import Grid
from crake.render.workings import Section, Step, Workings, fraction, number
from crake.table.table import Table

SHOWN = 12
"""Attributes whose rules are printed; those of the best one always are."""
RULES = 40
"""Rules of an attribute that are printed before the sum of its errors; of the best one all are."""


def explain_rule(
    rules: Sequence[AttributeRules],
    best: AttributeRules,
    branch: int,
    probabilities: NDArray[np.float64],
    row: Table,
    probability: str,
) -> Workings:
    """From the rule tables to the class shares of the branch the row falls in."""
    listed = [each for at, each in enumerate(rules) if at < SHOWN or each is best]
    tables = [Section(each.column.name, tables=(_listed(each, is_best=each is best),)) for each in listed]
    if len(rules) > len(listed):
        tables.append(Section(f"… and {len(rules) - len(listed)} more attributes, none with fewer errors"))
    value = cell_text(row, best.column.name)
    chosen = Section(
        "The attribute with the fewest errors (the first of equals)",
        (Step(f"errors({best.column.name})", value=fraction(best.errors, best.counts.sum())),),
    )
    labels = [str(label) for label in best.classes]
    notes: tuple[str, ...] = ()
    if branch >= 0:
        reading = Section(
            f"This row: {best.column.name} = {value}, branch {best.names[branch]}",
            _shares(labels, best.counts[branch], probabilities),
        )
        if probability == "certain":
            reading = Section(reading.heading, _certain(labels, probabilities))
    else:
        reading = Section(f"This row: {best.column.name} = {value}", _certain(labels, probabilities))
        answer = labels[int(np.argmax(probabilities))]
        notes = (f"no training row had {best.column.name} = {value}: no rule applies, and the answer is {answer}",)
    return Workings(
        f"1R: the rules of {best.column.name}",
        (*tables, chosen, reading),
        tuple(zip(labels, map(float, probabilities), strict=True)),
        notes,
    )


def _listed(rules: AttributeRules, *, is_best: bool) -> Grid:
    """Return the rules of an attribute with the sum of their errors, the first ones of many."""
    grid = replace(rules.grid(), title="")
    *every, total = grid.rows
    if is_best or len(every) <= RULES:
        return grid
    left = (f"… and {len(every) - RULES} more rules", *("" for _ in total[1:]))
    return replace(grid, rows=(*every[:RULES], left, total))


def _shares(labels: Sequence[str], counts: NDArray[np.float64], shares: NDArray[np.float64]) -> tuple[Step, ...]:
    total = counts.sum()
    return tuple(
        Step(
            f"P({label})",
            f"n({label}) in the branch / n",
            fraction(count, total),
            number(share),
            f"{number(count)} of the branch's {number(total)} rows",
        )
        for label, count, share in zip(labels, counts, shares, strict=True)
    )


def _certain(labels: Sequence[str], probabilities: NDArray[np.float64]) -> tuple[Step, ...]:
    return tuple(Step(f"P({label})", value=number(p)) for label, p in zip(labels, probabilities, strict=True))
