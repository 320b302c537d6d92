"""The result of a measure: a value, its interval and the method of both; or the reason why it has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from crake.errors import UndefinedMeasure
from crake.render.plain_text import minus

Interval = tuple[float, float]
"""Its lower and its upper end."""

Maker = Callable[[], Interval | None]
"""Makes an interval when it is first asked for."""


Kind = Literal[
    "Wilson",
    "Student t",
    "skewed t",
    "logit t",
    "corrected t",
    "DeLong",
    "Newcombe",
    "jackknife",
    "delta",
    "Dirichlet",
    "differences of shares",
    "test inversion",
    "percentile bootstrap",
    "normal bootstrap",
    "replicates",
    "chosen",
]


@dataclass(frozen=True)
class IntervalMethod:
    """The method of an interval: its kind, its level, and the text that is made of both.

    >>> rows = IntervalMethod("Student t", "Student t {} over rows")
    >>> str(rows), rows.name
    ('Student t 95 % over rows', 'Student t over rows')
    >>> str(IntervalMethod("Student t", "Student t {} over rows", level=0.92, is_about=True))
    'Student t about 92 % over rows'
    """

    kind: Kind
    words: str
    """The text, with {} where the level stands."""
    level: float = 0.95
    is_about: bool = False
    """True where the level is what simulation found, below the one that is aimed at."""
    counts_folds: bool = False
    """True where it counts that the models of folds share training rows and err together."""

    @property
    def level_text(self) -> str:
        """The level as text: "95 %", "about 92 %"."""
        return f"{'about ' if self.is_about else ''}{100 * self.level:g} %"

    @property
    def name(self) -> str:
        """The text without the level."""
        return self.words.replace(" {}", "")

    @cached_property
    def text(self) -> str:
        """The text with the level; made once, as every estimate of a fold asks for it."""
        return self.words.format(self.level_text)

    def __str__(self) -> str:
        return self.text


class _LazyInterval:
    """The field `interval`: a pair, or a function that is called when the interval is first read.

    A bootstrap costs a thousand times what the measure costs, and most intervals are never shown.
    """

    def __get__(self, estimate: Estimate | None, owner: type | None = None) -> Interval | None:
        if estimate is None:  # asked by `dataclass`: the default of the field
            return None
        interval: Interval | Maker | None = estimate.__dict__["_interval"]
        if callable(interval):
            interval = estimate.__dict__["_interval"] = interval()
        return interval

    def __set__(self, estimate: Estimate, value: Interval | Maker | None) -> None:
        estimate.__dict__["_interval"] = value


@dataclass(frozen=True)
class Estimate:
    """A measured number. `float()` gives the value, or raises with the reason where it is undefined.

    `interval` is a pair, None, or a function without arguments that makes the pair when it is first read.
    `method` is text; code reads `interval_method`. Differences, products and comparisons are those of the values, plain
    numbers without an interval: whether two estimates differ is for a test to say.

    >>> accuracy = Estimate(0.857, (0.6, 0.96), "Wilson 95 %")
    >>> f"{accuracy:.2f}", round(float(accuracy), 1)
    ('0.86', 0.9)
    >>> f"{Estimate.undefined('one class only'):.2f}"
    'undefined'
    >>> Estimate(0.5, lambda: (0.4, 0.6), "made when asked")
    Estimate(value=0.5, interval=(0.4, 0.6), method='made when asked', reason='')
    """

    value: float | None
    interval: _LazyInterval = _LazyInterval()  # holds nothing itself
    method: str = ""
    reason: str = ""
    interval_method: IntervalMethod | None = field(default=None, repr=False)

    @classmethod
    def with_interval(
        cls, value: float, interval: Interval | Maker | None, by: IntervalMethod, about: str = "", more: str = ""
    ) -> Estimate:
        """Return an estimate whose text is made of its measure, `about`, and the method of its interval.

        >>> wilson = IntervalMethod("Wilson", "Wilson {}")
        >>> Estimate.with_interval(0.5, (0.4, 0.6), wilson, "share of rows").method
        'share of rows; Wilson 95 %'
        """
        method = f"{about}; {by.text}" if about else by.text
        method = f"{method}; {more}" if more else method
        return cls(value, interval, method, interval_method=by)

    @classmethod
    def undefined(cls, reason: str) -> Estimate:
        """A measure without a value on these rows."""
        return cls(None, reason=reason)

    @property
    def is_defined(self) -> bool:
        """Return True if there is a value."""
        return self.value is not None

    @property
    def interval_name(self) -> str:
        """The method of the interval without its level; "" where there is none."""
        return "" if self.interval_method is None else self.interval_method.name

    @property
    def level_note(self) -> str:
        """The level in brackets where it is not the usual one, such as " (about 92 %)"; "" otherwise.

        >>> Estimate.with_interval(0.5, (0.4, 0.6), IntervalMethod("delta", "delta {}", 0.92, is_about=True)).level_note
        ' (about 92 %)'
        """
        by = self.interval_method
        return "" if by is None or not by.is_about or self.interval is None else f" ({by.level_text})"

    def is_by(self, *kinds: Kind) -> bool:
        """Return True if the interval was made by a method of one of these kinds."""
        return self.interval_method is not None and self.interval_method.kind in kinds

    @property
    def low(self) -> float | None:
        """The lower end of the interval; None where there is none."""
        return None if self.interval is None else self.interval[0]

    @property
    def high(self) -> float | None:
        """The upper end of the interval; None where there is none."""
        return None if self.interval is None else self.interval[1]

    def __add__(self, other: Any) -> float:
        return float(self) + float(other)

    def __radd__(self, other: Any) -> float:
        return float(other) + float(self)

    def __sub__(self, other: Any) -> float:
        return float(self) - float(other)

    def __rsub__(self, other: Any) -> float:
        return float(other) - float(self)

    def __mul__(self, other: Any) -> float:
        return float(self) * float(other)

    def __rmul__(self, other: Any) -> float:
        return float(other) * float(self)

    def __truediv__(self, other: Any) -> float:
        return float(self) / float(other)

    def __rtruediv__(self, other: Any) -> float:
        return float(other) / float(self)

    def __neg__(self) -> float:
        return -float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    def __round__(self, digits: int = 0) -> float:
        return round(float(self), digits)

    def __lt__(self, other: Any) -> bool:
        return float(self) < float(other)

    def __le__(self, other: Any) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: Any) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: Any) -> bool:
        return float(self) >= float(other)

    def __float__(self) -> float:
        if self.value is None:
            raise UndefinedMeasure(f"undefined: {self.reason}")
        return self.value

    def __format__(self, spec: str) -> str:
        return "undefined" if self.value is None else format(self.value, spec)

    def __str__(self) -> str:
        return self.text()

    def text(self, decimals: int = 3) -> str:
        """Return the value and its interval, or the reason why there is none."""
        if self.value is None:
            return f"undefined ({self.reason})"
        if self.interval is None:
            return minus(f"{self.value:.{decimals}f}")
        low, high = self.interval
        return minus(f"{self.value:.{decimals}f} [{low:.{decimals}f}, {high:.{decimals}f}]") + self.level_note

    def __reduce__(
        self,
    ) -> tuple[type[Estimate], tuple[float | None, Interval | None, str, str, IntervalMethod | None]]:
        # A copy, also one sent to another process, takes the interval and leaves the function behind.
        return type(self), (self.value, self.interval, self.method, self.reason, self.interval_method)

    def to_dict(self) -> dict[str, object]:
        """For JSON: null where undefined, with the reason."""
        return {
            "value": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "method": self.method or None,
            **({"reason": self.reason} if self.value is None else {}),
        }
