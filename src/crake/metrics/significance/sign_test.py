"""The sign test: on how many tables is one learner better?"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike
from scipy.special import bdtr

from crake.metrics.significance.differences import at_least, paired_differences
from crake.metrics.significance.p_text import verdict


@dataclass(frozen=True)
class SignTest:
    """Tables won, tied and lost by the first learner, and the two-sided p-value."""

    wins: int
    ties: int
    losses: int
    p_value: float
    method: str = "exact sign test, ties left out"
    names: tuple[str, str] = ("the first", "the second")

    @property
    def statistic(self) -> int:
        """The smaller number of wins."""
        return min(self.wins, self.losses)

    def __str__(self) -> str:
        text = verdict(self.names, self.wins - self.losses, self.p_value)
        return f"{text}: {self.wins} won, {self.ties} tied, {self.losses} lost; {self.method}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "first": self.names[0],
            "second": self.names[1],
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "p_value": self.p_value,
            "method": self.method,
        }


def sign_test(
    first: ArrayLike, second: ArrayLike | None = None, *, names: tuple[str, str] = ("the first", "the second")
) -> SignTest:
    """The p-value is min(1, 2·P(X ≤ min(wins, losses))), X binomial(wins + losses, ½); `first` alone holds differences.

    >>> print(sign_test([1, 2, 3, 4, 5, 6, 7, 8, -1, 0]))                        # 2 · (1 + 9) / 2^9
    the first is better than the second (p = 0.039): 8 won, 1 tied, 1 lost; exact sign test, ties left out
    """
    d = at_least(paired_differences(first, second), 1, "the sign test")
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    few, n = min(wins, losses), wins + losses
    p = 1.0 if wins == losses else min(1.0, 2 * float(bdtr(float(few), n, 0.5)))
    return SignTest(wins, len(d) - n, losses, p, names=names)
