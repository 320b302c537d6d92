"""NBTree: a decision tree whose leaves are naive Bayes models, split where that makes naive Bayes err less."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.errors import CrakeError
from crake.export.forms import Form, Mixture
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.state import State, StateReader
from crake.learners.bayes_tree.errors import cuts_by_row
from crake.learners.bayes_tree.growing import NOTHING, Grown, NodeRows, Rules, grow_tree
from crake.learners.bayes_tree.showing import draw_model, leaf_grids, model_text
from crake.learners.bayes_tree.workings import explain_row
from crake.learners.naive_bayes.discretised import counted
from crake.learners.naive_bayes.form import bayes_form
from crake.learners.naive_bayes.learner import NaiveBayesClassifier
from crake.learners.tree.estimator import TreeSize
from crake.learners.tree.explaining.cut_points import thresholds_of
from crake.learners.tree.export.form import tree_form
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.many_values import warn_of_many_values
from crake.learners.tree.predicting.reached_nodes import leaf_of_each, leaf_shares, portions, single_leaves
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.state import tree_of, tree_state
from crake.learners.tree.tree import Tree
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.workings import Workings
from crake.statistics import DistinctCounts
from crake.table.convert.export import label_array
from crake.table.schema import Column, Schema
from crake.table.table import Table

DEALS_ROWS = "copies of a row are dealt to several folds, a heavy row to one, and their errors decide about splits"


class NBTreeClassifier(TreeSize, TableClassifier):
    """A decision tree with naive Bayes in its leaves: few splits, each where naive Bayes alone falls short.

    A node is split if naive Bayes, cross-validated, errs less in the branches than in the node. Of each column the
    split that C4.5 would choose is tried, and the one with the fewest errors is taken. In a leaf numbers are cut by
    MDL, by the rows of that leaf. A row whose value is missing at a split goes down all branches in parts.

    Parameters
    ----------
    alpha : added to every count in the leaves (1 = Laplace).
    folds : the folds in which errors are cross-validated.
    min_samples_split : the least weight of a node that is split.
    min_improvement : the least share of its errors that a split must take away.
    variant : "kohavi" deals the rows of a node to folds by class; "weka" takes them in blocks as they come.
    random_state : the seed that deals rows to folds.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(NBTreeClassifier().fit(load("weather")))
    every row: naive Bayes 0 (14 rows)
    <BLANKLINE>
    1 leaf, 1 node

    Kohavi (1996), Scaling up the accuracy of naive-Bayes classifiers: a decision-tree hybrid.
    """

    card = Card(
        title="NBTree",
        about="tree with naive Bayes in its leaves",
        model="a tree, counts per class in each leaf",
        missing="divided among the branches; skipped in a leaf",
        has_interactions=True,
        probabilities="its own, often too near 0 or 1",
        time="five naive Bayes fits per column and level",
        is_compared=False,
        usual_grid={"alpha": [1.0, 0.5, 0.1], "min_samples_split": [100, 30]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "min_samples_split": [Interval(Real, 0, None, closed="left")],
        "min_improvement": [Interval(Real, 0, 1, closed="both")],
        "variant": [StrOptions({"kohavi", "weka"})],
        "random_state": [Interval(Integral, 0, 2**31 - 1, closed="both")],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    leaves_: dict[int, NaiveBayesClassifier]

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        folds: int = 5,
        min_samples_split: float = 30,
        min_improvement: float = 0.05,
        variant: str = "kohavi",
        random_state: int = 1,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.folds = folds
        self.min_samples_split = min_samples_split
        self.min_improvement = min_improvement
        self.variant = variant
        self.random_state = random_state
        self.class_weight = class_weight
        self.nominal = nominal

    def _learn(self, table: Table) -> None:
        (batch,) = table.batches()
        warn_of_many_values(table)
        self.schema_ = table.schema
        self.classes_ = label_array(table.schema.classes)
        training = Training.of(table.schema, batch, has_grid=False)  # leaves learn from the weights as they are
        rules = Rules(
            float(self.alpha),
            int(self.folds),
            float(self.min_samples_split),
            float(self.min_improvement),
            int(self.random_state),
            is_weka=self.variant == "weka",
        )
        grown = grow_tree(training, table.schema, rules)
        self.tree_ = grown.tree
        self.leaves_ = self._fitted_leaves(table, training, grown)

    def _fitted_leaves(self, table: Table, training: Training, grown: Grown) -> dict[int, NaiveBayesClassifier]:
        """Return the models by node: of the leaves, and of a node that answers for a branch without rows."""
        table = replace(table, schema=_without_texts(table.schema))
        models: dict[int, NaiveBayesClassifier] = {}
        for node in _answering(grown.tree)[grown.tree.kind == LEAF].tolist():
            if node not in models:
                own = grown.rows[node]
                rows = table.take(own.rows).with_weights(own.weights)
                models[node] = self._leaf_learner().fit(rows)
                if self.variant == "weka":
                    _cut_by_row(models[node], training, own)
        return models

    def _leaf_learner(self) -> NaiveBayesClassifier:
        return NaiveBayesClassifier(self.alpha, prior="laplace", numeric="discretised")

    def apply(self, X: Any) -> Longs:
        """Return the number of the leaf that each row reaches; of several, the one with its largest part."""
        return leaf_of_each(self.tree_, Cases.of(self._coded(X)))

    def leaf(self, number: Any) -> NaiveBayesClassifier:
        """Return the naive Bayes model of a leaf; one that no training row reached has that of the node above.

        It has tables, drawings and explanations of its own.
        """
        check_is_fitted(self)
        is_whole = isinstance(number, Integral) and not isinstance(number, bool)
        if not is_whole or not 0 <= int(number) < len(self.tree_) or self.tree_.kind[number] != LEAF:
            leaves = np.flatnonzero(self.tree_.kind == LEAF)
            listed = ", ".join([*map(str, leaves[:12]), *(["…"] if len(leaves) > 12 else [])])
            raise CrakeError(f"expected the number of a leaf ({listed}), got {number!r}")
        return self.leaves_[int(_answering(self.tree_)[number])]

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the posterior of each row in its leaf; a mixture over leaves where values are missing or new."""
        places = np.arange(len(table)) if rows is None else rows
        cases = Cases.of(table)
        cases = Cases(cases.layout, cases.values[places], cases.codes[places])
        answering = _answering(self.tree_)
        out = np.zeros((len(places), len(self.classes_)))
        leaves, is_mixed = single_leaves(self.tree_, cases)
        models = np.where(is_mixed, -1, answering[leaves])
        for node in np.unique(models[models >= 0]).tolist():
            here = np.flatnonzero(models == node)
            out[here] = self.leaves_[node].probabilities(table, places[here])
        for some in portions(self.tree_, np.flatnonzero(is_mixed)):
            shares = leaf_shares(self.tree_, cases, some)
            for leaf in np.flatnonzero(shares.any(axis=0)).tolist():
                here = np.flatnonzero(shares[:, leaf])
                answers = self.leaves_[int(answering[leaf])].probabilities(table, places[some[here]])
                out[some[here]] += shares[here, leaf, None] * answers
        return out

    def _form(self) -> Form:
        answering = _answering(self.tree_)
        models = sorted(self.leaves_)
        answers = np.zeros((len(self.tree_), len(models)))
        for leaf in np.flatnonzero(self.tree_.kind == LEAF).tolist():
            answers[leaf, models.index(int(answering[leaf]))] = 1.0
        forms = tuple(bayes_form(self.leaves_[node], self.schema_) for node in models)
        return Mixture(tree_form(self.tree_, self.schema_, answers), forms) if len(forms) > 1 else forms[0]

    def explain(self, row: Any) -> Workings:
        """Return the way down the tree, then naive Bayes of the leaf, worked by hand.

        A row with a missing value goes down several branches in parts: then the sum over their leaves.
        """
        table = self._one_row(row)
        return explain_row(self, table, self.probabilities(table)[0])

    def draw(self, depth: int | None = None, direction: str | None = None) -> Drawing:
        """Draw the tree down to a depth (None: about sixty boxes); `leaf(number).draw()` draws a leaf's model."""
        check_is_fitted(self)
        return draw_model(self, depth, direction)

    def tables(self) -> tuple[Grid, ...]:
        """Return the frequency and likelihood tables of the leaves, the heaviest leaf first."""
        check_is_fitted(self)
        return leaf_grids(self)

    def _cut_points(self, column: Column) -> Floats:
        of_tree = thresholds_of(self.tree_, self.schema_.features.index(column))
        own = [model._cut_points(column) for model in self.leaves_.values()]  # noqa: SLF001 (the same hook)
        return np.unique(np.concatenate([of_tree, *(cuts for cuts in own if cuts is not None)]))

    def _weight_exception(self) -> str:
        return DEALS_ROWS

    def state(self) -> State:
        """Return the tree, and the model of each leaf."""
        check_is_fitted(self)
        leaves = {str(node): model for node, model in self.leaves_.items()}
        return {**super().state(), "tree": tree_state(self.tree_), "leaves": leaves}

    def restore(self, reader: StateReader) -> Self:
        """Take back the tree and its leaves, if they fit together."""
        super().restore(reader)
        self.classes_ = label_array(self.schema_.classes)
        self.tree_ = tree_of(reader.part("tree"), self.schema_)
        leaves, self.leaves_ = reader.part("leaves"), {}
        schema = _without_texts(self.schema_)
        for node in np.unique(_answering(self.tree_)[self.tree_.kind == LEAF]).tolist():
            model = leaves.learner(str(node))
            if type(model) is not NaiveBayesClassifier or model.numeric != "discretised":
                raise leaves.refusal(str(node), f"is a {type(model).__name__}", "naive Bayes of cut numbers")
            if getattr(model, "schema_", None) != schema:
                raise leaves.refusal(str(node), "was fitted on other columns", "those of the tree")
            self.leaves_[node] = model
        return self

    def __str__(self) -> str:
        return model_text(self) if hasattr(self, "tree_") else repr(self)


def _cut_by_row(model: NaiveBayesClassifier, training: Training, rows: NodeRows) -> None:
    """Cut the numbers of a leaf by its number of rows, as WEKA does; the model cut them by the weight of its rows."""
    target = training.target[rows.rows].astype(np.int32)
    values = training.values[rows.rows]
    columns = model.statistics_[DistinctCounts].by_column
    cuts = [cuts_by_row(values[:, j], target, rows.weights, training.classes) for j in range(len(columns))]
    model._count_intervals(tuple(counted(*each) for each in zip(columns, cuts, strict=True)))  # noqa: SLF001 (a hook)


def _answering(tree: Tree) -> Longs:
    """Return the node whose model answers at each node: itself, or the next one above that has rows."""
    source = np.arange(len(tree))
    empty = tree.weight < NOTHING
    while np.any(climbs := empty[source] & (source > 0)):
        source = np.where(climbs, tree.parent[source], source)
    return source


def _without_texts(schema: Schema) -> Schema:
    """Return the columns that leaves read: running text stays behind."""
    texts = {column.name for column in schema.texts}
    names = [column.name for column in schema.columns if column.name not in texts]
    return schema.select(names) if texts else schema
