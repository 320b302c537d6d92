"""Results of checks, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["warning", "note"]


@dataclass(frozen=True)
class Check:
    """The result of a check: a short code to search for, one plain sentence, and what to do about it.

    A "warning" may change what the reader makes of the result; a "note" is good to know.

    >>> print(Check("not-above-1r", "note", "1R does as well.", "Take the simpler one."))
    1R does as well. Take the simpler one. [not-above-1r]
    """

    code: str
    severity: Severity
    sentence: str
    what_to_do: str

    def __str__(self) -> str:
        return " ".join(part for part in (self.sentence, self.what_to_do, f"[{self.code}]") if part)

    def to_dict(self) -> dict[str, str]:
        """Return a dictionary for JSON."""
        return dict(self.__dict__)
