"""The best split of some rows under a learner's settings, and without what forbids small branches and gains."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class OneSplit:
    """A tree of at most one question; ln p, and that adjusted if it is, where a test judged the question."""

    tree: Tree
    log_p: tuple[float, ...] = ()


def one_split(training: Training, growth: Growth, *, is_free: bool) -> OneSplit:
    """The best question by these settings."""
    growth = _free(growth) if is_free else growth
    growth = replace(growth, max_depth=1, c45=replace(growth.c45, is_at_data_values=False))
    return OneSplit(grow(training, growth))


def _free(growth: Growth) -> Growth:
    return replace(
        growth,
        min_leaf=0.0,
        min_split=0.0,
        min_decrease=0.0,
        min_gain=-1.0,
        c45=replace(growth.c45, is_clamped=False, has_correction=False, gap=0.0),
    )


def correction(training: Training, growth: Growth) -> float:
    """log2(admissible cuts)/W of a numeric column (Quinlan 1996); 0 where it is not asked for."""
    if not growth.c45.has_correction or not training.layout.is_numeric[0]:
        return 0.0
    root = Level.root(training, growth.c45.gap)
    cuts = int(Finder(training, growth).find(root, 0).cuts[0, 0])
    return float(np.log2(max(cuts, 1)) / root.weight[0])
