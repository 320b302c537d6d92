"""A tree as a form that every target of the exports can write."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.export.forms import Among, Compare, Known, Node, Question, Test
from crake.export.forms import Tree as TreeForm
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import Condition, condition_of, surrogate_conditions, surrogates_of
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.tree import Tree
from crake.table.schema import Schema


def tree_form(tree: Tree, schema: Schema, answers: Floats) -> TreeForm:
    """Return the tree; answers[node] are the numbers of a leaf."""
    share = shares(tree)
    nodes = tuple(_node(tree, schema, number, share) for number in range(len(tree)))
    return TreeForm(nodes, np.asarray(answers, np.float64))


def _node(tree: Tree, schema: Schema, number: int, share: Floats) -> Node:
    if tree.kind[number] == LEAF:
        return Node()
    children = tree.children(number)
    own = [condition_of(tree, schema, number, branch) for branch in range(len(children))]
    asked = [own, *(surrogate_conditions(tree, schema, at) for at in surrogates_of(tree, number))]
    features = [int(tree.feature[number]), *(int(tree.surrogates.feature[at]) for at in surrogates_of(tree, number))]
    questions = tuple(_question(feature, each) for feature, each in zip(features, asked, strict=True))
    parts = tuple(float(share[child]) for child in children)
    heaviest = int(np.argmax(tree.weight[list(children)]))
    return Node(questions, tuple(children), int(tree.missing[number]), parts, heaviest)


def _question(feature: int, conditions: list[Condition]) -> Question:
    return tuple(_test(feature, condition) for condition in conditions)


def _test(feature: int, condition: Condition) -> Test | None:
    """Return the test of known values; None where no known value takes the branch."""
    if condition.codes is not None:
        return (Among(feature, condition.codes),) if condition.codes else None
    if condition.low == np.inf:
        return None
    above = () if np.isneginf(condition.low) else (Compare(feature, ">", float(condition.low)),)
    below = () if np.isposinf(condition.high) else (Compare(feature, "<=", float(condition.high)),)
    return (*above, *below) or (Known(feature),)
