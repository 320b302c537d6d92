"""Decision boundaries of several classifiers, drawn over two numeric columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, SchemaError
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.scikit_learn import clone
from crake.learners.pictures.plane import CELLS, Plane, plane_of, table_of_places, typical
from crake.learners.registry import by_name, title_of
from crake.render.drawing.boundaries import BoundariesPicture, Panel, boundaries_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import shown
from crake.slow_modules import sklearn_exceptions
from crake.table.convert.parts_of_dates import with_parts_of
from crake.table.schema import Label
from crake.table.table import Table

Codes = NDArray[np.int64]
Columns = tuple[str, str]


def decision_boundaries(models: Any, table: Any, columns: Iterable[str] | None = None) -> Drawing:
    """Draw the regions in which each classifier answers each class, over two numeric columns, with the rows.

    models : learners, their names, or fitted models; one or several; scikit-learn's classifiers too. What is not fitted
        learns from the two columns of the table alone. A model of more columns is shown with the others held at the
        table's median or most frequent level.
    columns : the two columns, across and up; may be left out where the table has just two numeric ones.

    >>> import crake
    >>> petals = ("petal length (cm)", "petal width (cm)")
    >>> picture = decision_boundaries(["1r", "naive-bayes"], crake.read("iris"), petals)
    >>> print(picture.finding.split(": ", 1)[1])
    1R has 96 % of the 150 rows in the region of their class, naive Bayes 96 %
    """
    if not isinstance(table, Table) or not table.in_memory:
        raise CrakeError(
            "decision boundaries are drawn for a Table in memory: crake.read(…, target=…), or table.sample(…)"
        )
    chosen = _chosen(columns, table)
    plane = plane_of(table, chosen)
    learners = list(models) if isinstance(models, list | tuple) else [models]
    if not learners:
        raise CrakeError("no model was given; expected learners, their names, or fitted models")
    panels, shares = [], []
    for each in learners:
        learner = by_name(each) if isinstance(each, str) else each
        panel, share = _panel(learner, table, chosen, plane)
        panels.append(panel)
        shares.append((panel.name, share))
    classes = tuple(shown(label, 40) for label in table.schema.classes)
    picture = BoundariesPicture(
        "Decision boundaries",
        f"{shown(table.name, 60)}, {len(plane.x)} rows",
        _finding(chosen, shares, len(plane.x)),
        plane.across,
        plane.up,
        classes,
        tuple(panels),
        plane.dots(),
        (*plane.notes(), *_held(panels)),
    )
    return boundaries_drawing(picture)


def _chosen(columns: Iterable[str] | None, table: Table) -> Columns:
    numeric = [column.name for column in table.schema.numeric]
    names = numeric if columns is None else [*columns] if not isinstance(columns, str) else [columns]
    if len(names) != 2 or names[0] == names[1]:
        problem = f"{table.name} has {len(numeric)} numeric columns" if columns is None else f"columns={names!r}"
        raise SchemaError(
            f"{problem}; boundaries are drawn over two: name them, columns=({', '.join(map(repr, numeric[:2]))})"
        )
    return names[0], names[1]


def _panel(learner: Any, table: Table, columns: Columns, plane: Plane) -> tuple[Panel, float]:
    model, note = _fitted(learner, table, columns)
    answers = _answers(model, table, columns, plane.centres()).reshape(CELLS, CELLS)
    share = float(np.mean(_answers(model, table, columns, (plane.x, plane.y)) == plane.target))
    text = f"{100 * share:.0f} % of the rows lie in their region"
    return Panel(title_of(model), f"{text}; {note}" if note else text, answers.tolist()), share


def _fitted(learner: Any, table: Table, columns: Columns) -> tuple[Any, str]:
    """Return the model, and a note on the columns that its panel holds constant."""
    target = table.class_column
    try:
        check_is_fitted(learner)
    except sklearn_exceptions.NotFittedError:
        narrow = table.select([*columns, target])
        if isinstance(learner, TableClassifier):
            return clone(learner).fit(narrow), ""
        X, labels = _matrix(narrow, columns)
        return clone(learner).fit(X, labels), ""
    if not isinstance(learner, TableClassifier):
        if getattr(learner, "n_features_in_", 2) != 2:
            raise CrakeError(
                f"this {type(learner).__name__} was fitted on {learner.n_features_in_} columns; give it fitted on "
                f"{columns[0]!r} and {columns[1]!r}, or not fitted"
            )
        return learner, ""
    names = [column.name for column in learner.schema_.features]
    for name in columns:
        if name not in names:
            raise CrakeError(
                f"this {type(learner).__name__} was not fitted on {name!r}; it reads {', '.join(names[:10])}"
            )
    return learner, "" if len(names) == 2 else f"{len(names) - 2} columns held"


def _matrix(table: Table, columns: Columns) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the rows that a learner of another library can take."""
    values = table.matrix(list(columns), np.float64)
    known = np.flatnonzero(~np.isnan(values).any(axis=1) & (table.target >= 0))
    return values[known], np.array(table.labels(table.target[known]))


def _answers(model: Any, table: Table, columns: Columns, places: tuple[Floats, Floats]) -> Codes:
    """Return the class codes predicted at these places of the plane; −1 for a label that the table does not have."""
    if isinstance(model, TableClassifier):
        table = with_parts_of(table, model.schema_)
        others = {c.name: typical(table, table.schema[c.name]) for c in model.schema_.features if c.name not in columns}
        labels = model.predict(table_of_places(places, columns, others, table.schema))
    else:
        labels = model.predict(np.column_stack(places))
    place: dict[Label, int] = {label: code for code, label in enumerate(table.schema.classes)}
    return np.array([place.get(label, -1) for label in labels.tolist()], np.int64)


def _held(panels: list[Panel]) -> tuple[str, ...]:
    if not any(panel.note.endswith("held") for panel in panels):
        return ()
    return ("columns held: other columns are at their median or most frequent level; rows are drawn where they lie",)


def _finding(columns: Columns, shares: list[tuple[str, float]], rows: int) -> str:
    first, *more = [(name, f"{100 * share:.0f} %") for name, share in shares]
    sentence = f"{first[0]} has {first[1]} of the {rows} rows in the region of their class"
    return f"Regions over {columns[0]} and {columns[1]}: " + ", ".join([sentence, *(f"{n} {s}" for n, s in more)])
