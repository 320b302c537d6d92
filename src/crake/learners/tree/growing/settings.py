"""Settings of growing: the criterion, the kinds of splits, and when a node is not split."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Features = int | float | Literal["sqrt", "log2"] | None
"""Columns that a node looks at: a number, a share, the root or the logarithm of their number; None: all."""


@dataclass(frozen=True)
class C45Details:
    """Details that only C4.5 has (Quinlan 1993, 1996).

    `is_clamped`: the least weight beside a numeric cut is 0.1·W/K between `min_leaf` and 25. `counts_rows`: a numeric
    cut needs as many rows as two such sides weigh, as J48 has it. `has_correction`: log2(cuts)/W is subtracted from a
    numeric gain. `gap`: neighbouring values closer than this are one.
    `average_margin`: an attribute's gain may be this far below the average gain; attributes of `many_levels` × rows
    levels or more are left out of that average. `is_at_data_values`: thresholds are lowered to values of the data, in
    all rows, as C4.5 prints them.
    """

    is_clamped: bool = False
    counts_rows: bool = False
    has_correction: bool = False
    gap: float = 0.0
    average_margin: float = 0.0
    many_levels: float = float("inf")
    is_at_data_values: bool = False


@dataclass(frozen=True)
class Growth:
    """Settings of the grower.

    `min_leaf`: for a multiway split at least two branches, for a binary one both sides, must weigh as much.
    `min_gain`: a node whose best gain is not above it is a leaf; below 0 every usable split will do. Gains closer than
    `tolerance` are equal.

    Rows whose value is missing: "fractional" divides them by the weights of the branches, and scores the known rows;
    "shared" divides them so already in the score; "apart" gives them a branch, where there are any; "surrogate" sends
    them where at most `surrogates` other columns tell, then to the heavier side. Subsets of up to `exhaustive` values
    are all tried where there are more than two classes. `is_simple_cart`: the sides of the best split must have
    `min_leaf` rows, not those of each split that is considered, and equals are decided by WEKA's rounding.
    `is_rep`: the rules of REPTree. A cut is chosen by the known rows, a column by all rows, those without a value
    shared out over the branches. The best column must have two branches of `min_leaf`, or the node is a leaf.
    `min_variance`: a node of numbers whose variance is below this share of that of all rows is a leaf (REPTree).
    `features` columns of each node, drawn by `seed`, are looked at; more of them while none splits the node.
    `divisors`: with one for each column, the split of the largest (2^gain − 1)/divisor is chosen (`scores.by_cost`).
    `is_forced`: a node that no split makes purer is split all the same, so that splits below can.
    """

    criterion: Literal["gini", "entropy", "gain_ratio", "squared_error"] = "gini"
    nominal: Literal["multiway", "one-value", "subset"] = "multiway"
    min_leaf: float = 1.0
    max_depth: int | None = None
    min_decrease: float = 0.0
    min_gain: float = 0.0
    tolerance: float = 0.0
    min_split: float = 0.0
    missing: Literal["fractional", "shared", "apart", "surrogate"] = "fractional"
    surrogates: int = 0
    exhaustive: int = 10
    is_simple_cart: bool = False
    is_forced: bool = False
    is_rep: bool = False
    min_variance: float = 0.0
    features: Features = None
    seed: int = 0
    divisors: tuple[float, ...] = ()
    c45: C45Details = field(default_factory=C45Details)
