"""The terms of one row in the users' units: what is multiplied by what, for hand calculations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.learners.base.cell_text import cell_text, number_text
from crake.learners.encoding.design import Design
from crake.render.plain_text import visible
from crake.render.workings import number
from crake.table.batch import MISSING, UNSEEN
from crake.table.schema import Column
from crake.table.table import Table

LONGEST = 40
"""Terms written out, the largest; the others are one number."""


@dataclass(frozen=True)
class Added:
    """One summand: what it is, how it is worked out, and its value."""

    text: str
    written: str
    value: float


def added_terms(design: Design, row: Table, coefficient: Floats, standardised: Floats | None = None) -> list[Added]:
    """Return the intercept, then each column's summand in table order; a column at its reference level adds nothing.

    `standardised` coefficients give the summand of a number whose own coefficient is beyond all floats.
    """
    place = {(t.column, t.level, t.missing): at for at, t in enumerate(design.terms)}
    terms = [Added("intercept", "", float(coefficient[design.numbers]))]
    for column in design.schema.features:
        cell = row.column(column.name)[0]
        name = visible(column.name)
        gap = place.get((column.name, None, True))
        if column in design.schema.numeric:
            at = place[column.name, None, False]
            own = None if standardised is None else float(standardised[at])
            if column.is_date and not np.isnan(cell):
                name = f"{name} ({cell_text(row, column.name)})"
            terms += _number(
                design, at, name, float(cell), None if gap is None else float(coefficient[gap]), coefficient, own
            )
        else:
            code = design.stand_in(column.name, int(cell))
            if cell == MISSING and gap is not None:
                terms.append(Added(f"{name} missing", "", float(coefficient[gap])))
            elif code >= 0 and (column.name, column.levels[code], False) in place:
                at = place[column.name, column.levels[code], False]
                terms.append(Added(f"{name} = {visible(cell_text(row, column.name))}", "", float(coefficient[at])))
    return _largest([one for one in terms if one.text == "intercept" or one.value != 0.0])


def new_values(design: Design, row: Table) -> list[str]:
    """Return a note on values that training had not seen."""
    new = [column for column in design.schema.nominal if row.column(column.name)[0] == UNSEEN]
    return [f"{column.name}: training never met this value; {_counts_as(design, column)}" for column in new]


def _counts_as(design: Design, column: Column) -> str:
    reference, code = design.reference_level(column.name), design.stand_in(column.name, UNSEEN)
    if reference is not None:
        return f"it counts as the reference level {reference}"
    return f"it counts as {column.levels[code]}, the most frequent" if code >= 0 else "it adds nothing"


def _number(
    design: Design, at: int, name: str, x: float, gap: float | None, coefficient: Floats, standardised: float | None
) -> list[Added]:
    beta = float(coefficient[at])
    mean = float(np.ldexp(design.centre[at] + design.rest[at], design.exponent[at]))
    used = mean if np.isnan(x) else x
    value = beta * used
    if not np.isfinite(beta) and standardised is not None:
        value = standardised * (float(np.ldexp(used, -design.exponent[at])) / float(design.spread[at]))
    if not np.isnan(x):
        return [Added(name, f"{number(beta)} × {number_text(x)}", value)]
    terms = [Added(f"{name}, missing: the mean", f"{number(beta)} × {number(mean)}", value)]
    return terms if gap is None else [*terms, Added(f"{name} missing", "", gap)]


def _largest(terms: list[Added]) -> list[Added]:
    if len(terms) <= LONGEST:
        return terms
    keep = set(sorted(range(len(terms)), key=lambda at: -abs(terms[at].value))[: LONGEST - 1]) | {0}
    others = sum(term.value for at, term in enumerate(terms) if at not in keep)
    return [*(terms[at] for at in sorted(keep)), Added(f"{len(terms) - len(keep)} smaller terms", "", others)]
