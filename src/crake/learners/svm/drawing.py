"""A machine as a picture: the weights of its plane, the decisions of rows, or who its support vectors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.encoding.drawing import largest_effect
from crake.learners.svm.machines import Machines
from crake.learners.svm.text import kernel_text, margin_text
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.coefficients import CoefficientPicture, CoefficientRow, Estimated, coefficient_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.histogram import ClassHistogram, HistogramPicture, histogram_drawing
from crake.render.format_numbers import count, percent
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.render.workings import number
from crake.table.describe.drawing import number_edges, number_heights
from crake.table.schema import Kind, Label
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.svm.learner import SVMClassifier


MOST_SERIES = 4
"""Pairs of classes whose weights are drawn in one picture: of more those with the narrowest margins."""
MOST_ROWS = 2000
"""Rows whose decisions are drawn: evenly spaced among more."""
ENDS = 0.005
"""The share of rows at each end that is drawn at the edge: one far row would squeeze all others."""


def draw_machine(
    model: SVMClassifier,
    what: str | None,
    positive: Label | None,
    against: Label | None,
    most: int,
    table: Table | None,
    width: float,
) -> Drawing:
    """Draw `what`; by default the weights of planes, the decisions of a table's rows, or the support vectors."""
    machines = model.machines_
    if machines is None:
        raise CrakeError("training had one class only, so there is no margin between classes to draw")
    has_plane = machines.w is not None
    what = what or ("coefficients" if has_plane else "decisions" if table is not None else "vectors")
    if what == "coefficients" and not has_plane:
        raise CrakeError("only a linear kernel has weights of columns; draw('decisions', table=…) or draw('vectors')")
    if what == "coefficients":
        return _coefficients(model, machines, _pairs_asked(model, machines, positive, against), most, width)
    if what == "decisions":
        return _decisions(model, machines, _pairs_asked(model, machines, positive, against)[0], table, width)
    if what == "vectors":
        return _vectors(model, machines, most, width)
    raise CrakeError(f"draw({what!r}); expected 'coefficients', 'decisions' or 'vectors'")


def _labels(model: SVMClassifier) -> list[str]:
    return [shown(label, 40) for label in model.classes_[model.present_]]


def _pairs_asked(model: SVMClassifier, machines: Machines, positive: Label | None, against: Label | None) -> list[int]:
    """Return the machines between these classes, the narrowest margin first (of kernels: most vectors)."""
    labels = model.classes_[model.present_].tolist()
    for label in (positive, against):
        if label is not None and label not in labels:
            raise CrakeError(f"there is no class {label!r} with training rows; expected one of {labels[:20]}")
    if positive is not None and positive == against:
        raise CrakeError(f"positive and against are both {positive!r}; give two classes of {labels[:20]}")
    named = {labels.index(label) for label in (positive, against) if label is not None}
    pairs_at = [at for at, pair in enumerate(machines.pairs) if named <= set(pair)]
    if machines.w is not None:
        return sorted(pairs_at, key=lambda at: float(machines.width[at]))
    return sorted(pairs_at, key=lambda at: -int(np.count_nonzero(machines.coefficients(*machines.pairs[at])[1])))


def _coefficients(model: SVMClassifier, machines: Machines, pairs: list[int], most: int, width: float) -> Drawing:
    """Draw the weights w of the scaled coordinates: how far f moves."""
    if most < 1:
        raise CrakeError(f"most={most}; expected how many terms to draw, 1 or more")
    assert machines.w is not None  # noqa: S101 (the caller asked)
    series, terms = pairs[:MOST_SERIES], model.features_.terms
    rows = [
        CoefficientRow(str(term), tuple(Estimated(float(machines.w[at, k])) for at in series))
        for k, term in enumerate(terms)
    ]
    rows.sort(key=lambda row: -max(abs(each.value) for each in row.estimates if each is not None))
    labels = _labels(model)
    names = tuple(f"{labels[j]} against {labels[i]}" for i, j in (machines.pairs[at] for at in series))
    of = (
        f"{names[0]}, margin {number(float(machines.width[series[0]]))} wide"
        if len(series) == 1
        else "pairs of classes"
    )
    notes = [f"Not drawn: {counted(len(rows) - most, 'more term')} with smaller weights."] if len(rows) > most else []
    if len(pairs) > MOST_SERIES:
        notes.append(f"Of {len(pairs)} pairs of classes the {MOST_SERIES} with the narrowest margins are drawn.")
    per = {True: "per standard deviation", "range": "over the range of a number", False: "in the column's units"}
    return coefficient_drawing(
        CoefficientPicture(
            "Weights of the plane" if len(series) == 1 else "Weights of the planes",
            f"SVM, {margin_text(model)}: {of}",
            largest_effect(rows),
            f"change of the decision f {per[model.scale]}{_or_level(model)}",
            tuple(rows[:most]),
            names,
            tuple(notes),
        ),
        width,
    )


