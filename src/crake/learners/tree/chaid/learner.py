"""CHAID: values that do not differ in class are merged, and the most significant column splits a node."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.card import Card, many_classes_and_levels
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.fitted import check_is_fitted
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.base.state import State, StateReader
from crake.learners.tree.chaid.columns import (
    MOST_VALUES,
    columns_of,
    left_out_features,
    numeric_cuts,
    ordinal_features,
)
from crake.learners.tree.chaid.grow import grow_chaid
from crake.learners.tree.chaid.settings import Merging, Settings, Statistic, Variant
from crake.learners.tree.chaid.significance import Significance, tests_of_split
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.editing.change import Branch, Changed
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.explaining.model import OneSplit, SplitSearch
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.number_text import p_text
from crake.learners.tree.showing.text import LONGEST, tree_text
from crake.learners.tree.tree import Tree
from crake.notices import warn
from crake.render.workings import Step, number
from crake.table.table import Table


class CHAIDClassifier(TreeClassifier):
    """Kass's CHAID: groups of values as branches, each split significant at `alpha_split` after Bonferroni.

    Parameters
    ----------
    alpha_split : a node is split if the adjusted p of its best column is not above this.
    alpha_merge : the two least different groups of values are merged while their p is above this.
    alpha_resplit : a merged group of three values or more is parted again where its parts differ at this level, which
        should be below `alpha_merge`; None: never.
    bonferroni : whether p is multiplied by the number of ways in which the values could have been merged.
    variant : "kass", or "pypi-chaid" to merge as the Python package CHAID 5.5 does: values are looked at by name, two
        of one class only may end the merging early, and small groups may stay (see `pypi_variant`).
    statistic : "pearson", the chi-square, or "likelihood", the ratio statistic G.
    bins : number of intervals, of about equally many rows, that a numeric column is cut into; neighbours merge.
    ordinal : nominal columns (names or positions) whose levels are in order: only neighbours merge.
    missing : "category" makes missing a value like others, which floats to any group; "fractional" divides a row with a
        missing value among the branches.
    max_depth : the most splits on a path.
    min_samples_split : a node with fewer rows is a leaf.
    min_samples_leaf : groups of fewer rows are merged with the group they differ least from.
    laplace : leaves answer (n_c + 1)/(n + K).
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    Weights are counts of rows: a row of weight 2 is two rows, and makes a split more significant. A value that is not
    in any group of a node, and one never seen, is treated as missing. `significance_` holds the tests, one per node.

    Kass (1980), An exploratory technique for investigating large quantities of categorical data.
    """

    card = Card(
        title="CHAID",
        about="tree whose branches are groups of values that differ (χ²)",
        model="a tree",
        missing="a value like others",
        has_interactions=True,
        probabilities="shares in a leaf's rows",
        time="a pass per node, tests of pairs of values",
        too_much=many_classes_and_levels,
        usual_grid={"alpha_split": [0.01, 0.05, 0.2], "max_depth": [2, 4, None]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha_split": [Interval(Real, 0, 1, closed="right")],
        "alpha_merge": [Interval(Real, 0, 1, closed="right")],
        "alpha_resplit": [Interval(Real, 0, 1, closed="neither"), None],
        "bonferroni": ["boolean"],
        "variant": [StrOptions({"kass", "pypi-chaid"})],
        "statistic": [StrOptions({"pearson", "likelihood"})],
        "bins": [Interval(Integral, 2, None, closed="left")],
        "ordinal": ["array-like"],
        "missing": [StrOptions({"category", "fractional"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Real, 0, None, closed="neither")],
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "laplace": ["boolean"],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    significance_: Significance

    def __init__(
        self,
        alpha_split: float = 0.05,
        *,
        alpha_merge: float = 0.05,
        alpha_resplit: float | None = 0.049,
        bonferroni: bool = True,
        variant: str = "kass",
        statistic: str = "pearson",
        bins: int = 10,
        ordinal: Any = (),
        missing: str = "category",
        max_depth: int | None = None,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        laplace: bool = False,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.alpha_split = alpha_split
        self.alpha_merge = alpha_merge
        self.alpha_resplit = alpha_resplit
        self.bonferroni = bonferroni
        self.variant = variant
        self.statistic = statistic
        self.bins = bins
        self.ordinal = ordinal
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.laplace = laplace
        self.class_weight = class_weight
        self.nominal = nominal

    def _learn(self, table: Table) -> None:
        ordinal_features(table.schema, self.ordinal)
        super()._learn(table)

    def _warn(self, table: Table) -> None:
        for feature in left_out_features(table.schema):
            column = table.schema.features[feature]
            warn(
                f"column {column.name!r} has {len(column.levels)} values; CHAID compares values in pairs and leaves "
                f"out columns of more than {MOST_VALUES}. Is it an identifier? Leave it out, or group its values"
            )

    def _grown(self, training: Training) -> Tree:
        tree, self.significance_ = self._grown_with_cuts(training, numeric_cuts(training, self.bins))
        return tree

    def _grown_with_cuts(self, training: Training, cuts: list[Floats]) -> tuple[Tree, Significance]:
        """Return the tree of these rows, whose numbers are cut so, and the tests of its splits."""
        ordered, left_out = ordinal_features(self.schema_, self.ordinal), left_out_features(self.schema_)
        columns = columns_of(training, self.schema_.features, cuts, ordered, left_out)
        return grow_chaid(training, columns, self._settings())

    @property
    def _measure(self) -> str:
        return "likelihood" if self.statistic == "likelihood" else "chi-square"

    def _split_search(self) -> SplitSearch:
        return _MergingSearch(self, self._settings())

    def _settings(self) -> Settings:
        return Settings(
            Merging(
                self.alpha_merge,
                self.alpha_resplit,
                cast("Statistic", self.statistic),
                float(self.min_samples_leaf),
                cast("Variant", self.variant),
            ),
            self.alpha_split,
            self.bonferroni,
            self.missing == "category",
            self.max_depth,
            float(self.min_samples_split),
        )

    def state(self) -> State:
        """Return the tree and the tests of its splits."""
        return {**super().state(), "significance": self.significance_.arrays()}

    def restore(self, reader: StateReader) -> Self:
        """Take over a stored tree with its tests."""
        super().restore(reader)
        arrays, nodes = reader.part("significance"), (len(self.tree_),)
        self.significance_ = Significance(
            arrays.floats("statistic", nodes, 0.0),
            arrays.integers("dof", np.int64, nodes, 0, 2**62),
            arrays.floats("log_p", nodes, most=0.0),
            arrays.floats("log_adjusted", nodes, most=0.0),
        )
        return self

    def prune(self, *args: Any, **named: Any) -> Self:
        """Return a new model with the tree pruned, as `TreeClassifier.prune`; splits that remain keep their tests."""
        model = super().prune(*args, **named)
        model.significance_ = self.significance_.of_nodes(self.tree_, model.tree_)
        return model

    def _tests(self) -> dict[str, NDArray[Any]]:
        return self.significance_.arrays()

    def _edited(self, changed: Changed) -> Self:
        model = super()._edited(changed)
        model.significance_ = Significance(**changed.tests)
        return model

    def _completed_split(self, tree: Tree, here: Training, every: Training, found: OneSplit | None) -> Piece:
        del here, every
        return Piece(tree, found.tests if found is not None else tests_of_split(tree, self.statistic))

    def _regrown(self, branch: Branch) -> Piece:
        learner = self._below(branch)
        cuts = numeric_cuts(branch.every, self.bins)
        tree, tests = learner._grown_with_cuts(branch.rows, cuts)  # noqa: SLF001 (the same class)
        return Piece(tree, tests.arrays())

    def __str__(self) -> str:
        if not hasattr(self, "tree_"):
            return repr(self)
        has_root = self.tree_.kind[0] != LEAF
        return self._with_edits(tree_text(self.tree_, self.schema_, LONGEST, self._notes() if has_root else None))

    def _notes(self) -> list[str]:
        """Return the test of each node's split as text."""
        check_is_fitted(self)
        name = "chi-square" if self.statistic == "pearson" else "G"
        s = self.significance_
        return [
            ""
            if self.tree_.kind[i] == LEAF
            else f"[{name} {s.statistic[i]:.4g}, dof {s.dof[i]}, p {p_text(s.log_p[i])}"
            + (f", adjusted {p_text(s.log_adjusted[i])}]" if self.bonferroni else "]")
            for i in range(len(self.tree_))
        ]


