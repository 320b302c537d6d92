"""The best split of a node's rows on each attribute alone; where the settings allow none, the best without them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF, MULTIWAY, ONE_VALUE, THRESHOLD
from crake.learners.tree.conditions import branch_of, condition_of
from crake.learners.tree.explaining.labelled_rows import cells_of, one_attribute
from crake.learners.tree.explaining.model import OneSplit, TreeModel
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.number_text import threshold_text
from crake.learners.tree.tree import Tree
from crake.render.plain_text import visible
from crake.table.notation import value_text
from crake.table.schema import Column, Schema

NONE = "–"
"""Stands where there is no split."""
NOT_ALLOWED = "not allowed"
"""Remark at a split that the settings of the learner forbid."""


@dataclass(frozen=True, eq=False)
class BestSplit:
    """An attribute's best split: how it is written, and the branch of each row; −1 where its value is not known.

    `remark` says why there is none (then `branches` is 0), or that the settings do not allow it. `log_p` has ln p, and
    ln p adjusted, if the learner judges splits by a test.
    """

    name: str
    split: str
    branch: NDArray[np.int64]
    branches: int
    rows: Training
    remark: str = ""
    is_chosen: bool = False
    log_p: tuple[float, ...] = ()

    @property
    def weights(self) -> Floats:
        """The weight of each row."""
        return self.rows.row_weights

    @property
    def missing(self) -> float:
        """The weight of the rows whose value is not known."""
        return float(self.weights[self.branch < 0].sum())


def best_splits(model: TreeModel, every: Training, here: Training, node: int) -> list[BestSplit]:
    """Return one per attribute, in the order of the columns; `every` has all rows, `here` those of the node."""
    chosen = int(model.tree.feature[node])
    return [_best(model, every, here, feature, chosen) for feature in range(len(here.layout))]


def _best(model: TreeModel, every: Training, here: Training, feature: int, chosen: int) -> BestSplit:
    column, alone = model.schema.features[feature], one_attribute(here, feature)
    nothing = BestSplit(column.name, NONE, np.full(len(alone), -1), 0, alone, _why_none(model, alone))
    if nothing.remark:
        return nothing
    whole = one_attribute(every, feature)
    split, remark = one_split(model, alone, whole, feature)
    if split.tree.kind[0] == LEAF:
        return replace(nothing, remark="no gain")
    tree = model.search.placed(split.tree, whole)
    branch, written = _branch(tree, column, alone), split_text(tree, Schema((column,)), 0)
    return BestSplit(column.name, written, branch, int(tree.branches[0]), alone, remark, feature == chosen, split.log_p)


def one_split(model: TreeModel, alone: Training, whole: Training, feature: int) -> tuple[OneSplit, str]:
    """Return the learner's best split of a node's rows on one feature, and a remark if its settings forbid it.

    Both have this feature alone, `whole` of all rows. Where there is none at all, the tree is a leaf.
    """
    split = model.search.best(alone, whole, feature, is_free=False)
    if split.tree.kind[0] != LEAF:
        return split, ""
    return model.search.best(alone, whole, feature, is_free=True), NOT_ALLOWED


def _why_none(model: TreeModel, alone: Training) -> str:
    """Return why there is nothing to split, if so."""
    if len(np.unique(alone.response if len(alone.response) else alone.target)) < 2:
        return "one number" if len(alone.response) else "one class"
    cells = cells_of(alone, 0)
    known = cells[~np.isnan(cells)] if alone.layout.is_numeric[0] else cells[cells >= 0]
    if len(known) == 0:
        return "all missing"
    is_missing_another = model.search.is_missing_a_value and len(known) < len(cells)
    return "one value" if len(np.unique(known)) + is_missing_another < 2 else ""


def _branch(tree: Tree, column: Column, alone: Training) -> NDArray[np.int64]:
    """Return the branch of each row by its own value; where missing values go is not a split's merit."""
    schema = Schema((column,))
    has_own = tree.missing[0] >= 0 and not condition_of(tree, schema, 0, int(tree.missing[0])).has_known
    if not has_own:
        tree = replace(tree, missing=np.full(len(tree), -1, np.int32))
    return branch_of(tree, schema, 0, lambda feature: cells_of(alone, feature))


def split_text(tree: Tree, schema: Schema, node: int) -> str:
    """Write <= 30; 3 values; = red; {red, blue} against the others; {red} | {blue} | {green}."""
    kind, column = tree.kind[node], schema.features[tree.feature[node]]
    if kind == THRESHOLD:
        threshold = float(tree.threshold[node])
        return f"<= {value_text(column, threshold, threshold_text(threshold))}"
    if kind == MULTIWAY:
        return f"{len(column.levels)} values"
    if kind == ONE_VALUE:
        return f"= {visible(column.levels[int(tree.value[node])])}"
    conditions = [condition_of(tree, schema, node, b) for b in range(int(tree.branches[node]))]
    known = [replace(each, missing=False).bare.removeprefix("in ") for each in conditions if each.has_known]
    return known[0] if len(known) == 2 else " | ".join(known)
