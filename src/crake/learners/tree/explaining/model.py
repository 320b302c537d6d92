"""A fitted tree with what explanations need of its learner: the text of its conditions, and the search for a split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.tree.editing.edit import Edit
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.thresholds import at_data_values
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.leaves import leaf_probabilities, node_predictions
from crake.learners.tree.tree import Tree
from crake.render.short_repr import short_repr
from crake.render.workings import Step
from crake.table.schema import Label, Schema
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class OneSplit:
    """A tree of at most one split; ln p, and that adjusted if it is, where a test judged the split.

    `tests` holds what the learner keeps for each node of it.
    """

    tree: Tree
    log_p: tuple[float, ...] = ()
    tests: Mapping[str, NDArray[Any]] = field(default_factory=dict)


class SplitSearch:
    """The search for the best split of some rows on one feature, as a learner does it.

    `tests` names the figures of a split's test: by default Pearson's p, not adjusted. `is_missing_a_value`: splits may
    tell missing values from known ones where only one value is known.
    """

    tests: tuple[str, ...] = ("chi² p",)
    is_missing_a_value = False
    has_correction = False
    growth: Growth | None = None

    def best(self, training: Training, every: Training, feature: int, *, is_free: bool) -> OneSplit:
        """Return the best split of a node's rows; with `is_free` also one that the settings forbid.

        `training` and `every` have this one feature, `every` of all rows, for learners that look at those too.
        """
        raise NotImplementedError

    def correction(self, training: Training) -> float:
        """Return what is taken off the gain of a split of these rows."""
        del training
        return 0.0

    def divisors(self) -> tuple[float, ...]:
        """Return by what the worth of each feature is divided, for its cost; none where columns cost nothing."""
        return ()

    def placed(self, tree: Tree, training: Training) -> Tree:
        """Return the tree with its thresholds where the learner puts them, among the values of these rows."""
        del training
        return tree

    def steps(self, node: int) -> tuple[Step, ...]:
        """Return what else there is to work out at a node that splits."""
        del node
        return ()


class GrowthSearch(SplitSearch):
    """The search of learners that grow by a `Growth`."""

    def __init__(self, growth: Growth) -> None:
        self.growth: Growth = growth
        self.has_correction = growth.c45.has_correction

    def best(self, training: Training, every: Training, feature: int, *, is_free: bool) -> OneSplit:
        """Return the best split by these settings, or without those that forbid small branches and gains."""
        del every, feature
        growth = _free(self.growth) if is_free else self.growth
        growth = replace(growth, max_depth=1, divisors=(), c45=replace(growth.c45, is_at_data_values=False))
        return OneSplit(grow(training, growth))

    def correction(self, training: Training) -> float:
        """Return log2(admissible cuts)/W of a numeric column (Quinlan 1996); 0 where the settings have none."""
        if not self.has_correction or not training.layout.is_numeric[0]:
            return 0.0
        root = Level.root(training, self.growth.c45.gap)
        cuts = int(Finder(training, self.growth).find(root, 0).cuts[0, 0])
        return float(np.log2(max(cuts, 1)) / root.weight[0])

    def divisors(self) -> tuple[float, ...]:
        """Return (C + 1)^ω of the cost of each feature, if costs are given."""
        return self.growth.divisors

    def placed(self, tree: Tree, training: Training) -> Tree:
        """Return the tree with thresholds at midpoints, or at values of the data as C4.5 prints them."""
        return at_data_values(tree, training) if self.growth.c45.is_at_data_values else tree


def _free(growth: Growth) -> Growth:
    return replace(
        growth,
        min_leaf=0.0,
        min_split=0.0,
        min_decrease=0.0,
        min_gain=-1.0,
        c45=replace(growth.c45, is_clamped=False, has_correction=False, gap=0.0),
    )


@dataclass(frozen=True, eq=False)
class TreeModel:
    """A fitted tree to look at.

    `shown` is the tree as its conditions are written: a learner may leave out where missing values go. `measure` is
    the criterion that its splits were chosen by. `coded` codes rows under the schema.
    """

    tree: Tree
    shown: Tree
    schema: Schema
    measure: str
    search: SplitSearch
    coded: Callable[[Any], Table]
    laplace: bool = False
    class_weight: Any = None
    edits: tuple[Edit, ...] = ()

    __repr__ = short_repr

    @property
    def is_regression(self) -> bool:
        """Return whether the leaves predict means."""
        return bool(len(self.tree.responses))

    @cached_property
    def leaf_probabilities(self) -> Floats:
        """The class shares that every node predicts (an inner one: would predict)."""
        return leaf_probabilities(self.tree, laplace=self.laplace)

    @cached_property
    def predictions(self) -> tuple[Label, ...]:
        """The class, or the mean, that every node predicts."""
        return node_predictions(self.tree, self.schema, laplace=self.laplace)
