"""Results of a paired test of two learners."""

from __future__ import annotations

from dataclasses import dataclass

from crake.metrics.significance.p_text import verdict
from crake.render.plain_text import minus


@dataclass(frozen=True)
class PairedTest:
    """The difference first − second, the test statistic, its two-sided p-value, and how all were made.

    `statistic` is None where the differences leave none: all are equal, and nothing is left to divide by.
    """

    difference: float
    statistic: float | None
    p_value: float
    interval: tuple[float, float] | None
    method: str
    symbol: str = "t"
    names: tuple[str, str] = ("the first", "the second")

    def __str__(self) -> str:
        text = verdict(self.names, self.difference, self.p_value)
        between = "" if self.interval is None else f" [{self.interval[0]:+.4f}, {self.interval[1]:+.4f}]"
        statistic = "" if self.statistic is None else f", {self.symbol} = {self.statistic:.3f}"
        return f"{text}: difference {minus(f'{self.difference:+.4f}{between}')}; {self.method}{minus(statistic)}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "first": self.names[0],
            "second": self.names[1],
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "statistic": self.statistic,
            "p_value": self.p_value,
            "method": self.method,
        }
