"""Wilcoxon's signed ranks: two learners over many tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from crake.errors import CrakeError
from crake.metrics.significance.differences import at_least, paired_differences
from crake.metrics.significance.p_text import verdict
from crake.metrics.significance.ranks import average_ranks

MOST_EXACT = 100
"""Up to this many tables every assignment of signs is counted; above, the normal curve is exact to three digits."""

Zeros = Literal["share", "drop"]
_WORDS = {"share": "zero differences ranked (Pratt), their ranks shared by both", "drop": "zero differences dropped"}


@dataclass(frozen=True)
class Wilcoxon:
    """The rank sums of both signs and the two-sided p-value."""

    rank_sum_first: float
    rank_sum_second: float
    zeros: int
    tables: int
    p_value: float
    method: str
    names: tuple[str, str] = ("the first", "the second")

    @property
    def statistic(self) -> float:
        """T, the smaller rank sum."""
        return min(self.rank_sum_first, self.rank_sum_second)

    def __str__(self) -> str:
        text = verdict(self.names, self.rank_sum_first - self.rank_sum_second, self.p_value)
        sums = f"rank sums {self.rank_sum_first:g} and {self.rank_sum_second:g} over {self.tables} tables"
        return f"{text}: {sums}; {self.method}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "first": self.names[0],
            "second": self.names[1],
            "rank_sum_first": self.rank_sum_first,
            "rank_sum_second": self.rank_sum_second,
            "zeros": self.zeros,
            "tables": self.tables,
            "p_value": self.p_value,
            "method": self.method,
        }


def wilcoxon(
    first: ArrayLike,
    second: ArrayLike | None = None,
    *,
    zeros: Zeros = "share",
    names: tuple[str, str] = ("the first", "the second"),
) -> Wilcoxon:
    """Rank |d|, add the ranks of d > 0 and of d < 0; p = P(a split as uneven or more, were every sign a fair coin).

    Equal |d| share their mean rank. zeros="share" ranks the zeros too, and gives half of their ranks to each side, as
    Demšar (2006) does; the p-value is that of Pratt (1959), since what both sides get cancels. "drop" leaves them out,
    as Wilcoxon did. The p-value counts all 2^n assignments of signs up to 100 tables, ties or not; above that it comes
    from the normal curve with the variance Σ r² / 4 and no continuity correction.

    >>> test = wilcoxon([0.5, 0.3, 0.4, -0.1, 0.2])                    # ranks 5, 3, 4 and 2 against 1
    >>> test.rank_sum_first, test.rank_sum_second, test.p_value        # 2 · (1 + 1) / 2^5
    (14.0, 1.0, 0.125)

    Wilcoxon (1945), Individual comparisons by ranking methods.
    """
    if zeros not in _WORDS:
        raise CrakeError(f"zeros = {zeros!r}; expected 'share' or 'drop'")
    d = at_least(paired_differences(first, second), 1, "Wilcoxon's test")
    empty = int((d == 0).sum())
    ranked = d if zeros == "share" else d[d != 0]
    ranks = average_ranks(np.abs(ranked))
    half = float(ranks[ranked == 0].sum()) / 2
    above, below = float(ranks[ranked > 0].sum()), float(ranks[ranked < 0].sum())
    signed = ranks[ranked != 0]
    p = _exact(signed, above) if len(signed) <= MOST_EXACT else _normal(signed, above)
    kind = "exact" if len(signed) <= MOST_EXACT else "normal"
    rule = f"; {_WORDS[zeros]}" if empty else ""
    return Wilcoxon(above + half, below + half, empty, len(d), p, f"Wilcoxon signed ranks, {kind}{rule}", names)


def _exact(ranks: NDArray[np.float64], above: float) -> float:
    """The share of all 2^n sums that lie as far from the middle; twice a rank is a whole number."""
    doubled = np.round(2 * ranks).astype(np.int64)
    whole = int(doubled.sum())
    ways = np.zeros(whole + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = (ways[rank:] + ways[: whole + 1 - rank]) / 2
        ways[:rank] /= 2
    far = np.abs(2 * np.arange(whole + 1) - whole) >= abs(round(4 * above) - whole)
    return min(1.0, float(ways[far].sum()))


def _normal(ranks: NDArray[np.float64], above: float) -> float:
    z = (above - ranks.sum() / 2) / np.sqrt((ranks**2).sum() / 4)
    return min(1.0, 2 * float(ndtr(-abs(z))))
