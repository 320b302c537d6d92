"""Rows that a fitted tree sees once more: coded under its schema, with their targets; and those that reach a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, TargetNotFound
from crake.learners.base.class_weights import class_weighted
from crake.learners.base.regressor import present_numbers
from crake.learners.base.training_rows import checked_labels, checked_numbers, present_rows, row_weights
from crake.learners.tree.conditions import branch_of
from crake.learners.tree.explaining.model import TreeModel
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.predicting.leaves import shares
from crake.slow_modules import sklearn_utils
from crake.table import codes
from crake.table.convert.frame_columns import labels_of
from crake.table.schema import Schema
from crake.table.table import Table


class FittedColumns(Protocol):
    """The part of a fitted model that reads rows: its schema, how it codes rows, and its weights of classes."""

    @property
    def schema(self) -> Schema: ...
    @property
    def coded(self) -> Callable[[Any], Table]: ...
    @property
    def class_weight(self) -> Any: ...
    @property
    def is_regression(self) -> bool: ...


def labelled_rows(model: FittedColumns, X: Any, y: Any = None, sample_weight: Any = None) -> Training:
    """Lay out the rows of a Table with the target, or of X and y, as this model was grown from them."""
    if isinstance(X, Table) and y is not None:
        raise CrakeError("a Table brings its own target: give the table alone, or X and y")
    coded = model.coded(X)
    if isinstance(X, Table) and coded.schema.target is None:
        raise TargetNotFound(model.schema.target, X.schema.names, where=f" in {X.name}")
    if not isinstance(X, Table) and y is None:
        what = "numbers" if model.is_regression else "classes"
        raise CrakeError(f"the {what} of the rows are needed: give a Table that has the target, or X and y")
    if model.is_regression:
        return _rows_with_numbers(coded, y, sample_weight)
    return _rows_with_classes(model, coded, y, sample_weight)


def _rows_with_classes(model: FittedColumns, coded: Table, y: Any, sample_weight: Any) -> Training:
    schema = model.schema
    if y is not None:
        labels = checked_labels(y)
        sklearn_utils.check_consistent_length(coded, labels)
        target = schema.target or "target"
        source = coded.require_memory().with_columns({target: codes.encode(labels_of(labels), schema.classes)})
        coded = replace(coded, schema=Schema((*coded.schema.columns, schema[target]), target), source=source)
    coded = _without_unknown_classes(coded)
    weighted = class_weighted(_weighted(coded, sample_weight), model.class_weight)
    (batch,) = present_rows(weighted).batches()
    return Training.of(schema, batch)


def _rows_with_numbers(coded: Table, y: Any, sample_weight: Any) -> Training:
    numbers = (
        np.ascontiguousarray(coded.column(coded.schema.target or ""), np.float64) if y is None else checked_numbers(y)
    )
    sklearn_utils.check_consistent_length(coded, numbers)
    return Training.of_numbers(*present_numbers(_weighted(coded, sample_weight), numbers))


def _weighted(coded: Table, sample_weight: Any) -> Table:
    return coded if sample_weight is None else coded.with_weights(row_weights(sample_weight, len(coded)))


def _without_unknown_classes(table: Table) -> Table:
    """Drop the rows of classes that the model does not know."""
    return table if not (table.target < -1).any() else table.take(np.flatnonzero(table.target >= 0))


def cells_of(training: Training, feature: int) -> NDArray[Any]:
    """Return the values or codes of one feature."""
    place = training.layout.place[feature]
    return training.values[:, place] if training.layout.is_numeric[feature] else training.codes[place]


@dataclass(frozen=True, eq=False)
class _CellsOfRows:
    """A feature's cells in some of the rows."""

    training: Training
    rows: NDArray[np.intp]

    def __call__(self, feature: int) -> NDArray[Any]:
        return cells_of(self.training, feature)[self.rows]


def rows_at(model: TreeModel, training: Training, node: int) -> Training:
    """Return the rows that come to a node, each with the part of its weight that does."""
    tree, part_of = model.tree, shares(model.tree)
    rows = np.arange(len(training))
    weights = training.row_weights
    for above, below in _path_to(model, node):
        branch = branch_of(tree, model.schema, above, _CellsOfRows(training, rows))
        part = np.where(branch == below - tree.first[above], 1.0, np.where(branch < 0, part_of[below], 0.0))
        weights, rows = (weights * part)[part > 0], rows[part > 0]
    here = training.take(rows)
    return replace(
        here,
        values=np.ascontiguousarray(here.values),
        weights=np.zeros(0) if np.all(weights == 1.0) else weights,
    )


def _path_to(model: TreeModel, node: int) -> list[tuple[int, int]]:
    """Return (node, child) from the root to this node."""
    path = []
    while node > 0:
        above = model.tree.parent_of(node)
        path.append((above, node))
        node = above
    return path[::-1]


def one_attribute(training: Training, feature: int) -> Training:
    """Return the rows with this feature alone."""
    layout, place = training.layout, int(training.layout.place[feature])
    numeric = bool(layout.is_numeric[feature])
    alone = slice(place, place + 1)
    return replace(
        training,
        values=np.ascontiguousarray(training.values[:, alone if numeric else slice(0)]),
        codes=np.ascontiguousarray(training.codes[slice(0) if numeric else alone]),
        layout=Layout(np.array([numeric]), np.zeros(1, np.int32), layout.levels[feature : feature + 1]),
    )
