"""The tree most like an ensemble: grown from the ensemble's own predictions, with how often it says the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crake.arrays import Rows
from crake.errors import CrakeError, DataError
from crake.learners.base.regressor import TableRegressor, with_numbers
from crake.learners.tree.algorithms.cart import CARTClassifier
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.showing.drawing import draw_tree
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import proportion
from crake.metrics.regression import r_squared
from crake.plans import Holdout
from crake.plans.dealing import whole_number
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.render.short_repr import short_repr
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

LEAVES = 8
"""Leaves that a person can take in."""
MOST_ROWS = 5000
"""Rows that the tree is grown from and tested on; of more a sample."""


@dataclass(frozen=True, eq=False)
class TreeLike:
    """A small tree that imitates an ensemble.

    `fidelity` is the share of rows for which both predict the same class, on `tested` rows that the tree was not grown
    from; of numbers it is R² of the tree's predictions for the ensemble's.
    """

    tree: CARTClassifier | CARTRegressor
    of: str
    fidelity: Estimate
    rows: int
    tested: int

    __repr__ = short_repr

    @property
    def finding(self) -> str:
        """Say how like the ensemble the tree is."""
        grown = f"It was grown from the predictions of the ensemble for {counted(self.rows, 'row')}"
        if self.fidelity.value is None:
            return f"{grown}. How like it is, is not known: {self.fidelity.reason}."
        ends = self.fidelity.interval
        tested = f"{counted(self.tested, 'row')} that it was not grown from"
        if isinstance(self.tree, CARTRegressor):
            between = "" if ends is None else f" [{ends[0]:.3f}, {ends[1]:.3f}]"
            return (
                f"{grown}. R² of its predictions for the ensemble's is {self.fidelity.value:.3f}{between} on {tested}."
            )
        between = "" if ends is None else f" [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"
        return f"{grown}, and agrees with it on {100 * self.fidelity.value:.1f} %{between} of {tested}."

    def __str__(self) -> str:
        return f"The tree most like {self.of}. {self.finding}\n\n{self.tree}"

    def draw(self, depth: int | None = None, direction: str | None = None) -> Drawing:
        """Draw the tree, and say below it how like the ensemble it is."""
        model = self.tree._model()  # noqa: SLF001 (its own tree)
        target, title = model.schema.target or "target", "The tree most like the ensemble"
        name = f"CART of its predictions of {shown(target, 60)}"
        drawing = draw_tree(
            model.shown, model.schema, model.predictions, name, depth=depth, direction=direction, title=title
        )
        return drawing.noted(self.finding)


class Imitated:
    """An ensemble that can be shown as the tree most like it."""

    def as_tree(self, X: Any, *, max_leaf_nodes: int = LEAVES) -> TreeLike:
        """Return a CART tree of at most `max_leaf_nodes` leaves that is grown from this model's predictions for X.

        A third of the rows is held back: `fidelity` says on how many of them the tree predicts the same.
        """
        return tree_like(self, X, max_leaf_nodes)

    def _tree_pictures(self, table: Table | None) -> tuple[Drawing, ...]:
        """Return the tree most like this model, where there are rows to grow it from."""
        if table is None or not table.in_memory:
            return ()
        try:
            like = self.as_tree(table)
        except CrakeError:
            return ()
        return (like.draw(),) if like.tree.n_leaves_ > 1 else ()


def tree_like(model: Any, X: Any, max_leaf_nodes: int = LEAVES) -> TreeLike:
    """Return the tree most like a fitted classifier or regressor, on the rows of X."""
    leaves = whole_number(max_leaf_nodes, "max_leaf_nodes", 2)
    table = model._coded(X)  # noqa: SLF001 (rows under the model's own schema)
    table.require_memory("as_tree")
    table = some_rows(table)
    if len(table) == 0:
        raise CrakeError("expected rows to predict, got none")
    of = f"the ensemble ({model.card.title})"
    imitate = _of_numbers if isinstance(model, TableRegressor) else _of_classes
    return imitate(model, table, of, leaves)


def some_rows(table: Table) -> Table:
    """Return the table; of one that is larger than MOST_ROWS a sample, the same each time."""
    if len(table) <= MOST_ROWS:
        return table
    keys = np.asarray(np.random.PCG64(1).random_raw(len(table)))
    return table.take(np.sort(np.argsort(keys, kind="stable")[:MOST_ROWS]))


def _of_classes(model: Any, table: Table, of: str, leaves: int) -> TreeLike:
    codes = np.asarray(model.decide(model.probabilities(table)), np.int32)
    name = model.schema_.target or "prediction"
    column = Column(name, Kind.NOMINAL, tuple(model.classes_.tolist()))
    schema = Schema((*table.schema.features, column), name)
    source = table.require_memory().with_columns({name: codes})
    predicted = replace(table, schema=schema, source=source)
    grown, tested = _parts(codes.astype(np.intp), schema.classes)
    tree = CARTClassifier(max_leaf_nodes=leaves).fit(predicted.take(grown))
    weights = np.ones(len(tested)) if table.weights is None else table.weights[tested]
    same = tree.decide(tree.probabilities(predicted, tested)) == codes[tested] if len(tested) else np.zeros(0, bool)
    agreed = float(weights[same].sum())
    fidelity = proportion(agreed, float(weights.sum()) - agreed, otherwise="the rows are too few to hold some back")
    return TreeLike(tree, of, fidelity, len(grown), len(tested))


def _of_numbers(model: Any, table: Table, of: str, leaves: int) -> TreeLike:
    answers = model.answers(table)
    features = table.select([column.name for column in table.schema.features])
    predicted = with_numbers(features, answers, model.schema_.target or "target")
    grown, tested = _parts(np.zeros(len(table), np.intp), ())
    tree = CARTRegressor(max_leaf_nodes=leaves).fit(predicted.take(grown))
    fidelity = Estimate.undefined("the rows are too few to hold some back")
    if len(tested):
        weights = np.ones(len(tested)) if table.weights is None else table.weights[tested]
        fidelity = r_squared(answers[tested], tree.answers(predicted, tested), weights)
    return TreeLike(tree, of, fidelity, len(grown), len(tested))


def _parts(codes: Any, classes: Any) -> tuple[Rows, Rows]:
    """Return the rows to grow from and those held back; all and none where they cannot be parted."""
    try:
        grown, tested = Holdout(train=2 / 3, random_state=1).assign(codes, classes).split(0)
    except DataError:
        return np.arange(len(codes)), np.zeros(0, np.intp)
    return grown, tested
