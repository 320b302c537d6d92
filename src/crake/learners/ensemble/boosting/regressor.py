"""The boosted regressor: squared or absolute loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError, DataError
from crake.export.forms import Form
from crake.learners.base.card import Card
from crake.learners.base.parameters import StrOptions
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.boosting.base import CONSTRAINTS, LARGEST_SCORE, Boosting
from crake.learners.ensemble.boosting.losses import Absolute, Squared
from crake.learners.ensemble.boosting.rounds import Boosted
from crake.learners.ensemble.boosting.scanned.boosting import Objective
from crake.learners.ensemble.boosting.scanned.partitions import rows_of_numbers
from crake.learners.ensemble.boosting.settings import LEVEL_SMOOTHING
from crake.learners.ensemble.boosting.workings import explained_number
from crake.learners.ensemble.foreseen import COMPARED_FROM, seconds_of_rounds
from crake.render.workings import Workings
from crake.table.schema import Schema
from crake.table.table import Table

LOSSES = {"squared_error": Squared, "absolute_error": Absolute}


class BoostedTreesRegressor(Boosting, TableRegressor):
    """Gradient boosting for numbers: the mean, and a sum of trees of few leaves, each grown on what is left.

    Parameters
    ----------
    n_estimators : the most rounds, one tree each.
    loss : "squared_error", whose leaves add means, or "absolute_error", whose leaves add medians.
    learning_rate : a factor of what each leaf adds.
    max_leaf_nodes : the most leaves of a tree; the split that removes most loss comes next.
    max_depth : the most splits on a path.
    min_samples_leaf : the least weight of the rows of a leaf.
    l2_regularization : λ of a leaf's value −G/(H + λ); squared loss only.
    level_smoothing : levels are ordered by their mean gradient, as if this many rows of a level had that of the node;
        the hessians of this many rows are added to λ where names are split. A leaf of weight W of such a split adds
        W/(W + this) of its value; squared loss only. A node is split by a column of more than four levels only if these
        differ there by more than chance would have it, times this / 20.
    max_bins : the most bins of a column; rarer levels beyond share one.
    monotonic_cst : 1 if predictions must not fall with a number, −1 if they must not rise; by name, or one for each
        column. Squared loss only.
    n_iter_no_change : stop when the loss on rows held out has not fallen for this many rounds; None: never.
    validation_fraction : the share of the rows held out for that.
    random_state : which rows are held out. Nothing else is random.
    nominal : "auto", "all", or the columns of X to read as nominal.

    Fitted: `trees_`, `estimators_`, `base_`, `held_out_losses_`, `feature_importances_`, `n_estimators_`.

    >>> model = BoostedTreesRegressor(1, learning_rate=1.0, min_samples_leaf=1)
    >>> model.fit([[1.0], [2.0], [3.0]], [10.0, 10.0, 40.0]).predict([[1.5], [9.0]]).tolist()
    [10.0, 40.0]

    Friedman (2001), Greedy function approximation: a gradient boosting machine.
    """

    card = Card(
        title="gradient boosting",
        about="mean and a sum of 100 small trees, each grown on what is left",
        model="a sum of many",
        is_readable=False,
        missing="the side that removes more loss",
        has_interactions=True,
        time="a sort per number, some passes over bins per tree",
        fewest_rows=COMPARED_FROM,
        seconds=seconds_of_rounds,
        usual_grid={"max_leaf_nodes": [8, 31], "learning_rate": [0.1, 0.05]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**CONSTRAINTS, "loss": [StrOptions(set(LOSSES))]}

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        loss: str = "squared_error",
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
        nominal: Any = "auto",
    ) -> None:
        self.n_estimators = n_estimators
        self.loss = loss
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
        self.nominal = nominal

    def _learn(self, table: Table, y: Floats) -> None:
        self._check_directions(table.schema)
        loss = self._loss_of(y)
        tested = np.zeros(0, np.intp) if self.n_iter_no_change is None else self._tested(y)
        self._take(self._boosted(table, loss, tested))

    def _learn_scan(self, table: Table) -> None:
        rows = rows_of_numbers(table)
        self.schema_, self.left_out_ = rows.schema, rows.left_out
        self._check_directions(rows.schema)
        held_out = None if self.n_iter_no_change is None else self._tested
        objective = Objective(self._loss_of, np.float64, 1, held_out, np.zeros(0), np.zeros(0))
        self._take(self._boosted_scan(rows, objective))

    def _check_directions(self, schema: Schema) -> None:
        if self.loss == "absolute_error" and self._settings(schema).direction.any():
            raise CrakeError('monotonic_cst needs loss="squared_error", got "absolute_error": medians have no bounds')

    def _loss_of(self, y: Floats) -> Squared:
        if max(float(y.max()), -float(y.min())) > LARGEST_SCORE / 1e3:
            raise DataError(
                f"the target holds {y[np.argmax(np.abs(y))]:g}; expected numbers up to {LARGEST_SCORE / 1e3:g}: divide "
                "the target by a constant"
            )
        return LOSSES[self.loss](y)

    def _take(self, boosted: Boosted) -> None:
        answer = np.ldexp(boosted.trees.answer, boosted.exponent)
        self.trees_ = replace(boosted.trees, answer=answer)
        self.base_ = np.ldexp(boosted.base, boosted.exponent)
        self.held_out_losses_ = np.array(boosted.held_out_losses)

    def _tested(self, y: Floats) -> Rows:
        """Return the rows held out, if there are enough rows."""
        tested = min(math.ceil(self.validation_fraction * len(y)), len(y) - 1)
        rows: Rows = np.random.default_rng(self.random_state).permutation(len(y))[:tested]
        return np.sort(rows)

    def answers(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the sum of the score without trees and what all trees add."""
        answers: Floats = self._scores(table, rows)[0]
        return answers

    def _form(self) -> Form:
        return self._scores_form()

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the predictions after the first round, after the first two, and so on."""
        for scores in self._stages(self._coded(X)):
            yield scores[0]

    def _staged(self, table: Table) -> Iterator[Floats]:
        return (scores[0] for scores in self._stages(table))

    def explain(self, row: Any) -> Workings:
        """Return what each tree adds for a row, and their sum."""
        table = self._one_row(row)
        return explained_number(self, table, float(self.answers(table)[0]))

    def state(self) -> State:
        """Return the trees, the score without them and the losses on rows held out."""
        return {**super().state(), **self._trees_state()}

    def restore(self, reader: StateReader) -> Self:
        """Take back the trees, one for each round."""
        super().restore(reader)
        return self._restore_trees(reader, 1)
