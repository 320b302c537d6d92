"""A logistic regression as a picture: its coefficients with their intervals, or its nomogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.encoding.drawing import coefficient_rows, interval_text, largest_effect
from crake.learners.pictures.nomogram import TICKS, middle_of_rows, nomogram_picture, pair_of, range_note
from crake.render.drawing.axis import ticks_within, written
from crake.render.drawing.coefficients import CoefficientPicture, coefficient_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.nomogram import Attribute, NomogramPicture, Value
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.table.schema import Column, Kind, Label
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.logistic.learner import LogisticClassifier


LARGEST = 1e300
"""Numbers beyond cannot be laid out: the width of their range is no float."""
MOST_NAMED = 6
"""Levels off the scale that are named."""
MOST_SERIES = 4
"""Classes whose coefficients are drawn in one picture."""


def draw_coefficients(
    model: LogisticClassifier,
    *,
    positive: Label | None,
    confidence: float,
    most: int,
    standardised: bool,
    width: float,
) -> Drawing:
    """Draw what a standard deviation of each number, or a level in place of its reference, adds to the log odds."""
    if model.outputs_ == 0:
        raise CrakeError("training had one class only: no coefficient means anything")
    summary = model.summary(confidence)
    outputs = list(summary.outputs)
    if positive is not None:
        outputs = [each for each in outputs if each[0] == str(positive)]
    if not outputs:
        known = ", ".join(label for label, _ in summary.outputs)
        raise CrakeError(
            f"no coefficients for positive={positive!r}; the base class is {summary.base}, others: {known}"
        )
    places = [int(at) for at in model.design_.order]
    series = outputs[:MOST_SERIES]
    rows, omitted = coefficient_rows(
        model.design_, places, [lines for _, lines in series], most=most, standardised=standardised
    )
    notes = [f"reference levels: {', '.join(f'{c} {v}' for c, v in summary.references)}"] if summary.references else []
    notes += [f"{counted(omitted, 'more term')} with smaller coefficients"] if omitted else []
    undrawn = len(outputs) - MOST_SERIES
    notes += [f"{counted(undrawn, 'more class', 'more classes')} not drawn"] if undrawn > 0 else []
    named = f"{shown(series[0][0], 40)} against {shown(summary.base, 40)}"
    of = named if len(series) == 1 else f"each class against {shown(summary.base, 40)}"
    per = "per standard deviation, or against the reference level" if standardised else "in the units of the column"
    return coefficient_drawing(
        CoefficientPicture(
            "Coefficients",
            f"logistic regression: {of}{interval_text(rows, confidence)}",
            largest_effect(rows),
            f"log odds {per}",
            rows,
            tuple(label for label, _ in series),
            (*notes, *summary.notes),
        ),
        width,
    )


def nomogram_of(
    model: LogisticClassifier, positive: Label | None, against: Label | None, most: int, table: Table | None
) -> NomogramPicture:
    """Return points for levels and for round numbers, over the range of a table or of the rows learned from.

    Levels that separate the classes have effects as large as the slight ridge lets them be: they are named in a note.
    """
    if model.outputs_ == 0:
        raise CrakeError("training had one class only: there is nothing to add up")
    pair = pair_of(model.classes_, model.class_count_, positive, against, base=int(np.flatnonzero(model.role_ == 0)[0]))
    if min(model.role_[pair.positive], model.role_[pair.against]) < 0:
        raise CrakeError(f"a class of {pair.text} had no training rows; there are no odds to draw")
    design = model.design_
    with np.errstate(over="ignore", invalid="ignore"):  # a column of 1e-320 has no coefficient in its units
        users = np.hstack([np.zeros((len(design), 1)), design.in_users_units(model.coefficient_)])
        difference = users[:, model.role_[pair.positive]] - users[:, model.role_[pair.against]]
    if not np.isfinite(difference).all():
        raise CrakeError("a coefficient leaves the range of floats; multiply its column by a constant")
    attributes = [_attribute(model, column, difference, table) for column in model.schema_.features]
    off_scale = _off_scale_note(model)
    means = np.ldexp(design.centre + design.rest, design.exponent)
    return nomogram_picture(
        "Nomogram: logistic regression",
        [each for each in attributes if each is not None and each.has_influence],
        float(difference[design.numbers] + difference[: design.numbers] @ means),
        pair,
        most,
        "at the mean, or at the reference level",
        (*off_scale, *range_note(model.schema_, table, has_extent=model.extent_ is not None), *model.notes_),
    )


def _attribute(model: LogisticClassifier, column: Column, difference: Floats, table: Table | None) -> Attribute | None:
    """Return what each value adds to the log odds: a number relative to the mean, a level to its reference."""
    design = model.design_
    own = {(t.level, t.missing): at for at, t in enumerate(design.terms) if t.column == column.name}
    has_gap = (None, True) in own and not _separates(model, f"{column.name} missing")
    gap = [Value("missing", float(difference[own[None, True]]))] if has_gap else []
    if column.kind is Kind.NUMERIC:
        at = own[None, False]
        mean, deviation = (
            float(np.ldexp(part, design.exponent[at]))
            for part in (design.centre[at] + design.rest[at], design.spread[at])
        )
        if not (0 < deviation < LARGEST and abs(mean) < LARGEST):
            return None  # constant, or beyond what can be laid out
        low, high = _range(model, at, mean, deviation) if table is None else middle_of_rows(table, column.name)
        ticks = ticks_within(low, high, TICKS, is_date=column.is_date) or (mean,)
        words = written(ticks, is_date=column.is_date)
        values = [Value(word, float(difference[at] * (tick - mean))) for tick, word in zip(ticks, words, strict=True)]
        return Attribute(shown(column.name, 80), (*values, *gap), is_number=True)
    values = [
        Value(shown(level, 60), float(difference[own[level, False]]) if (level, False) in own else 0.0)
        for level in column.levels
        if ((level, False) in own or level == design.reference_level(column.name))
        and not _separates(model, f"{column.name} = {level}")
    ]
    return Attribute(shown(column.name, 80), (*values, *gap)) if values else None


def _range(model: LogisticClassifier, at: int, mean: float, deviation: float) -> tuple[float, float]:
    """Return the range in which number `at` is drawn: that of the training rows; models of old files do not know it."""
    if model.extent_ is None:
        return mean - 2 * deviation, mean + 2 * deviation
    low, high = model.extent_[:, at].tolist()
    return low, high


def _separates(model: LogisticClassifier, cell: str) -> bool:
    """Return True if a level, or a gap, is one that no row of some class has."""
    separation = model.separation_
    return separation is not None and any(text.startswith(f"no row with {cell} is ") for text in separation.how)


def _off_scale_note(model: LogisticClassifier) -> tuple[str, ...]:
    how = () if model.separation_ is None else model.separation_.how
    cells = [
        shown(text.removeprefix("no row with ").rpartition(" is ")[0], 60) for text in how if "no row with" in text
    ]
    more = f" and {len(cells) - MOST_NAMED} more" if len(cells) > MOST_NAMED else ""
    return (f"Off the scale, for no row of some class has it: {', '.join(cells[:MOST_NAMED])}{more}.",) if cells else ()
