"""The base of the boosted classifier and the boosted regressor: parameters, rounds, importances, model files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Rows
from crake.errors import ColumnNotFound, CrakeError
from crake.export.forms import Part, Sum
from crake.kernels.tree.arrays import THRESHOLD
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.foreseen import refuse_too_large
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.state import State, StateReader
from crake.learners.ensemble.boosting.binning import Binned
from crake.learners.ensemble.boosting.drawing import draw_boosted_tree, draw_losses
from crake.learners.ensemble.boosting.growing import bytes_of_sums, most_leaves
from crake.learners.ensemble.boosting.losses import Loss
from crake.learners.ensemble.boosting.members import members_of
from crake.learners.ensemble.boosting.predicting import scores, staged_scores
from crake.learners.ensemble.boosting.rounds import Boosted, Parts, boost
from crake.learners.ensemble.boosting.scanned.boosting import Objective, boost_scan
from crake.learners.ensemble.boosting.scanned.rows import RowsToBin
from crake.learners.ensemble.boosting.settings import Settings
from crake.learners.ensemble.boosting.state import trees_of, trees_state
from crake.learners.ensemble.boosting.team import team
from crake.learners.ensemble.boosting.trees import BoostedTrees
from crake.learners.ensemble.boosting.weights import RowWeights
from crake.learners.ensemble.foreseen import FEWER
from crake.learners.ensemble.showing import ShownEnsemble
from crake.learners.tree.explaining.shapley import Contributions, tree_contributions
from crake.learners.tree.export.form import tree_form
from crake.learners.tree.predicting.routing import Cases
from crake.render.drawing.drawing import Drawing
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

HOLDS_OUT = "copies of a row are dealt to both parts of the rows, a heavy row to one"
LARGEST_SCORE = 1e300
SMALLEST_ROUND = 190.0
"""Bytes of a tree of one split."""

CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "max_leaf_nodes": [Interval(Integral, 2, 65_536, closed="both")],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
    "l2_regularization": [Interval(Real, 0, None, closed="left")],
    "level_smoothing": [Interval(Real, 0, None, closed="left")],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "monotonic_cst": [dict, "array-like", None],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "random_state": [Interval(Integral, 0, None, closed="left")],
    "nominal": [StrOptions({"auto", "all"}), "array-like"],
}


class Boosting(ShownEnsemble):
    """The settings as attributes, `trees_`, and what is computed from them; a learner adds its loss."""

    scans_rows = True
    _counted_in = "rounds"
    _removed = "loss"

    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int
    max_depth: int | None
    min_samples_leaf: float
    l2_regularization: float
    level_smoothing: float
    max_bins: int
    monotonic_cst: Any
    n_iter_no_change: int | None
    validation_fraction: float
    random_state: int
    schema_: Schema
    trees_: BoostedTrees
    base_: Floats
    held_out_losses_: Floats
    _one_row: Any

    @property
    def n_estimators_(self) -> int:
        """The number of rounds that are kept."""
        check_is_fitted(self)
        return len(self.trees_) // len(self.base_)

    @property
    def estimators_(self) -> NDArray[Any]:
        """The trees as fitted regressors, shape (rounds, outputs): each predicts what it adds to the score.

        The mean and the squared error of their nodes are those of what is added, not of the target.
        """
        check_is_fitted(self)
        return members_of(self)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in the loss that all splits removed; 0 for all if there is no split."""
        check_is_fitted(self)
        split = self.trees_.feature >= 0
        gains = np.bincount(self.trees_.feature[split], self.trees_.gain[split], minlength=len(self.schema_.features))
        total = gains.sum()
        shares: Floats = gains / total if total > 0 else gains.astype(np.float64)
        return shares

    def _boosted(self, table: Table, loss: Loss, tested: Rows) -> Boosted:
        weights = np.ones(len(table)) if table.weights is None else table.weights
        is_tested = np.zeros(len(table), bool)
        is_tested[tested] = True
        own = RowWeights.of(np.where(is_tested, 0.0, weights), len(table))
        rows = np.arange(len(table), dtype=np.int32)
        parts = Parts(rows[~is_tested], rows[is_tested], weights[is_tested])
        settings = self._settings_on(table.schema, len(parts.learned))
        with team() as several:
            binned = Binned.of(table, own, self.max_bins, several)
            return boost(binned, loss, own, parts, settings, several)

    def _boosted_scan(self, rows: RowsToBin, objective: Objective) -> Boosted:
        return boost_scan(rows, self._settings_on(rows.schema, rows.number), objective)

    def _settings_on(self, schema: Schema, rows: int) -> Settings:
        """Return the settings; raise if the machine lacks the memory for trees of these rows."""
        settings = self._settings(schema)
        leaves = f"trees of {most_leaves(settings, rows):,} leaves"
        refuse_too_large(SMALLEST_ROUND * self.n_estimators, f"{self.n_estimators:,} rounds", schema, FEWER)
        refuse_too_large(bytes_of_sums(settings, rows), leaves, schema)
        return settings

    def contributions(self, row: Any) -> Contributions:
        """Return what each column adds to the scores of a row, one for each output: exact Shapley values.

        `.base` is the mean score of the rows learned from, by weight; base and the sum of `.columns` are the score.
        """
        table = self._one_row(row)
        cases, columns, outputs = Cases.of(table), len(self.schema_.features), len(self.base_)
        base, added = self.base_.copy(), np.zeros((columns, outputs))
        for at in range(len(self.trees_)):
            tree = self.trees_.tree(at)
            found = tree_contributions(tree, cases, np.ascontiguousarray(tree.responses[:, :1]), columns)
            base[at % outputs] += found.base[0]
            added[:, at % outputs] += found.columns[:, 0]
        return Contributions(base, added)

    def _settings(self, schema: Schema) -> Settings:
        return Settings(
            self.n_estimators,
            float(self.learning_rate),
            self.max_leaf_nodes,
            self.max_depth,
            float(self.min_samples_leaf),
            float(self.l2_regularization),
            float(self.level_smoothing),
            self.max_bins,
            self.n_iter_no_change,
            directions(self.monotonic_cst, schema),
        )

    def _scores_form(self) -> Sum:
        """Return the score without trees and what each tree adds to its output."""
        outputs, trees = len(self.base_), [self.trees_.tree(at) for at in range(len(self.trees_))]
        forms = [tree_form(tree, self.schema_, tree.responses[:, :1]) for tree in trees]
        return Sum(self.base_, tuple(Part(form, output=at % outputs) for at, form in enumerate(forms)))

    def _scores(self, table: Table, rows: Rows | None = None) -> Floats:
        """Return the scores, shape (outputs, rows)."""
        return scores(self.trees_, self.base_, Cases.of(table), rows)

    def _stages(self, table: Table) -> Iterator[Floats]:
        return staged_scores(self.trees_, self.base_, Cases.of(table))

    def _cut_points(self, column: Column) -> Floats | None:
        place = [each.name for each in self.schema_.features].index(column.name)
        own = (self.trees_.kind == THRESHOLD) & (self.trees_.feature == place)
        return np.unique(self.trees_.threshold[own])

    def _weight_exception(self) -> str:
        return HOLDS_OUT if self.n_iter_no_change is not None else ""

    def draw(self, *, most: int = 20, width: float = 560) -> Drawing:
        """Draw the columns by their importance."""
        return self.draw_importances(most=most, width=width)

    def draw_losses(self, *, width: float = 560) -> Drawing:
        """Draw the loss on the rows held out by the number of rounds; `n_iter_no_change` holds rows out."""
        check_is_fitted(self)
        if not len(self.held_out_losses_):
            raise CrakeError("expected losses on rows held out to draw, got none: fit with n_iter_no_change=10")
        return draw_losses(self, width=width)

    @property
    def n_members_(self) -> int:
        """The number of trees: one for each round, of more than two classes one for each round and class."""
        check_is_fitted(self)
        return len(self.trees_)

    def draw_member(self, number: int) -> Drawing:
        """Draw one tree with what its leaves add to the score; the first is 1, those of a round follow each other."""
        return draw_boosted_tree(self, self._place(number), self.member_note(number))

    def member_note(self, number: int) -> str:
        """Return one sentence on a tree: its round, what it adds to."""
        place, outputs = self._place(number), len(self.base_)
        of = f"Tree {number} of {self.n_members_}"
        if outputs > 1:
            of += f", in round {place // outputs + 1} of {self.n_estimators_}"
        return f"{of}. Its leaves add to {self._score_of(place % outputs)}."

    def _score_of(self, output: int) -> str:
        """Return in words what the trees of an output add up to."""
        del output
        return f"the prediction of {visible(self.schema_.target or 'target')}"

    def _other_pictures(self, width: float = 560) -> tuple[Drawing, ...]:
        """Return the importances, and the loss on the rows held out if there is one."""
        losses = (self.draw_losses(width=width),) if len(self.held_out_losses_) else ()
        return (self.draw(width=width), *losses)

    def _importances(self) -> Floats:
        return self.feature_importances_

    def _measured_on(self) -> str:
        return f"{counted(self.n_estimators_, 'round')}, {counted(len(self.trees_), 'tree')}"

    def _members_kept(self) -> int:
        return self.n_estimators_

    def _refuse_without_rounds(self) -> None:
        if self.n_estimators_ == 0:
            raise CrakeError(
                "expected a model with rounds to draw, got one without trees: every row is predicted alike"
            )

    def _subject(self) -> str:
        return f"learning rate {self.learning_rate:g}"

    def _name(self) -> str:
        return "Boosted trees"

    def __str__(self) -> str:
        if not hasattr(self, "trees_"):
            return repr(self)
        rounds, outputs = self.n_estimators_, len(self.base_)
        leaves = self.trees_.leaves
        trees = counted(rounds, "round") + (f" of {outputs} trees" if outputs > 1 else "")
        lines = [f"Boosted trees: {trees}, {counted(int(leaves.sum()), 'leaf', 'leaves')}"]
        if len(self.held_out_losses_):
            lines.append(f"  loss on the rows held out {self.held_out_losses_.min():.4g}")
        shares = self.feature_importances_
        first = [j for j in np.argsort(-shares, kind="stable")[:5] if shares[j] > 0]
        lines += [
            f"  {visible(self.schema_.features[j].name)}: {100 * shares[j]:.1f} % of the loss removed" for j in first
        ]
        return "\n".join(lines)

    def _trees_state(self) -> State:
        return {"trees": trees_state(self.trees_), "base": self.base_, "held_out_losses": self.held_out_losses_}

    def _restore_trees(self, reader: StateReader, outputs: int) -> Self:
        self.trees_ = trees_of(reader.part("trees"), self.schema_, outputs, self.n_estimators)
        self.base_ = reader.floats("base", (outputs,), -LARGEST_SCORE, LARGEST_SCORE)
        self.held_out_losses_ = losses = reader.floats("held_out_losses", (None,), 0)
        kept = len(self.trees_) // outputs
        if len(losses) and not kept < len(losses) <= self.n_estimators + 1:
            expected = f"none, or {kept + 1} to {self.n_estimators + 1}: one before and one after each round"
            raise reader.refusal("held_out_losses", f"has {len(losses)} losses", expected)
        return self


