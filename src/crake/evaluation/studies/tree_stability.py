"""The stability of a tree: how its splits change when some rows are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.evaluation.protocol.arguments import learner_of
from crake.evaluation.protocol.memory import deal
from crake.evaluation.protocol.roads import rows_of
from crake.learners.base.scikit_learn import clone
from crake.learners.base.training_rows import present_rows
from crake.learners.registry import title_of
from crake.learners.tree.classifier import TreeClassifier
from crake.plans import Plan
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.sentences import counted

SHOWN = 20
"""Attributes listed before the rest is only counted."""


def tree_stability(learner: Any, table: Any, y: Any = None, *, plan: Plan | None = None) -> Grid:
    """Count in how many of a plan's trees each attribute splits at the root, and anywhere; the sizes are in the title.

    `learner` is a tree (or its name), `table` a Table with a target, or X with the labels `y`. The plan is stratified
    10-fold cross-validation unless given: each tree is grown without one fold. The last column is about the tree of all
    rows: how many of its nodes ask for the attribute.

    >>> from crake.learners.tree.algorithms.c45 import C45Classifier
    >>> from crake.table.examples import load
    >>> print(tree_stability(C45Classifier(), load("golf")))
    10 trees: stratified 10-fold cross-validation, seed 1
      2 to 5 leaves, depth 1 to 2; the tree of all rows: 5 leaves, depth 2
      attribute  at the root  anywhere  nodes in the tree of all rows
      outlook              6         7                        1, root
      humidity             3         8                              1
      windy                1         6                              1
    """
    learner = learner_of(learner)
    if not isinstance(learner, TreeClassifier):
        raise CrakeError(f"{title_of(learner)} grows no tree; expected a tree, such as crake.C45Classifier()")
    plan, data, rounds = deal(learner, rows_of(learner, table, y), plan)
    rows, assignment = data.table, next(iter(rounds))
    trees = [clone(learner).fit(rows.take(training)) for training, _ in assignment.splits()]
    return _grid(trees, clone(learner).fit(present_rows(rows)), plan.describe())


def _grid(trees: Sequence[TreeClassifier], whole: TreeClassifier, plan: str) -> Grid:
    root = Counter(int(model.tree_.feature[0]) for model in trees)
    anywhere = Counter(int(feature) for model in trees for feature in np.unique(model.tree_.feature))
    in_whole = Counter(int(feature) for feature in whole.tree_.feature)
    used = {feature for feature in {*anywhere, *in_whole} if feature >= 0}
    order = sorted(used, key=lambda feature: (-root[feature], -anywhere[feature], feature))
    names = [shown(column.name, 40) for column in whole.schema_.features]
    lines = [(names[f], str(root[f]), str(anywhere[f]), _nodes(in_whole[f], whole, f)) for f in order[:SHOWN]]
    if root[-1]:
        lines.insert(
            0, ("(no question: one leaf)", str(root[-1]), str(root[-1]), "yes" if len(whole.tree_) == 1 else "0")
        )
    if len(order) > SHOWN:
        lines.append((f"… {counted(len(order) - SHOWN, 'more attribute')}", "0", "", ""))
    sizes = (
        f"{_leaves([m.n_leaves_ for m in trees])}, depth {_range([m.depth_ for m in trees])}; "
        f"the tree of all rows: {_leaves([whole.n_leaves_])}, depth {whole.depth_}"
    )
    header = ("attribute", "at the root", "anywhere", "nodes in the tree of all rows")
    return Grid(f"{counted(len(trees), 'tree')}: {plan}", header, tuple(lines), below=sizes)


def _nodes(number: int, whole: TreeClassifier, feature: int) -> str:
    return f"{number}, root" if whole.tree_.feature[0] == feature else str(number)


def _leaves(numbers: Sequence[int]) -> str:
    return f"{_range(numbers)} {'leaf' if max(numbers) == 1 else 'leaves'}"


def _range(values: Sequence[int]) -> str:
    return str(values[0]) if min(values) == max(values) else f"{min(values)} to {max(values)}"
