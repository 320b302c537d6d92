"""An unstable root: a tree whose root split changes from fold to fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import InMemory
from crake.learners.base.scikit_learn import clone
from crake.learners.tree.classifier import TreeClassifier
from crake.render.check import Check
from crake.render.plain_text import shown

FOLDS, FEWEST = 10, 3
"""Trees looked at, at most and at least."""
MANY_CELLS = 500_000
"""Rows × columns beyond which only the fewest trees are grown."""
SAME = 0.8
"""A root that this share of them has is steady."""


def unsteady_root(evaluation: Evaluation) -> Iterator[Check]:
    """Compare the root splits of the trees of up to ten folds; of three folds where rows are many.

    It speaks where fewer than eight of ten ask for the same column. No test: equally good first questions are common.
    """
    roots = _roots(evaluation)
    if len(roots) < FEWEST:
        return
    counted = Counter(roots).most_common()
    if counted[0][1] >= SAME * len(roots):
        return
    names = ", ".join(f"{shown(name, 40)!r} {times}" for name, times in counted[:4])
    more = f" and {len(counted) - 4} more" if len(counted) > 4 else ""
    yield Check(
        "unsteady-root",
        "note",
        f"The first question of {evaluation.name} changes from fold to fold: of {len(roots)} trees {names}{more}.",
        "Other trees fit as well: read no causes off this one; crake.tree_stability(learner, table) shows more.",
    )


def _roots(evaluation: Evaluation) -> list[str]:
    context = evaluation.context
    if context is None or not isinstance(context.data, InMemory) or not isinstance(context.learner, TreeClassifier):
        return []
    table, learner = context.table, only_root(context.learner)
    assert context.plan is not None  # noqa: S101 (rows in memory are dealt out by a plan)
    splits = (
        split for assignment in context.plan.rounds(table.target, table.schema.classes) for split in assignment.splits()
    )
    columns: list[str] = []
    trees = FOLDS if len(table) * len(table.schema.features) <= MANY_CELLS else FEWEST
    for training, _ in islice(splits, trees):
        model = clone(learner).fit(table.take(training))
        feature = int(model.tree_.feature[0])
        columns.append("no question" if feature < 0 else model.schema_.features[feature].name)
    return columns


def only_root(learner: Any) -> Any:
    """Return the learner limited to its root split, without pruning; one that has no such limit grows whole."""
    known = learner.get_params(deep=False)
    limits = {"max_depth": 1, "pruning": None, "ccp_alpha": 0.0, "prune": False}
    return clone(learner).set_params(**{name: value for name, value in limits.items() if name in known})
