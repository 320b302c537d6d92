"""1R worked by hand: every attribute's rules with their errors, the best attribute, the row's branch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crake.learners.cell import cell_text
from crake.learners.one_rule.rules import AttributeRules
from crake.render.workings import Section, Step, Workings, fraction, number
from crake.table.table import Table

SHOWN = 12
"""Attributes whose rules are printed in full; the best one always is."""


def explain_rule(
    rules: Sequence[AttributeRules],
    best: AttributeRules,
    branch: int,
    probabilities: NDArray[np.float64],
    row: Table,
) -> Workings:
    """From the rule tables to the class shares of the branch the row falls in."""
    tables = [Section(each.column.name, lines=each.grid().lines()) for each in rules[:SHOWN]]
    if len(rules) > SHOWN:
        tables.append(Section(f"… and {len(rules) - SHOWN} more attributes, none with fewer errors"))
    value = cell_text(row, best.column.name)
    chosen = Section(
        "The attribute with the fewest errors (the first of equals)",
        (Step(f"errors({best.column.name})", value=fraction(best.errors, best.counts.sum())),),
    )
    labels = [str(label) for label in best.classes]
    if branch >= 0:
        counts = best.counts[branch]
        reading = Section(
            f"This row: {best.column.name} = {value}, branch {best.names[branch]}",
            tuple(
                Step(f"P({label})", f"n({label}) in the branch / n", fraction(count, counts.sum()), number(share))
                for label, count, share in zip(labels, counts, probabilities, strict=True)
            ),
        )
        notes: tuple[str, ...] = ()
    else:
        reading = Section(f"This row: {best.column.name} = {value}")
        notes = (f"no training row had {best.column.name} = {value}: the answer is that of all rows",)
    return Workings(
        f"1R: the rules of {best.column.name}",
        (*tables, chosen, reading),
        tuple(zip(labels, map(float, probabilities), strict=True)),
        notes,
    )
