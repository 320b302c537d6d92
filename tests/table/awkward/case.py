"""An awkward file: its bytes as people have them, and what it must become."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """`kinds` are the columns in their order, `notes` parts of the notes, all of them; `cells` some columns whole."""

    content: bytes | str
    kinds: dict[str, str]
    rows: int
    notes: tuple[str, ...] = ()
    cells: dict[str, list[Any]] = field(default_factory=dict)
    ending: str = ".csv"
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        """Return the bytes of the file."""
        return self.content if isinstance(self.content, bytes) else self.content.encode()


def numeric(count: int, first: int = 1) -> dict[str, str]:
    """Return numeric columns without names."""
    return {f"column_{place}": "numeric" for place in range(first, first + count)}
