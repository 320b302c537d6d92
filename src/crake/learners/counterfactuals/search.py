"""The nearest change of each column that changes the prediction: by a formula if there is one, else by search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.cell_text import cell_text
from crake.learners.base.row_query import Range, RowQuery, range_of
from crake.learners.counterfactuals.change import Change, Changes
from crake.learners.counterfactuals.rounding import beyond
from crake.render.plain_text import minus
from crake.table.schema import Column, Kind
from crake.table.sources.edited_row import Edit
from crake.table.table import Table

GRID = 51
"""Values of a column's range that are tried if no formula says where the prediction changes."""
PORTIONS = ((0, 8), (8, 24), (24, GRID))
"""The nearest of them first; farther ones only while none has changed the prediction."""
HALVINGS = 14
"""Share of the gap between two points: the change is then known to a millionth of the range."""
CROSSINGS = 4
LEVELS = 1000
"""Levels of a nominal column that are tried."""
NUDGES = (0.0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-7, -1e-7)
"""A crossing is computed with a rounding: the prediction changes within these shares of its size."""


@dataclass(frozen=True)
class Place:
    """A numeric column, its range, and which values of it are tried, the nearest first."""

    column: Column
    span: Range | None
    whole: bool
    tried: Floats
    is_exact: bool
    is_cut: bool = False

    def is_beyond(self, value: float) -> bool:
        """Return True if the value lies outside the column's range. The cuts of a model lie inside it."""
        if self.span is None or self.is_cut:
            return False
        slack = 0.01 * (self.span[1] - self.span[0])
        return not self.span[0] - slack <= value <= self.span[1] + slack


def find_changes(model: Any, row: Table, table: Table | None = None) -> Changes:
    """Return the changes of a coded row that change the prediction. Distances are shares of the ranges in `table`."""
    query = RowQuery(model, row)
    answer, p = query.prediction()
    places = [_place(query, c, answer, table) for c in query.columns if c.kind is Kind.NUMERIC]
    changes = [*_levels(query, answer), *_numbers(query, places, answer)]
    order = {column.name: at for at, column in enumerate(query.columns)}
    changes.sort(key=lambda change: (change.distance, order[change.column]))
    moved = {change.column for change in changes}
    return Changes(
        model.classes_.tolist()[answer],
        float(p[answer]),
        tuple(changes),
        tuple(name for name in order if name not in moved),
        _measured(table),
        _searched(places, model),
    )


def _levels(query: RowQuery, answer: int) -> list[Change]:
    """Try every other level of every nominal column. Of those that change the prediction, take the most probable."""
    edits: list[Edit] = [
        (column.name, code)
        for column in query.columns
        if column.kind is Kind.NOMINAL
        for code in range(min(len(column.levels), LEVELS))
        if code != query.cell(column.name)
    ]
    codes, p = query.predictions(edits)
    by_column: dict[str, list[int]] = {}
    for at in np.flatnonzero(codes != answer):
        by_column.setdefault(edits[at][0], []).append(int(at))
    changes = []
    for name, flips in by_column.items():
        levels = query.model.schema_[name].levels
        best = max(flips, key=lambda i: (float(p[i, codes[i]]), -i))
        others = tuple(levels[int(edits[i][1])] for i in flips if i != best)
        changes.append(_change(query, name, levels[int(edits[best][1])], codes[best], p[best], 1.0, None, others))
    return changes


def _numbers(query: RowQuery, places: Sequence[Place], answer: int) -> list[Change]:
    """Return the nearest value tried that changes the prediction, made exact by halving where it was searched."""
    pairs = [_nearest(query, *one) for one in zip(places, _flips(query, places, answer), strict=True)]
    nearest = [(place, pair) for place, pair in zip(places, pairs, strict=True) if pair is not None]
    return _shortened(query, _halved(query, nearest, answer), answer)


def _flips(query: RowQuery, places: Sequence[Place], answer: int) -> list[NDArray[np.bool_]]:
    """Return True for each value tried that changes the prediction; a grid up to the first portion with one."""
    flips = [np.zeros(len(place.tried), np.bool_) for place in places]
    for portion in PORTIONS:
        parts = [_tried_now(*one, portion) for one in zip(places, flips, strict=True)]
        values = [place.tried[part].tolist() for place, part in zip(places, parts, strict=True)]
        edits: list[Edit] = [(place.column.name, x) for place, own in zip(places, values, strict=True) for x in own]
        codes, _ = query.predictions(edits)
        start = 0
        for own, part, tried in zip(flips, parts, values, strict=True):
            own[part] = codes[start : start + len(tried)] != answer
            start += len(tried)
    return flips


