"""Rows given to a fitted tree once more: coded under its schema, of known class; and those that come to a node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, TargetNotFound
from crake.learners.base.training_rows import given_labels, present_rows, row_weights
from crake.learners.tree.conditions import branch_of
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.predicting.leaves import shares
from crake.slow_modules import sklearn_utils
from crake.table import codes
from crake.table.convert.frame_columns import labels_of
from crake.table.schema import Schema
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.tree.showing.class_views import ClassTreeViews
    from crake.learners.tree.showing.views import TreeViews


def labelled_rows(model: ClassTreeViews, X: Any, y: Any = None, sample_weight: Any = None) -> Training:
    """The rows of a Table with the target, or of X and y, as this model's tree is grown from them."""
    coded = _with_target(model, X, y)
    if sample_weight is not None:
        coded = coded.with_weights(row_weights(sample_weight, len(coded)))
    present = present_rows(coded)
    (batch,) = present.batches()
    return Training.of(model.schema_, batch)


def _with_target(model: ClassTreeViews, X: Any, y: Any) -> Table:
    schema = model.schema_
    coded = model._coded(X)  # noqa: SLF001 - one family
    if isinstance(X, Table):
        if y is not None:
            raise CrakeError("a Table brings its own target: give the table alone, or X and y")
        if coded.schema.target is None:
            raise TargetNotFound(schema.target, X.schema.names, where=f" in {X.name}")
        return _without_unknown_classes(coded)
    if y is None:
        raise CrakeError("the classes of the rows are needed: give a Table that has the target, or X and y")
    labels = given_labels(y)
    sklearn_utils.check_consistent_length(X, labels)
    target = schema.target or "target"
    source = coded.require_memory().with_columns({target: codes.encode(labels_of(labels), schema.classes)})
    described = Schema((*coded.schema.columns, schema[target]), target)
    return _without_unknown_classes(replace(coded, schema=described, source=source))


def _without_unknown_classes(table: Table) -> Table:
    """A class that the model does not know is no class to it."""
    return table if not (table.target < -1).any() else table.take(np.flatnonzero(table.target >= 0))


def cells_of(training: Training, feature: int) -> NDArray[Any]:
    """The values or codes of one feature."""
    place = training.layout.place[feature]
    return training.values[:, place] if training.layout.is_numeric[feature] else training.codes[place]


@dataclass(frozen=True, eq=False)
class _Held:
    """A feature's cells in some of the rows."""

    training: Training
    rows: NDArray[np.intp]

    def __call__(self, feature: int) -> NDArray[Any]:
        return cells_of(self.training, feature)[self.rows]


def rows_at(model: TreeViews, training: Training, node: int) -> Training:
    """The rows that come to a node, each with the part of its weight that does."""
    tree, part_of = model.tree_, shares(model.tree_)
    rows = np.arange(len(training))
    weights = training.row_weights
    for above, below in _way_to(model, node):
        taken = branch_of(tree, model.schema_, above, _Held(training, rows))
        part = np.where(taken == below - tree.first[above], 1.0, np.where(taken < 0, part_of[below], 0.0))
        weights, rows = (weights * part)[part > 0], rows[part > 0]
    here = training.take(rows)
    return replace(
        here,
        values=np.ascontiguousarray(here.values),
        weights=np.zeros(0) if np.all(weights == 1.0) else weights,
    )


def _way_to(model: TreeViews, node: int) -> list[tuple[int, int]]:
    """(node, child) from the root to this node."""
    way = []
    while node > 0:
        above = model.tree_.parent_of(node)
        way.append((above, node))
        node = above
    return way[::-1]


def one_attribute(training: Training, feature: int) -> Training:
    """The same rows with this feature alone."""
    layout, place = training.layout, int(training.layout.place[feature])
    numeric = bool(layout.is_numeric[feature])
    alone = slice(place, place + 1)
    return replace(
        training,
        values=np.ascontiguousarray(training.values[:, alone if numeric else slice(0)]),
        codes=np.ascontiguousarray(training.codes[slice(0) if numeric else alone]),
        layout=Layout(np.array([numeric]), np.zeros(1, np.int32), layout.levels[feature : feature + 1]),
    )
