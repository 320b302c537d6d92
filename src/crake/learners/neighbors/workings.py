"""Nearest neighbours by hand: the distance to the nearest row column by column, the neighbours, their votes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats, Longs
from crake.learners.base.cell_text import cell_text
from crake.learners.neighbors.rows import features_of
from crake.learners.neighbors.text import vote_text
from crake.render.grid import Grid
from crake.render.plain_text import shown, visible
from crake.render.workings import Section, Step, Workings, number
from crake.table.notation import value_text
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.neighbors.base import Neighbors
    from crake.learners.neighbors.classifier import NeighborsClassifier
    from crake.learners.neighbors.regressor import NeighborsRegressor


MOST = 20
"""Neighbours, and columns, that are written out."""


def explain_votes(model: NeighborsClassifier, row: Table, probabilities: Floats) -> Workings:
    """Neighbours, votes and shares; the answer is what `predict_proba` gives."""
    places, d, weight = model.poll_.listed(*features_of(row, model.schema_), model.k_)
    votes = weight * model.rows_.mass[places]
    labels = [visible(label) for label in model.classes_]
    labels_of_rows = [labels[int(code)] for code in model.rows_.target[places]]
    sums = [float(votes[model.rows_.target[places] == c].sum()) for c in range(len(labels))]
    start = model.first_votes
    total = sum(sums) + start * len(labels)
    steps = [
        Step(f"P({label} | row)", "votes / all votes", f"{_votes(start, own)} / {number(total)}", number(p))
        for label, own, p in zip(labels, sums, probabilities, strict=True)
    ]
    answer = tuple(zip([str(label) for label in model.classes_], map(float, probabilities), strict=True))
    sections = (
        *_neighbour_sections(model, row, places, d, votes, labels_of_rows, "vote"),
        Section("Votes", tuple(steps)),
    )
    return Workings(f"Nearest neighbours: {vote_text(model)}", sections, answer, _notes(model, len(places)))


def _votes(start: float, own: float) -> str:
    return number(own) if start == 0 else f"({number(start)} + {number(own)})"


def explain_mean(model: NeighborsRegressor, row: Table, answer: float) -> Workings:
    """Neighbours, weights and their mean; the answer is what `predict` gives."""
    places, d, weight = model.poll_.listed(*features_of(row, model.schema_), model.k_)
    mass = weight * model.rows_.mass[places]
    targets = [number(float(y)) for y in model.rows_.target[places]]
    written = " + ".join(f"{number(float(m))}·{y}" for m, y in zip(mass, targets, strict=True))
    written = f"({written}) / {number(float(mass.sum()))}" if len(targets) <= MOST else ""
    mean = Section("Weighted mean", (Step("ŷ", "Σ w·y / Σ w", written, number(answer)),))
    sections = (*_neighbour_sections(model, row, places, d, mass, targets, "weight"), mean)
    target = str(model.schema_.target)
    return Workings(
        f"Nearest neighbours: {vote_text(model)}", sections, ((target, answer),), _notes(model, len(places))
    )


def _neighbour_sections(
    model: Neighbors, row: Table, places: Longs, d: Floats, votes: Floats, targets: list[str], vote: str
) -> tuple[Section, ...]:
    squared = model.space_.squared
    numbers = model.rows_.numbers[places]
    lines = [
        (str(n), number(math.sqrt(far) if squared else far), y, number(float(v)))
        for n, far, y, v in zip(numbers.tolist(), d.tolist(), targets, votes.tolist(), strict=True)
    ][:MOST]
    grid = Grid("", ("training row", "distance", visible(model.schema_.target), vote), tuple(lines))
    more = (f"… {len(places) - MOST} more",) if len(places) > MOST else ()
    nearest = Section(
        f"Distance to training row {numbers[0]}, the nearest", _distance(model, row, int(places[0]), d[0])
    )
    return nearest, Section("Neighbours", lines=more, tables=(grid,))


def _distance(model: Neighbors, row: Table, place: int, d: float) -> tuple[Step, ...]:
    """Return d_j of each column, then their sum."""
    values, codes = features_of(row, model.schema_)
    space, index = model.space_, model.poll_.index
    placed, (lines, offsets) = space.placed(values)[0], space.lines(codes)
    power = "²" if space.squared else ""
    steps, parts = [], []
    for column in model.schema_.features:
        name, cell = shown(column.name, 40), shown(cell_text(row, column.name), 40)
        if column in model.schema_.numeric:
            j = [c.name for c in model.schema_.numeric].index(column.name)
            far, written = _numbers_apart(float(placed[j]), float(index.values[place, j]), float(space.far[j]))
            other = model.rows_.values[place, j]
            value = "missing" if np.isnan(other) else value_text(column, float(other), number(float(other)))
        else:
            j = [c.name for c in model.schema_.nominal].index(column.name)
            code, own = int(index.codes[place, j]), int(codes[0, j])
            value = "missing" if code < 0 else shown(column.levels[code], 40)
            far = 1.0 if code != own or own < 0 else 0.0
            if space.shares is not None:
                far = float(lines[0, offsets[j] + 2 + code])
                far = math.sqrt(far) if space.squared else far
            written = ""
        parts.append(far)
        steps.append(Step(f"d({name}: {cell}, {value})", "", written, number(far)))
    total = math.sqrt(d) if space.squared else float(d)
    summed = " + ".join(f"{number(part)}{power}" for part in parts) if len(parts) <= MOST else "…"
    formula = "√Σ d²" if space.squared else "Σ d"
    end = Step("d", formula, f"√({summed})" if space.squared else summed, number(total))
    return (*(steps if len(steps) <= MOST else steps[:MOST]), end)


def _numbers_apart(x: float, t: float, far: float) -> tuple[float, str]:
    """Return the distance of two placed numbers, and its arithmetic."""
    if math.isnan(x) and math.isnan(t):
        return far, "both missing: the largest"
    if math.isnan(x) or math.isnan(t):
        known = t if math.isnan(x) else x
        return max(abs(known), abs(far - known)), "one missing: the largest it can be"
    return abs(t - x), f"|{number(x)} − {number(t)}|"


def _notes(model: Neighbors, count: int) -> tuple[str, ...]:
    if model.n_neighbors not in ("auto", model.k_):
        return (f"n_neighbors={model.n_neighbors} is more than there are training rows: all of them are neighbours",)
    if model.ties != "first" and count > model.k_ and model.rows_.weights is None:
        return (f"{count} rows count in place of {model.k_}: all that are as far as the {model.k_}. nearest",)
    return ()
