"""Every attribute's best split at a node: what the tree could have asked there, and what each was worth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc

from crake.criteria import chi_square, degrees_of_freedom, entropy, gini_decrease, information_gain
from crake.kernels.partition import LEAF, MULTIWAY, ONE_VALUE, THRESHOLD
from crake.learners.tree.conditions import branch_of, condition_of
from crake.learners.tree.nodes import Floats, Tree
from crake.learners.tree.question import class_counts
from crake.learners.tree.rows import cells_of, labelled_rows, one_attribute, rows_at
from crake.learners.tree.text import threshold_text
from crake.learners.tree.training import Training
from crake.render.grid import Grid
from crake.render.plain_text import shown, visible
from crake.table.schema import Schema

if TYPE_CHECKING:
    from crake.learners.tree.views import TreeViews

NONE = "–"


@dataclass(frozen=True)
class Alternative:
    """An attribute's best split of a node: how it is written, its class weights by branch, and what is left to say.

    `missing` is the weight of the rows whose value is not known; `correction` what is taken off the gain (C4.5).
    """

    name: str
    split: str
    table: Floats
    missing: float
    correction: float
    remark: str
    is_chosen: bool = False

    @property
    def known_share(self) -> float:
        """The share of the rows whose value is known: the gain counts for them only."""
        known = float(self.table.sum())
        return known / (known + self.missing) if known > 0 else 0.0

    @property
    def gain(self) -> float:
        """Information gain in bits, times the share of known values."""
        return self.known_share * float(information_gain(self.table))

    @property
    def ratio(self) -> float:
        """The (corrected) gain / split information; missing values are one more branch of it."""
        information = float(entropy([*self.table.sum(axis=1), self.missing]))
        return (self.gain - self.correction) / information if information > 0 else 0.0

    @property
    def decrease(self) -> float:
        """The decrease of Gini, times the share of known values."""
        return self.known_share * float(gini_decrease(self.table))

    @property
    def p(self) -> float:
        """The p of Pearson's test that branch and class are independent, not adjusted."""
        freedom = int(degrees_of_freedom(self.table))
        return float(chdtrc(freedom, float(chi_square(self.table)))) if freedom else 1.0


def alternatives(model: TreeViews, node: int, X: Any, y: Any = None, sample_weight: Any = None) -> Grid:
    """The gain table of a node; the attribute chosen has an arrow, splits that the settings do not allow a remark."""
    every = labelled_rows(model, X, y, sample_weight)
    here = rows_at(model, every, node)
    chosen = int(model.tree_.feature[node])
    found = [_best(model, every, here, feature, chosen) for feature in range(len(here.layout))]
    is_corrected = any(each.correction > 0 for each in found)
    corrected = ("corrected",) if is_corrected else ()
    header = ("  attribute", "best split", "gain", *corrected, "gain ratio", "Gini decrease", "chi² p")
    rows = [_row(each, is_corrected=is_corrected) for each in found]
    if any(each.remark for each in found):
        header = (*header, "")
        rows = [(*row, each.remark) for row, each in zip(rows, found, strict=True)]
    return Grid(_title(model, node, here), header, tuple(rows))


def _title(model: TreeViews, node: int, here: Training) -> str:
    weights = here.weights if len(here.weights) else None
    counts = np.bincount(here.target, weights, minlength=here.classes).astype(np.float64)
    held = model.tree_.counts[node]
    leaf = ", a leaf" if model.tree_.kind[node] == LEAF else ""
    other = "" if np.allclose(counts, held, rtol=1e-6, atol=1e-6) else " (the tree was grown from other rows)"
    return f"Node {node}{leaf}: {class_counts(model.schema_, counts)}{other}"


def _row(each: Alternative, *, is_corrected: bool) -> tuple[str, ...]:
    name, split = f"{'→' if each.is_chosen else ' '} {shown(each.name, 40)}", shown(each.split, 50)
    if not len(each.table):
        return (name, split, NONE, *((NONE,) if is_corrected else ()), NONE, NONE, NONE)
    corrected = (f"{each.gain - each.correction:.3f}",) if is_corrected else ()
    figures = (f"{each.gain:.3f}", *corrected, f"{each.ratio:.3f}", f"{each.decrease:.3f}", _p(each.p))
    return (name, split, *figures)


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.0005 else "< 0.001"


def _best(model: TreeViews, every: Training, here: Training, feature: int, chosen: int) -> Alternative:
    """The split on this attribute alone; where the settings allow none, the best without them, with a remark."""
    column = model.schema_.features[feature]
    alone = one_attribute(here, feature)
    schema, nothing = Schema((column,)), Alternative(column.name, NONE, np.zeros((0, 0)), 0.0, 0.0, "")
    remark = _why_none(alone)
    if remark:
        return replace(nothing, remark=remark)
    whole = one_attribute(every, feature)
    tree = model._one_split(alone, whole, feature, is_free=False)  # noqa: SLF001 - one family
    if tree.kind[0] == LEAF:
        tree, remark = model._one_split(alone, whole, feature, is_free=True), "not allowed"  # noqa: SLF001
    if tree.kind[0] == LEAF:
        return replace(nothing, remark="no gain")
    tree = model._placed(tree, whole)  # noqa: SLF001
    table, missing = _table(tree, schema, alone)
    return Alternative(
        column.name,
        split_text(tree, schema, 0),
        table,
        missing,
        model._correction(alone),  # noqa: SLF001
        remark,
        feature == chosen,
    )


def _why_none(alone: Training) -> str:
    """Why there is nothing to split, if so."""
    if len(np.unique(alone.target)) < 2:
        return "one class"
    cells = cells_of(alone, 0)
    known = cells[~np.isnan(cells)] if alone.layout.is_numeric[0] else cells[cells >= 0]
    return ("one value" if len(known) else "all missing") if len(np.unique(known)) < 2 else ""


def _table(tree: Tree, schema: Schema, alone: Training) -> tuple[Floats, float]:
    """Class weights by branch of the rows whose value is known, and the weight of the others."""
    if tree.missing[0] >= 0 and condition_of(tree, schema, 0, int(tree.missing[0])).has_known:
        tree = replace(tree, missing=np.full(len(tree), -1, np.int32))  # where missing values go is not its merit
    taken = branch_of(tree, schema, 0, lambda feature: cells_of(alone, feature))
    weights = alone.weights if len(alone.weights) else np.ones(len(alone))
    table = np.zeros((int(tree.branches[0]), alone.classes))
    known = taken >= 0
    np.add.at(table, (taken[known], alone.target[known]), weights[known])
    return table, float(weights[~known].sum())


def split_text(tree: Tree, schema: Schema, node: int) -> str:
    """<= 30; 3 values; = red; {red, blue} against the others; {red} | {blue} | {green}."""
    kind, column = tree.kind[node], schema.features[tree.feature[node]]
    if kind == THRESHOLD:
        return f"<= {threshold_text(float(tree.threshold[node]))}"
    if kind == MULTIWAY:
        return f"{len(column.levels)} values"
    if kind == ONE_VALUE:
        return f"= {visible(column.levels[int(tree.value[node])])}"
    asked = [condition_of(tree, schema, node, b) for b in range(int(tree.branches[node]))]
    known = [replace(each, missing=False).bare.removeprefix("in ") for each in asked if each.has_known]
    return known[0] if len(known) == 2 else " | ".join(known)
