"""The trees of a boosted model as regression trees of their own, each of which predicts what it adds to the score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.regressor import schema_with_number
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.tree import Tree
from crake.table.schema import Kind, Schema

if TYPE_CHECKING:
    from crake.learners.ensemble.boosting.base import Boosting


def members_of(model: Boosting) -> NDArray[Any]:
    """Return all trees as fitted regressors, shape (rounds, outputs)."""
    outputs, schema = len(model.base_), _schema_of_numbers(model.schema_)
    each = np.empty((model.n_estimators_, outputs), dtype=object)
    for at in range(len(model.trees_)):
        member = CARTRegressor(missing="branch")
        for name in ("n_features_in_", "feature_names_in_", "missing_"):  # the names only if X had some
            if hasattr(model, name):
                setattr(member, name, getattr(model, name))
        member.left_out_, member.schema_ = 0, schema
        member.edits_, member.tree_ = (), with_means_of_nodes(model.trees_.tree(at))
        each[divmod(at, outputs)] = member
    return each


def with_means_of_nodes(tree: Tree) -> Tree:
    """Return the tree with the mean, and the squared error, of what the leaves below each node add to their rows.

    A node's mean is Σ W·m / Σ W over its children, its squared error Σ (S + W·(m − mean)²): W, m and S are weight, mean
    and squared error of a child.
    """
    weight, responses = tree.counts[:, 0], tree.responses.copy()
    for node in range(len(tree) - 1, -1, -1):  # children stand behind their parents
        if tree.kind[node] != LEAF:
            below = slice(tree.first[node], tree.first[node] + tree.branches[node])
            responses[node] = _joined(weight[below], responses[below])
    return replace(tree, responses=responses)


def _joined(weight: Floats, children: Floats) -> tuple[float, float]:
    total = float(weight.sum())
    shares = weight / total if total > 0 else np.full(len(weight), 1 / len(weight))
    mean = float(shares @ children[:, 0])
    return mean, float(np.sum(children[:, 1] + weight * (children[:, 0] - mean) ** 2))


def _schema_of_numbers(schema: Schema) -> Schema:
    """Return the columns of a regressor; the features of a classifier, and the score that its trees add to."""
    if schema.target is None or schema[schema.target].kind is Kind.NUMERIC:
        return schema
    return schema_with_number(schema.select([column.name for column in schema.features]), "score")
