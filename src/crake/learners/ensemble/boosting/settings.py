"""The settings of boosting: the parameters of the learners, as its parts take them."""

from __future__ import annotations

from dataclasses import dataclass

from crake.arrays import Ints

LEVEL_SMOOTHING = 20.0
"""The smoothing of levels by default, in rows."""


@dataclass(frozen=True, eq=False)
class Settings:
    """`direction` holds −1, 0 or 1 for each column: the direction in which predictions may go with its numbers."""

    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int
    max_depth: int | None
    min_samples_leaf: float
    l2_regularization: float
    level_smoothing: float
    max_bins: int
    n_iter_no_change: int | None
    direction: Ints
