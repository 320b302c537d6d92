"""REPTree for numbers: a fast tree of squared error, pruned by rows that it was not grown from."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.card import Card
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.tree.algorithms.rep import DEALS_ROWS, dealt_rows
from crake.learners.tree.editing.change import Branch
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.many_values import warn_of_many_values
from crake.learners.tree.predicting.arrivals import response_sums
from crake.learners.tree.predicting.routing import Cases, mixed_predictions
from crake.learners.tree.pruning.reduced_error import pruned_by_errors
from crake.learners.tree.regressor import TreeRegressor
from crake.learners.tree.tree import Tree, scaled_response
from crake.table.table import Table


class REPTreeRegressor(TreeRegressor):
    """WEKA's REPTree for numbers: squared error, a branch per value, reduced-error pruning, then all rows counted.

    A numeric column is cut where the known rows lose most squared error. A column's score counts its missing rows,
    shared out over the branches. The node is a leaf unless its best column has two branches of `min_samples_leaf`.

    Parameters
    ----------
    min_samples_leaf : the least weight of two branches of a split; a node below twice this weight is a leaf.
    min_variance : a node whose variance is below this share of that of all rows it is grown from is a leaf.
    pruning : "reduced-error", or None: the tree grows from all rows and stays as it is.
    folds : one of as many folds of the rows prunes the tree, the others grow it.
    max_depth : the most splits on a path.
    random_state : the seed of the generator that deals the rows, as WEKA does it with this seed.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> X, y = [["red"], ["blue"], ["red"], ["blue"], ["blue"]], [1.0, 3.0, 2.0, 4.0, 5.0]
    >>> print(REPTreeRegressor(pruning=None).fit(X, y))
    x0 = blue: 4 (3)
    x0 = red: 1.5 (2)
    <BLANKLINE>
    2 leaves, 3 nodes

    Quinlan (1987), Simplifying decision trees; Witten, Frank, Hall, Pal (2016), Data mining, 4th edition.
    """

    card = Card(
        title="REPTree",
        about="tree by squared error, pruned by a third of the rows",
        model="a tree",
        missing="divided among the branches",
        has_interactions=True,
        time="a sort per number, a pass per level",
        is_compared=False,
        usual_grid={"min_samples_leaf": [20, 10, 5, 2], "folds": [3, 5, 10]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "min_variance": [Interval(Real, 0, None, closed="left")],
        "pruning": [StrOptions({"reduced-error"}), None],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": [Interval(Integral, -(2**31), 2**31 - 1, closed="both")],
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        min_samples_leaf: float = 2,
        *,
        min_variance: float = 1e-3,
        pruning: str | None = "reduced-error",
        folds: int = 3,
        max_depth: int | None = None,
        random_state: int = 1,
        nominal: Any = "auto",
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.min_variance = min_variance
        self.pruning = pruning
        self.folds = folds
        self.max_depth = max_depth
        self.random_state = random_state
        self.nominal = nominal

    def _learn(self, table: Table, y: Floats) -> None:
        self.edits_ = ()
        y, power = scaled_response(y)
        training = Training.of_numbers(table, y)
        warn_of_many_values(table)
        tree = self._grown(training) if self.pruning is None else self._grown_on_part(training)
        self.tree_ = tree.with_response_times(power)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the mean of the leaf each row reaches; where values are missing, a mixture of several."""
        means = np.ascontiguousarray(self.tree_.responses[:, :1])
        return mixed_predictions(self.tree_, Cases.of(table), means, rows)[:, 0]

    def _growth(self) -> Growth:
        return Growth(
            criterion="squared_error",
            min_leaf=float(self.min_samples_leaf),
            max_depth=self.max_depth,
            missing="shared",
            is_rep=True,
            min_variance=float(self.min_variance),
        )

    def _grown(self, training: Training) -> Tree:
        return _with_means_above(grow(training, self._growth()))

    def _grown_on_part(self, training: Training) -> Tree:
        grown_from, pruned_by = dealt_rows(training, self.folds, self.random_state)
        if not len(grown_from):
            return self._grown(training)
        rows = training.take(pruned_by)
        return _counted_in(pruned_by_errors(self._grown(training.take(grown_from)), rows), rows)

    def _regrown(self, branch: Branch) -> Piece:
        learner = self._below(branch)
        learner.min_variance = self.min_variance * _variance(branch.every) / max(_variance(branch.rows), 1e-300)
        grown = learner._grown if self.pruning is None else learner._grown_on_part  # noqa: SLF001 (the same class)
        return Piece(grown(branch.training))

    def _weight_exception(self) -> str:
        return DEALS_ROWS if self.pruning is not None else ""


def _variance(rows: Training) -> float:
    """Return the variance of the numbers to learn."""
    weights = rows.row_weights
    return float(np.average((rows.response - np.average(rows.response, weights=weights)) ** 2, weights=weights))


def _with_means_above(tree: Tree) -> Tree:
    """Return the tree in which a node without rows predicts the mean of the node above."""
    means, weight = tree.responses[:, 0].copy(), tree.weight
    for node in np.flatnonzero(weight <= 0).tolist():  # children come after their parents
        means[node] = means[tree.parent[node]] if node else means[node]
    return replace(tree, responses=np.column_stack([means, tree.responses[:, 1]]))


def _counted_in(tree: Tree, rows: Training) -> Tree:
    """Return the tree with more rows in the means of its nodes; its shares stay those that it was grown with.

    With the weight W, mean m and squared error Q of a node, and v, n, P of the rows that arrive, the mean is
    (W·m + v·n)/(W + v) and the squared error Q + P + (m − n)²·W·v/(W + v).
    """
    v, vz, vzz = response_sums(tree, rows)
    W, base = tree.weight, tree.responses[0, 0]
    arrived = v > 0
    shift = vz / np.where(arrived, v, 1.0)
    P = np.where(arrived, np.maximum(vzz - shift * vz, 0.0), 0.0)
    total = np.where(W + v > 0, W + v, 1.0)
    m, n = tree.responses[:, 0] - base, np.where(arrived, shift, 0.0)
    mean = np.where(arrived, base + (W * m + v * n) / total, tree.responses[:, 0])
    squares = tree.responses[:, 1] + P + (m - n) ** 2 * W * v / total
    counted = replace(tree, counts=tree.counts + v[:, None], responses=np.column_stack([mean, squares]))
    return _with_means_above(counted)
