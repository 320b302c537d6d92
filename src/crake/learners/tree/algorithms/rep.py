"""REPTree: a fast tree of information gain, pruned by rows that it was not grown from."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from crake.arrays import Rows
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.weka.java_random import JavaRandom
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import arriving
from crake.learners.tree.pruning.j48 import brought_together
from crake.learners.tree.pruning.reduced_error import pruned_by_errors
from crake.learners.tree.tree import Tree

DEALS_ROWS = "copies of a row are dealt to several folds, a heavy row to one, and one fold prunes the tree"


class REPTreeClassifier(TreeClassifier):
    """WEKA's REPTree: information gain, a branch per value, reduced-error pruning, then all rows counted in the leaves.

    A numeric column is cut where the known rows gain most. A column's gain counts its missing rows, shared out over
    the branches. The node is a leaf unless its best column has two branches of `min_samples_leaf`.

    Parameters
    ----------
    min_samples_leaf : the least weight of two branches of a split; a node below twice this weight is a leaf.
    pruning : "reduced-error", or None: the tree grows from all rows and stays as it is.
    folds : one of as many folds of the rows prunes the tree, the others grow it.
    max_depth : the most splits on a path.
    laplace : leaves answer (n_c + 1)/(n + K).
    random_state : the seed of the generator that deals the rows, as WEKA does it with this seed.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(REPTreeClassifier(pruning=None).fit(load("golf")))
    outlook = Overcast: Yes (4)
    outlook = Rainy
    |   humidity = High: No (3)
    |   humidity = Normal: Yes (2)
    outlook = Sunny
    |   windy = False: Yes (3)
    |   windy = True: No (2)
    <BLANKLINE>
    5 leaves, 8 nodes

    Quinlan (1987), Simplifying decision trees; Witten, Frank, Hall, Pal (2016), Data mining, 4th edition.
    """

    card = Card(
        title="REPTree",
        about="tree by information gain, pruned by a third of the rows",
        model="a tree",
        missing="divided among the branches",
        has_interactions=True,
        probabilities="shares in a leaf's rows",
        time="a sort per number, a pass per level",
        is_compared=False,
        usual_grid={"min_samples_leaf": [20, 10, 5, 2], "folds": [3, 5, 10]},
    )
    has_exact_sums = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "pruning": [StrOptions({"reduced-error"}), None],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "laplace": ["boolean"],
        "random_state": [Interval(Integral, -(2**31), 2**31 - 1, closed="both")],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        min_samples_leaf: float = 2,
        *,
        pruning: str | None = "reduced-error",
        folds: int = 3,
        max_depth: int | None = None,
        laplace: bool = False,
        random_state: int = 1,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.pruning = pruning
        self.folds = folds
        self.max_depth = max_depth
        self.laplace = laplace
        self.random_state = random_state
        self.class_weight = class_weight
        self.nominal = nominal

    def _growth(self) -> Growth:
        return Growth(
            criterion="entropy",
            min_leaf=float(self.min_samples_leaf),
            max_depth=self.max_depth,
            min_gain=1e-6,
            missing="shared",
            is_rep=True,
        )

    def _grown_on_part(self, training: Training) -> Tree:
        grown_from, pruned_by = dealt_rows(training, self.folds, self.random_state)
        if not len(grown_from):
            return self._grown(training)
        rows = training.take(pruned_by)
        return counted_in(pruned_by_errors(grow(training.take(grown_from), self._growth()), rows, slack=0.0), rows)

    def _weight_exception(self) -> str:
        return DEALS_ROWS if self.pruning is not None else ""


def dealt_rows(training: Training, folds: int, seed: int) -> tuple[Rows, Rows]:
    """Return the rows to grow from and those to prune by: shuffled, brought together by class, dealt to the folds.

    The first fold prunes. It is the first block of the rows as they were dealt. Numbers are only shuffled.
    """
    generator = JavaRandom(seed)
    order = generator.shuffled(len(training))
    if not len(training.response):
        order = order[brought_together(training.target[order].astype(np.intp))]
        order = np.concatenate([order[start::folds] for start in range(folds)])
    first = -(-len(order) // folds)
    return order[first:][generator.shuffled(len(order) - first)], order[:first]


def counted_in(tree: Tree, rows: Training) -> Tree:
    """Return the tree with more rows in its nodes; its shares stay those of the rows that it was grown from."""
    return replace(tree, counts=tree.counts + arriving(tree, rows))
