"""A confusion matrix made ready to be shaded: every count with its share of the row."""

from __future__ import annotations

from dataclasses import dataclass

from crake.render.leaderboard import Matrix

_MANY = 8
"""From more classes on, cells are small and show counts only."""
_MOST = 30
"""Classes drawn; of more, the most frequent."""


@dataclass(frozen=True)
class Cell:
    """A count, its share of the actual class, and whether it lies on the diagonal."""

    count: float
    rate: float
    is_right: bool


@dataclass(frozen=True)
class Row:
    """An actual class and where its rows went."""

    label: str
    cells: tuple[Cell, ...]
    recall: float | None


@dataclass(frozen=True)
class Shading:
    """The matrix as it is drawn; `left_out` classes did not fit."""

    name: str
    labels: tuple[str, ...]
    rows: tuple[Row, ...]
    precision: tuple[float | None, ...]
    left_out: int
    many: bool


def matrix_shading(matrix: Matrix) -> Shading:
    """Return shares by row; the thirty most frequent classes, in their own order."""
    totals = [sum(row) for row in matrix.counts]
    frequent = sorted(range(len(totals)), key=lambda k: -totals[k])[:_MOST]
    kept = sorted(frequent)
    return Shading(
        name=matrix.name,
        labels=tuple(matrix.labels[k] for k in kept),
        rows=tuple(_row(matrix, k, kept, totals[k]) for k in kept),
        precision=tuple(matrix.precision[k] for k in kept),
        left_out=len(totals) - len(kept),
        many=len(kept) > _MANY,
    )


def _row(matrix: Matrix, actual: int, kept: list[int], total: float) -> Row:
    counts = matrix.counts[actual]
    cells = tuple(Cell(counts[k], round(counts[k] / total, 4) if total else 0.0, k == actual) for k in kept)
    return Row(matrix.labels[actual], cells, matrix.recall[actual])