def _tried_now(place: Place, flips: NDArray[np.bool_], portion: tuple[int, int]) -> slice:
    if place.is_exact:
        return slice(0, len(flips) if portion[0] == 0 else 0)
    return slice(0, 0) if flips.any() else slice(*portion)


def _nearest(query: RowQuery, place: Place, flips: NDArray[np.bool_]) -> tuple[float, float] | None:
    """Return the nearest value tried that changes the prediction, and the one before it that does not."""
    if not flips.any():
        return None
    now = _middle(query, place.column, place.span)
    value = float(place.tried[np.argmax(flips)])
    between = place.tried[~flips & ((place.tried - now) * (value - now) >= 0)]
    between = between[np.abs(between - now) < abs(value - now)]
    last = now if len(between) == 0 else float(between[np.argmax(np.abs(between - now))])
    return value, last


def _halved(
    query: RowQuery, nearest: Sequence[tuple[Place, tuple[float, float]]], answer: int
) -> list[tuple[Place, float]]:
    """Halve the gap between a value that changes the prediction and one that does not; all columns together."""
    pairs = [pair for _, pair in nearest]
    searched = [i for i, (place, _) in enumerate(nearest) if not place.is_exact]
    for _ in range(HALVINGS // 2 if searched else 0):
        # The middle and both that can be the next one: fewer questions, each of more rows.
        tried = [_middles(*pairs[i]) for i in searched]
        names = [nearest[i][0].column.name for i in searched]
        edits: list[Edit] = [(name, x) for name, own in zip(names, tried, strict=True) for x in own]
        flips = (query.predictions(edits)[0] != answer).reshape(-1, 3).tolist()
        for i, own, does in zip(searched, tried, flips, strict=True):
            pairs[i] = _half(*_half(*pairs[i], own[1], does[1]), *((own[0], does[0]) if does[1] else (own[2], does[2])))
    return [(place, value) for (place, _), (value, _) in zip(nearest, pairs, strict=True)]


def _middles(value: float, last: float) -> tuple[float, float, float]:
    """Return the middle between the next value to try if it changes the prediction and the next one if not."""
    middle = (value + last) / 2
    return (middle + last) / 2, middle, (value + middle) / 2


def _half(value: float, last: float, middle: float, does_change: bool) -> tuple[float, float]:
    return (middle, last) if does_change else (value, middle)


def _shortened(query: RowQuery, boundaries: Sequence[tuple[Place, float]], answer: int) -> list[Change]:
    """Return the shortest number beyond each boundary that still changes the prediction."""
    options = [beyond(at, float(query.cell(place.column.name)), whole=place.whole) for place, at in boundaries]
    edits: list[Edit] = [
        (place.column.name, value) for (place, _), values in zip(boundaries, options, strict=True) for value in values
    ]
    codes, p = query.predictions(edits)
    changes, start = [], 0
    for (place, boundary), values in zip(boundaries, options, strict=True):
        at = start + next(i for i in range(len(values)) if codes[start + i] != answer)
        to = float(edits[at][1])
        distance = _distance(query, place, to)
        is_beyond = place.is_beyond(to)
        changes.append(_change(query, place.column.name, to, codes[at], p[at], distance, boundary, is_beyond=is_beyond))
        start += len(values)
    return changes


def _change(
    query: RowQuery,
    name: str,
    to: Any,
    code: Any,
    p: Floats,
    distance: float,
    boundary: float | None,
    others: tuple[Any, ...] = (),
    *,
    is_beyond: bool = False,
) -> Change:
    label = query.model.classes_.tolist()[int(code)]
    is_date = query.row.schema[name].is_date
    plain = _is_known_number(query, name) and not is_date
    now = minus(f"{query.cell(name):.12g}") if plain else cell_text(query.row, name)
    return Change(name, now, to, label, float(p[int(code)]), distance, boundary, others, is_beyond, is_date)


def _is_known_number(query: RowQuery, name: str) -> bool:
    return query.row.schema[name].kind is Kind.NUMERIC and not math.isnan(query.cell(name))


def _place(query: RowQuery, column: Column, answer: int, table: Table | None) -> Place:
    """Return both sides of every point where the prediction may change, or a grid over the range."""
    now = float(query.cell(column.name))
    span, whole = (None, False) if table is None else _table_range(table, column.name)
    model = query.model
    span = span or model._range(column)  # noqa: SLF001 (a hook of every classifier)
    middle = _middle(query, column, span)
    cuts = model._cut_points(column)  # noqa: SLF001
    points = cuts if cuts is not None else model._crossings(query, column, answer)  # noqa: SLF001
    if points is None:
        tried = np.linspace(span[0], span[1], GRID) if span is not None else np.zeros(0)
        return Place(column, span, whole and _is_whole(now), _by_nearness(tried, middle), is_exact=False)
    if cuts is not None:
        halves = table is None and len(cuts) > 0 and bool(np.all(2 * cuts == np.floor(2 * cuts)))
        whole = (whole or halves) and _is_whole(now)
        tried = _beside(points, now, has_cuts_below=model._has_cuts_below())  # noqa: SLF001
    else:
        whole = whole and _is_whole(now)
        points = _next(points, middle)
        size = np.maximum(np.abs(points), 0.0 if span is None else span[1] - span[0])
        tried = np.concatenate([points + nudge * size for nudge in NUDGES])
    return Place(column, span, whole, _by_nearness(tried, middle), is_exact=True, is_cut=cuts is not None)


def _beside(cuts: Floats, now: float, *, has_cuts_below: bool) -> Floats:
    """Return values of all stretches between cuts, the nearest of each to `now` among them.

    If a cut belongs to the stretch below it, and a number is known, these are all: the others are no nearer.

    >>> _beside(np.array([1.0, 2.0, 3.0]), 2.0, has_cuts_below=True).tolist()
    [1.0, 2.0000000000000004, 3.0000000000000004]
    """
    above = np.nextafter(cuts, np.inf)
    if has_cuts_below and not math.isnan(now):
        return np.where(cuts < now, cuts, above)
    return np.concatenate([cuts, np.nextafter(cuts, -np.inf), above])


def _table_range(table: Table, name: str) -> tuple[Range | None, bool]:
    """Return the range of a table's column, and whether all its values are whole numbers."""
    if name not in table.schema or table.schema[name].kind is not Kind.NUMERIC:
        return None, False
    values = np.asarray(table.column(name), np.float64)
    known = values[np.isfinite(values)]
    return range_of(known), len(known) > 0 and bool(np.all(known == np.floor(known)))


def _is_whole(now: float) -> bool:
    return math.isnan(now) or now == math.floor(now)


def _by_nearness(tried: Floats, middle: float) -> Floats:
    return tried[np.argsort(np.abs(tried - middle), kind="stable")]


def _next(points: Floats, now: float) -> Floats:
    """Return the nearest crossings on either side: up to the first of them the prediction stays.

    A few more are taken, since two classes may only touch at a crossing.
    """
    ordered = np.sort(points)
    at = int(np.searchsorted(ordered, now))
    return ordered[max(0, at - CROSSINGS) : at + CROSSINGS]


def _middle(query: RowQuery, column: Column, span: Range | None) -> float:
    """Return the row's value, or the middle of the range if it is missing."""
    now = float(query.cell(column.name))
    if not math.isnan(now):
        return now
    return 0.0 if span is None else (span[0] + span[1]) / 2


def _distance(query: RowQuery, place: Place, to: float) -> float:
    """Return |to − now| over the range, which holds both; 1 if the value was missing."""
    now = float(query.cell(place.column.name))
    if math.isnan(now):
        return 1.0
    low, high = place.span if place.span is not None else (now, to)
    low, high = min(low, now), max(high, now)
    width = high - low if high > low else abs(to - now)
    return abs(to - now) / width if width > 0 else 0.0


def _measured(table: Table | None) -> str:
    where = "the range that the model knows of" if table is None else f"the range in {table.name}"
    return f"of a number the share of {where}; another level counts 1"


def _searched(places: Sequence[Place], model: Any) -> str:
    if all(place.is_exact for place in places):
        return ""
    name = type(model).__name__
    unknown = [place.column.name for place in places if not place.is_exact and place.span is None]
    if unknown:
        return f"{name} knows no range of its numbers: give a table, changes(row, table), to search them"
    return (
        f"numbers of {name} were searched at {GRID} values of their range; a nearer change may lie between two of them"
    )
