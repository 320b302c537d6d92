"""Class shares as a bar, and which colours the classes have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.drawing.canvas import Canvas
from crake.render.drawing.legend import Entry
from crake.render.drawing.style import SERIES

_RANKED = ("most frequent class there", "second", "third")


@dataclass(frozen=True)
class ClassColours:
    """Every class has a colour; where there are more classes than colours, the first three of each bar have one.

    >>> ClassColours(("yes", "no")).parts((0.2, 0.8)), ClassColours(("yes", "no")).colour(1)
    ([(0, 0.2), (1, 0.8)], 1)
    >>> ClassColours(tuple("abcdefghij")).parts((0.1, 0, 0, 0, 0.6, 0, 0, 0, 0.25, 0.05))
    [(0, 0.6), (1, 0.25), (2, 0.1), (-1, 0.05)]
    """

    names: tuple[str, ...]

    @property
    def is_ranked(self) -> bool:
        """Return True if colours stand for ranks in a bar, not for classes."""
        return len(self.names) > SERIES

    def colour(self, class_: int) -> int:
        """Return the colour of a class that is the most frequent one where it is drawn; −1 without a class."""
        return -1 if class_ < 0 else 0 if self.is_ranked else class_

    def parts(self, shares: Sequence[float]) -> list[tuple[int, float]]:
        """Return the segments of a bar, each with the number of its colour (−1: grey) and its share."""
        if not self.is_ranked:
            return [(k, share) for k, share in enumerate(shares) if share > 0]
        ordered = sorted(shares, reverse=True)
        grey = sum(ordered[len(_RANKED) :])
        ranked = [(k, share) for k, share in enumerate(ordered[: len(_RANKED)]) if share > 0]
        return [*ranked, (-1, grey)] if grey > 0 else ranked

    def entries(self) -> tuple[Entry, ...]:
        """Return a legend of swatches."""
        if self.is_ranked:
            ranked = (Entry(name, k, "swatch") for k, name in enumerate(_RANKED))
            return (*ranked, Entry(f"others of {len(self.names)} classes", -1, "swatch"))
        return tuple(Entry(name, k, "swatch") for k, name in enumerate(self.names))


def draw_class_bar(
    canvas: Canvas, where: tuple[float, float, float, float], shares: Sequence[float], colours: ClassColours
) -> None:
    """Segments as wide as their shares, a hair apart."""
    x, y, width, height = where
    canvas.rect(x, y, width, height, "wash")
    for number, share in colours.parts(shares):
        wide = width * share
        role = "greyed" if number < 0 else f"f{number}"
        canvas.rect(x, y, max(0.75, wide - 0.8 if wide > 3 else wide), height, role)
        x += wide
