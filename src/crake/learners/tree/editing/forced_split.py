"""A split that a person asks for: a column as the learner would split it, a number cut somewhere, values apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError, did_you_mean
from crake.kernels.tree.arrays import INTERVALS, LEAF, SUBSET, THRESHOLD
from crake.learners.tree.editing.leaf import leaf_of
from crake.learners.tree.explaining.best_splits import one_split
from crake.learners.tree.explaining.labelled_rows import cells_of, one_attribute
from crake.learners.tree.explaining.model import OneSplit, TreeModel
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Tree
from crake.table.schema import Column, Kind, Label


@dataclass(frozen=True)
class Question:
    """A column to split, and where: numbers up to `at` go left, or the values `levels`; None: the learner decides."""

    column: str
    at: float | None = None
    levels: Sequence[Any] | None = None

    def of(self, model: TreeModel) -> tuple[int, tuple[Label, ...]]:
        """Return the number of the feature, and the levels as the column has them; raise if they do not fit."""
        names = [column.name for column in model.schema.features]
        if self.column not in names:
            raise ColumnNotFound(self.column, names, where=" to split")
        feature = names.index(self.column)
        column = model.schema.features[feature]
        self._check_kind(column)
        return feature, () if self.levels is None else _levels(column, self.levels)

    def _check_kind(self, column: Column) -> None:
        is_numeric = column.kind is Kind.NUMERIC
        if self.at is not None and self.levels is not None:
            raise CrakeError("at and levels: a number is cut, or values are set apart; give one of them")
        if self.at is not None and not is_numeric:
            raise CrakeError(f"column {column.name!r} holds names; expected levels=[…], got at={self.at!r}")
        if self.levels is not None and is_numeric:
            raise CrakeError(f"column {column.name!r} holds numbers; expected at=…, got levels")
        if self.at is not None and not math.isfinite(self.at):
            raise CrakeError(f"at={self.at!r}; expected a number to cut {column.name!r} at")


def _levels(column: Column, asked: Sequence[Any]) -> tuple[Label, ...]:
    """Return the levels that are asked for, as they are or as they are written, each once."""
    given = [asked] if isinstance(asked, str) else list(asked)
    written = {str(level): level for level in reversed(column.levels)}
    found = []
    for level in given:
        if level not in column.levels and str(level) not in written:
            raise CrakeError(_no_value(column, level))
        found.append(level if level in column.levels else written[str(level)])
    chosen = tuple(level for level in column.levels if level in found)
    if not 0 < len(chosen) < len(column.levels):
        raise CrakeError(f"levels name {len(chosen)} of {len(column.levels)} values; expected some but not all of them")
    return chosen


def _no_value(column: Column, level: Any) -> str:
    """Return what is wrong with a level, the values that there are, and the one that is meant, if it is near."""
    names = [str(each) for each in column.levels]
    listed = ", ".join(map(repr, names[:12])) + (" …" if len(names) > 12 else "")
    hint = did_you_mean(str(level), names)
    return f"column {column.name!r} has no value {level!r}; expected some of {listed}.{hint}"


def forced_split(model: TreeModel, every: Training, here: Training, question: Question) -> tuple[Tree, OneSplit | None]:
    """Return a root with its branches, counted, over all features; and what the learner's own search found.

    `every` are all rows, `here` those of the node.
    """
    feature, levels = question.of(model)
    if question.at is None and question.levels is None:
        alone, whole = one_attribute(here, feature), one_attribute(every, feature)
        found, _ = one_split(model, alone, whole, feature)
        if found.tree.kind[0] == LEAF:
            raise CrakeError(
                f"no split of {question.column!r} tells the rows of this node apart; choose another column"
            )
        tree = model.search.placed(found.tree, whole)
        return replace(tree, feature=np.where(tree.kind == LEAF, -1, feature).astype(np.int32)), found
    codes = [model.schema.features[feature].levels.index(level) for level in levels]
    branch = _branch(here, feature, question.at, codes)
    if not all(np.any(branch == side) for side in range(2)):
        raise CrakeError(f"this split of {question.column!r} leaves one branch without rows; cut between its values")
    growth = model.search.growth
    return _counted(_root(here, feature, question.at, codes, model, growth), here, branch, growth), None


def _branch(here: Training, feature: int, at: float | None, codes: Sequence[int]) -> NDArray[np.int64]:
    """Return the branch of each row; −1 where the value is missing."""
    cells = cells_of(here, feature)
    if at is not None:
        return np.where(np.isnan(cells), -1, np.where(cells <= at, 0, 1)).astype(np.int64)
    return np.where(cells < 0, -1, np.where(np.isin(cells, codes), 0, 1)).astype(np.int64)


def _root(
    here: Training, feature: int, at: float | None, codes: Sequence[int], model: TreeModel, growth: Growth | None
) -> Tree:
    """Return the root with leaves below it, nothing counted yet; a third branch where missing values have one."""
    cells = cells_of(here, feature)
    has_gaps = bool(np.isnan(cells).any() if at is not None else (cells < 0).any())
    is_apart = growth is not None and growth.missing == "apart" and has_gaps
    branches = 3 if is_apart else 2
    groups = np.zeros(0, np.int32)
    if at is None:
        groups = np.ones(len(model.schema.features[feature].levels), np.int32)
        groups[list(codes)] = 0
    kind = SUBSET if at is None else INTERVALS if is_apart else THRESHOLD
    leaves = [LEAF] * branches
    return Tree(
        kind=np.array([kind, *leaves], np.int32),
        feature=np.array([feature, *([-1] * branches)], np.int32),
        threshold=np.array([at if kind == THRESHOLD else np.nan, *([np.nan] * branches)], np.float64),
        value=np.array([-1 if kind == THRESHOLD else 0, *([-1] * branches)], np.int64),
        first=np.array([1, *([NO_CHILD] * branches)], np.int64),
        branches=np.array([branches, *([0] * branches)], np.int64),
        counts=np.zeros((1 + branches, here.classes)),
        missing=np.array([2 if is_apart else NO_CHILD, *([NO_CHILD] * branches)], np.int32),
        groups=groups,
        cuts=np.array([at, np.inf]) if kind == INTERVALS else np.zeros(0),
        responses=np.zeros((1 + branches, 2)) if len(here.response) else np.zeros((0, 2)),
    )


def _counted(tree: Tree, here: Training, branch: NDArray[np.int64], growth: Growth | None) -> Tree:
    """Return the root with the class weights of its branches; missing rows are divided, or have their own branch."""
    weights = here.row_weights
    counts = np.zeros_like(tree.counts)
    counts[0] = _by_class(here, weights)
    own = int(tree.missing[0])
    for side in range(len(tree) - 1):
        mine = (branch == side) | ((branch < 0) & (side == own))
        counts[1 + side] = _by_class(here, np.where(mine, weights, 0.0))
    known = counts[1:].sum(axis=1)
    share = known / known.sum()
    if own < 0:
        counts[1:] += share[:, None] * _by_class(here, np.where(branch < 0, weights, 0.0))
    is_rep = growth is not None and growth.is_rep
    responses = tree.responses.copy()
    responses[:1] = leaf_of(here).responses
    own_share = np.concatenate([[1.0], share]) if is_rep else np.zeros(0)
    return replace(tree, counts=counts, responses=responses, share=own_share)


def _by_class(here: Training, weights: Floats) -> Floats:
    return np.bincount(here.target, weights, minlength=here.classes).astype(np.float64)
