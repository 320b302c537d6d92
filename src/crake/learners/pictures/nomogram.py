"""Nomograms of naive Bayes and logistic regression: the choice of classes and attributes, and the finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.render.drawing.nomogram import Attribute, NomogramPicture
from crake.render.plain_text import shown
from crake.render.sentences import capital
from crake.table.schema import Kind, Label, Schema
from crake.table.table import Table

TICKS = 9
"""About how many values of a number are named."""


def middle_of_rows(table: Table, name: str) -> tuple[float, float]:
    """Return the range of a number without the lowest and highest 2.5 % of the rows."""
    if name not in table.schema or table.schema[name].kind is not Kind.NUMERIC:
        raise CrakeError(f"{table.name} has no numeric column {name!r}, which the model has; give the rows it is for")
    values = np.asarray(table.column(name), np.float64)
    known = values[~np.isnan(values)]
    if not len(known):
        raise CrakeError(f"{table.name} has no known value of {name!r}")
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


@dataclass(frozen=True)
class Pair:
    """Two classes by their codes, and the labels of all classes."""

    positive: int
    against: int
    labels: tuple[str, ...]

    @property
    def outcome(self) -> str:
        """The probability at the foot of the nomogram."""
        first = shown(self.labels[self.positive], 24)
        return f"P({first})"

    @property
    def text(self) -> str:
        """The two classes: "bad against good"."""
        return f"{shown(self.labels[self.positive], 40)} against {shown(self.labels[self.against], 40)}"


def pair_of(
    classes: NDArray[Any], counts: NDArray[np.float64], positive: Label | None, against: Label | None, base: int = -1
) -> Pair:
    """Return the classes by label; by default the rarer of the two most frequent against the other.

    Of more than two classes it is the other one of them against `base`, if that is one.
    """
    labels = classes.tolist()
    if len(labels) < 2:
        raise CrakeError("a nomogram tells two classes apart; training had one class only")
    frequent = [int(k) for k in np.argsort(-counts, kind="stable")]
    # A base class of a few rows says little about the others.
    second = _code(labels, against) if against is not None else base if base in frequent[:2] else -1
    first = _code(labels, positive) if positive is not None else -1
    if second < 0:
        second = next(k for k in frequent if k != first)
    if first < 0:
        others = [k for k in frequent if k != second]
        first = others[0]
    if positive is None and against is None and len(labels) == 2 and counts[first] > counts[second]:
        first, second = second, first
    if first == second:
        raise CrakeError(f"positive and against are both {labels[first]!r}; give two classes of {labels[:20]}")
    return Pair(first, second, tuple(str(label) for label in labels))


def range_note(schema: Schema, table: Table | None, *, has_extent: bool = False) -> tuple[str, ...]:
    """Return a note on the range in which numbers are drawn."""
    if not schema.numeric:
        return ()
    if table is None and has_extent:
        return ("Numbers are drawn from the least to the largest value that the model learned from.",)
    if table is None:
        return ("Numbers are drawn within two standard deviations of their mean.",)
    return (f"Numbers are drawn as far as the middle 95 % of the rows of {shown(table.name, 60)} go.",)


def _code(labels: list[Any], label: Label) -> int:
    if label not in labels:
        raise CrakeError(f"there is no class {label!r}; expected one of {labels[:20]}")
    return int(labels.index(label))


def nomogram_picture(
    title: str,
    attributes: Sequence[Attribute],
    constant: float,
    pair: Pair,
    most: int,
    others: str,
    notes: tuple[str, ...],
) -> NomogramPicture:
    """Return the picture of the `most` influential attributes, widest first; `others` says how the rest are taken."""
    if most < 1:
        raise CrakeError(f"most={most}; expected how many attributes to draw, 1 or more")
    if not attributes:
        raise CrakeError("no attribute has any influence, so there is nothing to draw")
    ordered = sorted(attributes, key=lambda attribute: -attribute.range)
    omitted = len(ordered) - most
    if omitted > 0:
        notes = (f"{omitted} attributes of less influence are left out; they are taken {others}.", *notes)
    if len(pair.labels) > 2:
        notes = ("Of these two classes alone: the probability, if it is one of them.", *notes)
    first = ordered[0]
    by_effect = sorted(first.values, key=lambda value: value.effect)
    finding = (
        f"{first.name} has the most influence: from {by_effect[0].name} to {by_effect[-1].name} it changes "
        f"the log odds of {pair.text} by {first.range:.3g}."
    )
    codes = (pair.positive, pair.against)
    notes = tuple(f"{capital(note).removesuffix('.')}." for note in notes)
    return NomogramPicture(title, pair.text, finding, tuple(ordered[:most]), constant, pair.outcome, notes, codes)


def with_row(picture: NomogramPicture, row: Table, probabilities: Callable[[Table], Floats]) -> NomogramPicture:
    """Return the nomogram with the values of a row marked; `probabilities` are the model's.

    Effects add up: that of a value is the change of the log odds when the value goes missing, plus the effect of a
    missing value, where it has one of its own.
    """
    features = [each for each in row.schema.features if each.kind in (Kind.NUMERIC, Kind.NOMINAL)]
    rows = row.take(np.zeros(len(features) + 1, np.intp))
    columns = {}
    for place, column in enumerate(features, 1):
        cells = np.array(rows.column(column.name))
        cells[place] = np.nan if column.kind is Kind.NUMERIC else -1
        columns[column.name] = cells
    with_gaps = replace(rows, source=rows.require_memory().with_columns(columns))
    positive, against = picture.classes
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(probabilities(with_gaps))
        odds = logs[:, positive] - logs[:, against]
    gaps = {each.name: _effect_of_gap(each) for each in picture.attributes}
    marks = {}
    for place, column in enumerate(features, 1):
        name = shown(column.name, 80)
        effect = float(odds[0] - odds[place]) + gaps.get(name, 0.0)
        if name in gaps and not np.isnan(effect):
            marks[name] = effect
    summed = picture.constant + sum(marks.values())
    return replace(picture, marks=marks, is_whole=bool(abs(odds[0] - summed) <= 1e-6 * (1 + abs(summed))))


def _effect_of_gap(attribute: Attribute) -> float:
    return next((value.effect for value in attribute.values if value.name == "missing"), 0.0)
