"""How a tree grows: the criterion, the kinds of splits, and when a node is not split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Growth:
    """Settings of the grower.

    `min_leaf`: for a multiway split at least two branches, for a binary one both sides, must weigh as much.
    `is_clamped`, `has_correction`, `gap`, `tolerance` and `average_margin` are C4.5's details (Quinlan 1993, 1996): the
    least weight beside a numeric cut is 0.1·W/K between `min_leaf` and 25; log2(cuts)/W is subtracted from a numeric
    gain; neighbouring values closer than `gap` are one; gains closer than `tolerance` are equal; attributes of
    `many_levels` × rows levels or more are left out of the average gain.
    """

    criterion: Literal["gini", "entropy", "gain_ratio"] = "gini"
    nominal: Literal["multiway", "one-value", "subset"] = "multiway"
    min_leaf: float = 1.0
    max_depth: int | None = None
    min_decrease: float = 0.0
    is_clamped: bool = False
    has_correction: bool = False
    gap: float = 0.0
    tolerance: float = 0.0
    average_margin: float = 0.0
    many_levels: float = float("inf")
