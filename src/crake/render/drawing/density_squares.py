"""Very many points as a cloud of small squares: the darker, the more rows; no row is drawn by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.drawing.axis import Frame
from crake.render.drawing.canvas import Canvas, coordinate

STRENGTHS = (0.22, 0.4, 0.6, 0.85)
"""Opacities of squares, from those of the fewest rows to those of the most."""


@dataclass(frozen=True)
class Cloud:
    """Squares of a grid over the frame, `counts[row][column]` from the lower left; 0 is not drawn.

    >>> Cloud(((0, 1), (4, 16))).levels()
    {0: [(1, 0)], 1: [(0, 1)], 3: [(1, 1)]}
    """

    counts: Sequence[Sequence[float]]

    def levels(self) -> dict[int, list[tuple[int, int]]]:
        """Return the squares (column, row) of each strength; equal steps of the square root of the count."""
        most = max((count for row in self.counts for count in row), default=0.0)
        squares: dict[int, list[tuple[int, int]]] = {}
        for j, row in enumerate(self.counts):
            for i, count in enumerate(row):
                if count > 0:
                    level = min(len(STRENGTHS) - 1, int(len(STRENGTHS) * math.sqrt(count / most) - 1e-9))
                    squares.setdefault(level, []).append((i, j))
        return squares


def draw_cloud(canvas: Canvas, frame: Frame, cloud: Cloud) -> None:
    """One path for each strength; squares that touch in a row are one rectangle."""
    rows, columns = len(cloud.counts), len(cloud.counts[0])
    wide, high = frame.width / columns, frame.height / rows
    for level, squares in sorted(cloud.levels().items()):
        d = "".join(
            f"M{coordinate(frame.left + i * wide)} {coordinate(frame.top + frame.height - (j + 1) * high)}"
            f"h{coordinate(run * wide)}v{coordinate(high)}h{coordinate(-run * wide)}z"
            for i, j, run in _runs(squares)
        )
        canvas.path(d, "f0", opacity=STRENGTHS[level], shape_rendering="crispEdges")


def _runs(squares: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Neighbours in a row together: column, row, how many.

    >>> _runs([(0, 0), (1, 0), (3, 0), (0, 1)])
    [(0, 0, 2), (3, 0, 1), (0, 1, 1)]
    """
    runs: list[tuple[int, int, int]] = []
    for i, j in squares:
        if runs and runs[-1][1] == j and runs[-1][0] + runs[-1][2] == i:
            runs[-1] = (runs[-1][0], j, runs[-1][2] + 1)
        else:
            runs.append((i, j, 1))
    return runs
