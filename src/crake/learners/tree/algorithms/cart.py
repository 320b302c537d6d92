"""CART: binary splits by Gini or entropy, subsets of nominal values, surrogates, cost-complexity pruning."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.learners.base.card import Card, many_classes_and_levels
from crake.learners.base.class_weights import CONSTRAINT as CLASS_WEIGHT
from crake.learners.base.parameters import StrOptions
from crake.learners.tree.algorithms.cart_common import CONSTRAINTS, CARTGrowth, without_heavier_side
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.leaves import leaf_probabilities
from crake.learners.tree.predicting.routing import Cases, leaves_of_training, reached_leaves
from crake.learners.tree.predicting.wrong_rows import wrong_rows
from crake.learners.tree.pruning.by_rows import HOLD_OUT
from crake.learners.tree.pruning.cost_complexity import error_risk
from crake.learners.tree.pruning.cross_validated import Method
from crake.learners.tree.tree import Tree
from crake.table.table import Table


class CARTClassifier(CARTGrowth, TreeClassifier):
    """Classification trees of Breiman, Friedman, Olshen and Stone.

    A number is split at the midpoint between neighbours, a nominal column into two sets of its values: the best of all
    divisions for two classes, and for more classes up to 10 values in the node; beyond that the best of the orders by
    the share of each class. A value that the node does not have goes to its heavier side; one never seen is missing.

    Parameters
    ----------
    criterion : "gini" or "entropy".
    max_depth : the most splits on a path.
    min_samples_split : a node of less weight is a leaf.
    min_samples_leaf : the least weight on either side of a split.
    min_weight_fraction_leaf : the least weight there as a share of all rows' weight.
    max_leaf_nodes : the most leaves; the splits that remove most impurity are kept.
    min_impurity_decrease : a split must remove as much impurity, weighted by the node's share of the rows.
    max_features : columns looked at in each node, drawn at random: a number, a share, "sqrt" or "log2"; None: all. More
        are drawn while none of them splits the node.
    missing : "surrogate": a row whose value is missing goes where other columns that split alike tell, then to the
        heavier side; "fractional": down both sides by their weights, also when a split is scored; "branch": down a
        third branch, and to the heavier side where no row of the node had a gap.
    max_surrogates : surrogates kept for a split; None: 5 where the training rows have gaps, otherwise 0.
    ccp_alpha : prune to the tree of least impurity + alpha × leaves.
    pruning : None; "cost-complexity": prune to the tree of least errors + alpha × leaves, alpha by cross-validation; or
        by rows held out from growing: "reduced-error", "error-complexity" (alpha by these rows) or "critical-value";
        or "mdl": the shortest code of the tree and its rows' classes, by which nodes stop growing, too.
    critical_value : with pruning="critical-value" a subtree stays if one of its splits decreases the impurity of its
        node as much; None: the rows held out choose it.
    folds : of that cross-validation.
    validation_fraction : the share of the rows held out for pruning.
    standard_errors : 0 takes the tree of the fewest errors of these tests, 1 the smallest within one standard error.
    random_state : how the cross-validation deals the rows, which rows are held out, which columns are drawn.
    variant : "cart", or "simple-cart" for WEKA's SimpleCart: left is < cut, and a node is a leaf if a side of its best
        split has fewer than min_samples_leaf rows. SimpleCart -U is missing="fractional", min_samples_leaf=2.
    laplace : leaves answer (n_c + 1)/(n + K).
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(CARTClassifier(max_depth=2).fit(load("golf")))
    outlook = Overcast: Yes (4)
    outlook in {Rainy, Sunny}
    |   humidity = Normal: Yes (5/1)
    |   humidity = High: No (5/1)
    <BLANKLINE>
    3 leaves, 5 nodes

    Breiman, Friedman, Olshen, Stone (1984), Classification and regression trees.
    """

    card = Card(
        title="CART",
        about="tree with two branches at each node, by Gini, with surrogates",
        model="a tree",
        missing="other columns decide (surrogates)",
        has_interactions=True,
        probabilities="shares in a leaf's rows",
        time="a sort per number, a pass per level",
        too_much=many_classes_and_levels,
        usual_grid={"max_leaf_nodes": [4, 8, 16, None], "min_samples_leaf": [10, 5, 1]},
    )
    scans_rows = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions({"gini", "entropy"})],
        **CONSTRAINTS,
        "pruning": [StrOptions({"cost-complexity", "mdl", *HOLD_OUT}), None],
        "variant": [StrOptions({"cart", "simple-cart"})],
        "laplace": ["boolean"],
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        criterion: str = "gini",
        *,
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_features: Any = None,
        missing: str = "surrogate",
        max_surrogates: int | None = None,
        ccp_alpha: float = 0.0,
        pruning: str | None = None,
        critical_value: float | None = None,
        folds: int = 10,
        standard_errors: float = 0,
        validation_fraction: float = 1 / 3,
        random_state: int = 1,
        variant: str = "cart",
        laplace: bool = False,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.ccp_alpha = ccp_alpha
        self.pruning = pruning
        self.critical_value = critical_value
        self.folds = folds
        self.standard_errors = standard_errors
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.variant = variant
        self.laplace = laplace
        self.class_weight = class_weight
        self.nominal = nominal

    def _completed_scan(self, tree: Tree) -> Tree:
        return self._pruned_at_alpha(self._completed(tree))

    def _method(self) -> Method:
        goes_one_way = self.missing != "fractional"
        return Method(self._unpruned, error_risk, wrong_rows, _errors_at, leaves_of_training if goes_one_way else None)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """The class shares of the leaf each row reaches; a mixture under missing="fractional"."""
        if not len(self.tree_.surrogates):
            return super().probabilities(table, rows)
        leaves = reached_leaves(self.tree_, Cases.of(table), rows)
        answers: Floats = leaf_probabilities(self.tree_, laplace=self.laplace)[leaves]
        return answers

    @property
    def _shown_tree(self) -> Tree:
        return without_heavier_side(self.tree_)


def _errors_at(tree: Tree, rows: Training, nodes: Longs) -> Floats:
    """1 where a row's class is not the majority of the node that answers it."""
    wrong: Floats = (np.argmax(tree.counts[nodes], axis=1) != rows.target).astype(np.float64)
    return wrong
