"""The picture of a margin: the machine of two classes over its two numeric columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crake.errors import CrakeError
from crake.learners.base.training_rows import checked_labels
from crake.learners.pictures.plane import CELLS, plane_of, table_of_places
from crake.learners.svm.text import kernel_text, margin_text, units_text
from crake.render.drawing.boundaries import Dot
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.margin import MarginPicture, margin_drawing
from crake.render.plain_text import shown
from crake.render.workings import number
from crake.table.codes import encode as encode_labels
from crake.table.convert.frames import encode
from crake.table.schema import Kind
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.svm.learner import SVMClassifier


def margin_of(model: SVMClassifier, X: Any, y: Any) -> Drawing:
    """Draw the margin with the rows of a table, or of X and y; support vectors are ringed."""
    schema, machines = model.schema_, model.machines_
    if machines is None or len(machines.pairs) != 1 or len(schema.features) != 2 or len(schema.numeric) != 2:
        raise CrakeError(
            f"a margin is drawn for two classes over two numeric columns; this model has {len(model.present_)} "
            f"classes with rows and {len(schema.numeric)} numeric of {len(schema.features)} columns"
        )
    if model.kernel_.name == "precomputed":
        raise CrakeError("the margin is drawn over two columns, and those of a precomputed kernel are inner products")
    table = _rows(model, X, y)
    columns = (schema.numeric[0].name, schema.numeric[1].name)
    plane = plane_of(table, columns)
    grid = table_of_places(plane.centres(), columns, {}, schema)
    decision = np.clip(machines.decisions(model.features_.points(grid))[:, 0], -1e6, 1e6).reshape(CELLS, CELLS)
    rows = model.support_[model.support_ < len(table)]
    values = np.column_stack([table.column(name) for name in columns])[rows]
    supports = values[~np.isnan(values).any(axis=1)]
    labels = tuple(shown(label, 40) for label in model.classes_[model.present_])
    width = number(float(machines.width[0]))
    picture = MarginPicture(
        "The margin",
        f"SVM, {kernel_text(model)}, {margin_text(model)}",
        f"The margin between {labels[0]} and {labels[1]} is {width} wide; {len(supports)} support vectors are ringed",
        plane.across,
        plane.up,
        (labels[0], labels[1]),
        decision.tolist(),
        tuple(
            Dot(dot.x, dot.y, int(np.searchsorted(model.present_, dot.style)))
            for dot in plane.dots()
            if dot.style in model.present_
        ),
        tuple((float(a), float(b)) for a, b in supports),
        (f"width {width}; {units_text(model)}", *plane.notes()),
    )
    return margin_drawing(picture)


def _rows(model: SVMClassifier, X: Any, y: Any) -> Table:
    if isinstance(X, Table):
        if X.schema.target is None or X.schema[X.schema.target].kind is not Kind.NOMINAL:
            raise CrakeError("the table has no nominal target; give the table that the model was fitted on")
        return X
    if y is None:
        raise CrakeError("draw_margin(X, y) draws the rows with their classes: give y, or a Table with its target")
    coded = encode(model._checked(X, reset=False), model.schema_)  # noqa: SLF001 (a part of the learner)
    target = model.schema_[model.schema_.target or ""]
    codes = encode_labels(checked_labels(y), target.levels)
    return Table(
        model.schema_,
        coded.require_memory().with_columns({target.name: np.where(codes < 0, -1, codes).astype(np.int32)}),
        "rows",
    )