def directions(monotonic_cst: Any, schema: Schema) -> Ints:
    """Return −1, 0 or 1 for each column, from a mapping by name or one number per column.

    >>> from crake.table.examples import load
    >>> directions({"petal width (cm)": 1}, load("iris").schema).tolist()
    [0, 0, 0, 1]
    """
    names = [column.name for column in schema.features]
    found = np.zeros(len(names), np.int32)
    if monotonic_cst is None:
        return found
    if isinstance(monotonic_cst, Mapping):
        for name, direction in monotonic_cst.items():
            if name not in names:
                raise ColumnNotFound(str(name), names)
            found[names.index(name)] = _direction(direction)
    else:
        given = list(monotonic_cst)
        if len(given) != len(names):
            raise CrakeError(
                f"monotonic_cst has {len(given)} numbers; expected one for each of {len(names)} columns, or a dict"
            )
        found[:] = [_direction(direction) for direction in given]
    for j in np.flatnonzero(found):
        if schema.features[j].kind is not Kind.NUMERIC:
            raise CrakeError(
                f"monotonic_cst names the column {names[j]!r}, which holds names; expected numbers: names have no order"
            )
    return found


def _direction(value: Any) -> int:
    if isinstance(value, bool) or value not in (-1, 0, 1):
        raise CrakeError(f"monotonic_cst holds {value!r}; expected -1 (falling), 0 (either) or 1 (rising)")
    return int(value)