def _or_level(model: SVMClassifier) -> str:
    return ", or for having the level" if model.schema_.nominal else ""


def _decisions(model: SVMClassifier, machines: Machines, at: int, table: Table | None, width: float) -> Drawing:
    """Draw how far rows of two classes lie from the boundary, f = 0, and from the margin, f = ±1."""
    if table is None:
        raise CrakeError("draw('decisions') needs table=…: a table with the rows whose decisions are drawn")
    i, j = machines.pairs[at]
    labels = _labels(model)
    parts = [_rows_of(table, str(model.classes_[model.present_[k]])) for k in (i, j)]
    coded = model._coded(table)  # noqa: SLF001 - one family
    values = [_within(machines.decisions(model.features_.points(coded, rows))[:, at], rows) for rows in parts]
    every = np.concatenate(values)
    if not len(every):
        raise CrakeError(f"{table.name} has no row of {labels[i]} or {labels[j]}")
    low, high = np.quantile(every, [ENDS, 1 - ENDS])
    clipped = [np.clip(each, low, high) for each in values]
    edges = number_edges(np.concatenate(clipped), 30)
    inside = float(np.mean(np.abs(every) < 1))
    wrong = float((np.sum(values[0] > 0) + np.sum(values[1] <= 0)) / len(every))
    finding = f"{percent(inside)} of the rows lie inside the margin, {percent(wrong)} on the wrong side of its middle."
    notes = [f"{count(int(machines.counts.sum()))} of the training rows are support vectors."]
    if len(machines.pairs) > 1:
        notes.append(f"One of {len(machines.pairs)} machines, a pair of classes each.")
    return histogram_drawing(
        HistogramPicture(
            f"Distance of the rows from the margin: {labels[i]} and {labels[j]}",
            f"SVM, {kernel_text(model)}, {margin_text(model)}; rows of {shown(table.name, 60)}",
            finding,
            f"decision f: above 0 {labels[j]}, below 0 {labels[i]}",
            tuple(
                ClassHistogram(labels[k], float(len(own)), number_heights(own, np.ones(len(own)), edges))
                for k, own in ((i, clipped[0]), (j, clipped[1]))
            ),
            tuple(edges.tolist()),
            notes=tuple(notes),
            marks=((-1.0, "−1"), (0.0, "0"), (1.0, "1")),
        ),
        width,
    )


def _rows_of(table: Table, label: str) -> NDArray[np.intp]:
    """Return the rows of a class, matched as it is written; evenly spaced ones of very many."""
    target = table.schema.target
    if target is None or table.schema[target].kind is not Kind.NOMINAL:
        raise CrakeError(f"{table.name} has no nominal target; decisions are drawn class by class")
    labels = [str(each) for each in table.schema.classes]
    rows = np.flatnonzero(table.target == labels.index(label)) if label in labels else np.zeros(0, np.intp)
    return rows if len(rows) <= MOST_ROWS else rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.intp)]


def _within(decisions: Floats, rows: NDArray[np.intp]) -> Floats:
    """Decisions of some rows; none of no rows."""
    return np.clip(decisions, -1e100, 1e100) if len(rows) else np.zeros(0)


def _vectors(model: SVMClassifier, machines: Machines, most: int, width: float) -> Drawing:
    """Draw the number of support vectors of each class."""
    counts, labels = machines.counts, _labels(model)
    total = int(counts.sum())
    order = [int(k) for k in np.argsort(-counts, kind="stable")][: max(1, most)]
    bars = tuple(
        Bar(labels[k], float(counts[k] / max(total, 1)), f"{count(int(counts[k]))} support vectors", is_main=True)
        for k in order
    )
    omitted = len(counts) - len(bars)
    return bar_drawing(
        BarPicture(
            "Support vectors of each class",
            f"SVM, {kernel_text(model)}, {margin_text(model)}",
            f"{count(total)} training rows determine the margin; the most, {count(int(counts.max()))}, are of "
            f"{labels[order[0]]}.",
            bars,
            (f"Not drawn: {counted(omitted, 'more class', 'more classes')}.",) if omitted else (),
        ),
        width,
    )
