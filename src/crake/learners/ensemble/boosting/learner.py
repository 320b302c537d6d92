"""The boosted classifier: logistic loss for two classes, multinomial loss for more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Rows
from crake.errors import CrakeError, DataError
from crake.export import forms
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.classifier import TableClassifier
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.boosting.base import CONSTRAINTS, Boosting
from crake.learners.ensemble.boosting.losses import Logistic, Loss, Multinomial, shares_of
from crake.learners.ensemble.boosting.scanned.boosting import Objective
from crake.learners.ensemble.boosting.scanned.partitions import rows_of_classes
from crake.learners.ensemble.boosting.settings import LEVEL_SMOOTHING
from crake.learners.ensemble.boosting.trees import no_trees
from crake.learners.ensemble.boosting.workings import explained_class
from crake.learners.ensemble.foreseen import COMPARED_FROM, seconds_of_rounds
from crake.learners.tree.scanned.layout import class_factors_of
from crake.learners.tree.scanned.partitions import rows_of_scan
from crake.learners.tree.scanned.rows import ScannedRows
from crake.plans import Holdout
from crake.render.plain_text import visible
from crake.render.workings import Workings
from crake.slow_modules import special
from crake.table.convert.export import label_array
from crake.table.schema import Schema
from crake.table.table import Table


class BoostedTreesClassifier(Boosting, TableClassifier):
    """Gradient boosting: a sum of trees of few leaves, each grown on what the sum before it has wrong.

    The sum is the log odds of the second of two classes; with more classes each has a sum of its own. Numbers are put
    into at most 255 bins. Names are split into two sets, missing values take the side that removes more loss.

    Parameters
    ----------
    n_estimators : the most rounds; a round has a tree, or a tree for each of three classes or more.
    learning_rate : a factor of what each leaf adds.
    max_leaf_nodes : the most leaves of a tree; the split that removes most loss comes next.
    max_depth : the most splits on a path.
    min_samples_leaf : the least weight of the rows of a leaf. While splits are compared the weight of a side is
        estimated by its hessian. A split with a side that is lighter in truth is dropped.
    l2_regularization : λ of a leaf's value −G/(H + λ).
    level_smoothing : levels are ordered by their mean gradient, as if this many rows of a level had that of the node;
        the hessians of this many rows are added to λ where names are split. A leaf of weight W of such a split adds
        W/(W + this) of its value. A node is split by a column of more than four levels only if these differ there by
        more than chance would have it, times this / 20.
    max_bins : the most bins of a column; rarer levels beyond share one.
    monotonic_cst : 1 if the probability of the second class must not fall with a number, −1 if it must not rise; by
        name, or one for each column. Two classes only.
    n_iter_no_change : stop when the loss on rows held out has not fallen for this many rounds; None: never.
    validation_fraction : the share of the rows held out for that.
    random_state : which rows are held out. Nothing else is random.
    class_weight : "balanced", or weights by class.
    nominal : "auto", "all", or the columns of X to read as nominal.

    Fitted: `trees_` (all trees as arrays; `trees_.tree(0)` is the first), `estimators_` (the same trees as regressors,
    one row for each round), `base_` (the score without trees), `held_out_losses_`, `feature_importances_`,
    `n_estimators_`. The model is the same for any number of threads and, without rows held out, for any order of the
    rows: gradients are added as whole numbers.

    >>> from crake.table.examples import load
    >>> model = BoostedTreesClassifier(n_estimators=20).fit(load("breast-cancer"))
    >>> model.predict_proba(load("breast-cancer"))[:2].round(2).tolist()
    [[0.18, 0.82], [0.09, 0.91]]

    Friedman (2001), Greedy function approximation: a gradient boosting machine.
    """

    card = Card(
        title="gradient boosting",
        about="sum of 100 small trees, each grown on what the sum has wrong",
        model="a sum of many",
        is_readable=False,
        missing="the side that removes more loss",
        has_interactions=True,
        probabilities="its own, usually near the truth",
        time="a sort per number, some passes over bins per tree",
        fewest_rows=COMPARED_FROM,
        seconds=seconds_of_rounds,
        usual_grid={"max_leaf_nodes": [8, 31], "learning_rate": [0.1, 0.05]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**CONSTRAINTS, "class_weight": CONSTRAINT}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        level_smoothing: float = LEVEL_SMOOTHING,
        max_bins: int = 255,
        monotonic_cst: Any = None,
        n_iter_no_change: int | None = None,
        validation_fraction: float = 0.1,
        random_state: int = 1,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.level_smoothing = level_smoothing
        self.max_bins = max_bins
        self.monotonic_cst = monotonic_cst
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.class_weight = class_weight
        self.nominal = nominal

    def _learn(self, table: Table) -> None:
        if not table.in_memory:
            self._learn_scan(rows_of_scan(table))
            return
        self._check_directions(table.schema)
        classes = len(table.schema.classes)
        trees, base, losses = no_trees(), np.zeros(_outputs(classes)), []
        if len(np.unique(table.target)) > 1:
            target, schema = table.target, table.schema
            tested = np.zeros(0, np.intp) if self.n_iter_no_change is None else self._tested(target, schema)
            boosted = self._boosted(table, _loss(target, classes), tested)
            trees, base, losses = boosted.trees, boosted.base, boosted.held_out_losses
        elif classes > 1:
            base = _base_of_one_class(np.bincount(table.target, minlength=classes))
        self.schema_, self.classes_ = table.schema, label_array(table.schema.classes)
        self.trees_, self.base_, self.held_out_losses_ = trees, base, np.array(losses)

    def _learn_scan(self, rows: ScannedRows) -> None:
        """Learn from rows that need not fit into memory."""
        self._check_directions(rows.schema)
        schema, classes = rows.schema, len(rows.schema.classes)
        self.schema_, self.left_out_ = schema, rows.left_out
        self.classes_ = label_array(schema.classes)
        self.trees_, self.base_, self.held_out_losses_ = no_trees(), np.zeros(_outputs(classes)), np.zeros(0)
        factors = class_factors_of(self.class_weight, rows)
        if np.count_nonzero(rows.counts) > 1:
            held_out = None if self.n_iter_no_change is None else partial(self._tested, schema=schema)
            kind = np.float64 if classes == 2 else np.int32
            loss = partial(_loss, classes=classes)
            objective = Objective(loss, kind, _outputs(classes), held_out, factors, rows.counts)
            boosted = self._boosted_scan(rows_of_classes(rows), objective)
            self.trees_, self.base_ = boosted.trees, boosted.base
            self.held_out_losses_ = np.array(boosted.held_out_losses)
        elif classes > 1:
            self.base_ = _base_of_one_class(rows.counts)

    def _check_directions(self, schema: Schema) -> None:
        classes = len(schema.classes)
        if classes > 2 and self._settings(schema).direction.any():
            raise CrakeError(f"monotonic_cst needs two classes, got {classes}: the scores of several have no direction")

    def _tested(self, target: Ints, schema: Schema) -> Rows:
        """Return the rows held out, if the rows can be parted."""
        plan = Holdout(train=1.0 - self.validation_fraction, random_state=self.random_state)
        try:
            learned, tested = plan.assign(target, schema.classes).split(0)
        except DataError:
            return np.zeros(0, np.intp)
        is_enough = len(learned) and len(np.unique(target[learned])) == len(np.unique(target))
        return tested if is_enough else np.zeros(0, np.intp)

    def probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return 1/(1 + exp(−score)) of two classes, the softmax of the scores of more."""
        return self._probabilities_of(self._scores(table, rows))

    def _form(self) -> Form:
        if len(self.classes_) == 1:
            return forms.Additive(np.ones(1))
        scores = self._scores_form()
        return forms.Logistic(scores) if len(self.classes_) == 2 else forms.Softmax(scores)

    def decision_function(self, X: Any) -> Floats:
        """Return the log odds of the second of two classes; the score of each class if there are more."""
        scores = self._scores(self._coded(X))
        return scores[0] if len(scores) == 1 else np.ascontiguousarray(scores.T)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Return P(class given row) after the first round, after the first two, and so on."""
        return self._staged_probabilities(self._coded(X))

    def _staged_probabilities(self, table: Table) -> Iterator[Floats]:
        return (self._probabilities_of(scores) for scores in self._stages(table))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted classes after the first round, after the first two, and so on."""
        for probabilities in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(probabilities, axis=1)]

    def _staged(self, table: Table) -> Iterator[Floats]:
        return self._staged_probabilities(table)

    def _score_of(self, output: int) -> str:
        names = [visible(str(label)) for label in self.classes_]
        return f"the log odds of {names[-1]}" if len(self.base_) == 1 else f"the score of {names[output]}"

    def explain(self, row: Any) -> Workings:
        """Return what each tree adds for a row, their sum, and the probabilities made of it."""
        table = self._one_row(row)
        return explained_class(self, table, self.probabilities(table)[0])

    def _probabilities_of(self, scores: Floats) -> Floats:
        if len(self.classes_) == 1:
            return np.ones((scores.shape[1], 1))
        if len(self.classes_) == 2:
            return np.column_stack([special.expit(-scores[0]), special.expit(scores[0])])
        probabilities: Floats = np.ascontiguousarray(special.softmax(scores, axis=0).T)
        return probabilities

    def _log_probabilities(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        scores = self._scores(table, rows)
        if len(self.classes_) == 1:
            return np.zeros((scores.shape[1], 1))
        if len(self.classes_) == 2:
            return np.column_stack([special.log_expit(-scores[0]), special.log_expit(scores[0])])
        logs: Floats = np.ascontiguousarray(special.log_softmax(scores, axis=0).T)
        return logs

    def state(self) -> State:
        """Return the trees, the score without them and the losses on rows held out."""
        return {**super().state(), **self._trees_state()}

    def restore(self, reader: StateReader) -> Self:
        """Take back the trees, one for each output and round."""
        super().restore(reader)
        self.classes_ = label_array(self.schema_.classes)
        return self._restore_trees(reader, _outputs(len(self.classes_)))


def _loss(target: NDArray[Any], classes: int) -> Loss:
    return Logistic(target) if classes == 2 else Multinomial(target, classes)


def _base_of_one_class(counts: NDArray[Any]) -> Floats:
    """Return the scores where all rows are of one class."""
    base: Floats = np.log(shares_of(counts.astype(np.float64)))
    return base if len(base) > 2 else base[1:] - base[:1]


def _outputs(classes: int) -> int:
    return classes if classes > 2 else 1
