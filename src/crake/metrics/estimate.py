"""What a measure returns: a value, its interval and how both were made; or why there is no value."""

from __future__ import annotations

from dataclasses import dataclass

from crake.errors import UndefinedMeasure


@dataclass(frozen=True)
class Estimate:
    """A measured number. `float()` gives the value, or raises with the reason where it is undefined.

    >>> accuracy = Estimate(0.857, (0.6, 0.96), "Wilson 95 %")
    >>> f"{accuracy:.2f}", round(float(accuracy), 1)
    ('0.86', 0.9)
    >>> f"{Estimate.undefined('one class only'):.2f}"
    'undefined'
    """

    value: float | None
    interval: tuple[float, float] | None = None
    method: str = ""
    reason: str = ""

    @classmethod
    def undefined(cls, reason: str) -> Estimate:
        """A measure without a value on these rows."""
        return cls(None, reason=reason)

    @property
    def is_defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def __float__(self) -> float:
        if self.value is None:
            raise UndefinedMeasure(f"undefined: {self.reason}")
        return self.value

    def __format__(self, spec: str) -> str:
        return "undefined" if self.value is None else format(self.value, spec)

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined ({self.reason})"
        if self.interval is None:
            return f"{self.value:.3f}"
        return f"{self.value:.3f} [{self.interval[0]:.3f}, {self.interval[1]:.3f}]"

    def to_dict(self) -> dict[str, object]:
        """For JSON: null where undefined, with the reason."""
        return {
            "value": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "method": self.method or None,
            **({"reason": self.reason} if self.value is None else {}),
        }