class _MergingSearch(SplitSearch):
    """CHAID's search: the values of the feature are merged, and the groups are tested."""

    def __init__(self, learner: CHAIDClassifier, settings: Settings) -> None:
        self.schema, self.significance, self.bins = learner.schema_, learner.significance_, learner.bins
        self.settings = settings
        self.ordinal = ordinal_features(learner.schema_, learner.ordinal)
        self.is_missing_a_value = learner.missing == "category"
        name = "chi² p" if learner.statistic == "pearson" else "G p"
        self.tests = (name, "adjusted p") if learner.bonferroni else (name,)

    def best(self, training: Training, every: Training, feature: int, *, is_free: bool) -> OneSplit:
        """Return the merged groups of this feature, with their tests."""
        settings = replace(self.settings, max_depth=1)
        if is_free:
            merging = replace(settings.merging, min_leaf=0.0)
            settings = replace(settings, merging=merging, alpha_split=1.0, min_split=0.0)
        ordered = {0} if feature in self.ordinal else set()
        cuts = numeric_cuts(every, self.bins)
        columns = columns_of(training, [self.schema.features[feature]], cuts, ordered, set())
        tree, tests = grow_chaid(training, columns, settings)
        return OneSplit(tree, (tests.log_p[0], tests.log_adjusted[0])[: len(self.tests)], tests.arrays())

    def steps(self, node: int) -> tuple[Step, ...]:
        """Return the adjusted p of a node's split."""
        adjusted = float(self.significance.adjusted_p[node])
        formula = "p × ways to merge the values, at most 1"
        return (Step("adjusted p", formula, value=number(adjusted)),) if self.settings.bonferroni else ()
