"""A confusion matrix drawn: counts, shaded by the share of their row; the diagonal in another colour than the rest."""

from __future__ import annotations

from dataclasses import dataclass

from crake.render.drawing.canvas import Canvas
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.format_numbers import compact, count, figure, percent
from crake.render.leaderboard import Matrix
from crake.render.plain_text import visible
from crake.render.report.matrix_shading import Cell, Shading, matrix_shading

_WIDEST_NAME = 150
_WIDEST_COLUMN = 96


@dataclass(frozen=True)
class MatrixPicture:
    """The counts with their labels, what is drawn and what can be seen in it."""

    title: str
    subtitle: str
    finding: str
    matrix: Matrix


def matrix_drawing(picture: MatrixPicture) -> Drawing:
    """Return the picture as something to show and to save; one of many classes keeps its size."""
    title, is_fluid = whole_title(picture.title, picture.subtitle), len(picture.matrix.labels) <= 8
    return Drawing(title, picture.finding, lambda: _drawn(picture), is_fluid)


def matrix_svg(picture: MatrixPicture) -> str:
    """Return the picture as text."""
    return matrix_drawing(picture).svg()


def _drawn(picture: MatrixPicture) -> Canvas:
    shading = matrix_shading(picture.matrix)
    names = [text_width(visible(label), SIZES["t"]) for label in shading.labels]
    left = 40 + min(_WIDEST_NAME, max(60, *names))
    side = 30.0 if shading.many else min(_WIDEST_COLUMN, max(72.0, max(names) + 10))
    high = 26.0 if shading.many else 52.0
    upright = shading.many and max(names) > side - 2
    head = 92 + (min(_WIDEST_NAME, max(names)) if upright else 18)
    right = left + side * len(shading.labels)
    width = max(right + 66, 330)
    bottom = head + high * len(shading.rows)
    canvas = Canvas(width, bottom + 58)
    draw_heading(canvas, picture.title, picture.subtitle)
    canvas.text(left + (right - left) / 2, 68, "predicted", "q", anchor="middle")
    canvas.text(18, head + (bottom - head) / 2, "actual", "q", anchor="middle", turned=-90)
    canvas.text(right + 10, head - 8, "recall", "q")
    canvas.text(left - 8, bottom + 20, "precision", "q", anchor="end")
    canvas.rect(left, head, right - left, bottom - head, "wash", rx=4)
    _names(canvas, shading, left, head, side, high, is_upright=upright)
    for k, row in enumerate(shading.rows):
        y = head + high * k
        for j, cell in enumerate(row.cells):
            note = f"actual {row.label}, predicted {shading.labels[j]}: {count(cell.count)}"
            _cell(canvas, (left + side * j, y, side, high), cell, note, is_small=shading.many)
        canvas.text(right + 10, y + high / 2 + 4, figure(row.recall, 2 if shading.many else 3), "q")
    for j, value in enumerate(shading.precision):
        canvas.text(
            left + side * (j + 0.5), bottom + 20, figure(value, 2), "s" if shading.many else "q", anchor="middle"
        )
    note = f"The {shading.left_out} least frequent classes are left out." if shading.left_out else ""
    largest = max(cell.count for row in shading.rows for cell in row.cells)
    letters = " k is a thousand." if shading.many and largest >= 10_000 else ""
    more = f"Shaded by the share of the row.{letters} {note}".strip()
    canvas.text(16, bottom + 46, more, "s", room=width - 32)
    return canvas


def _names(
    canvas: Canvas, shading: Shading, left: float, head: float, side: float, high: float, *, is_upright: bool
) -> None:
    for k, label in enumerate(shading.labels):
        middle = left + side * (k + 0.5)
        canvas.text(left - 8, head + high * (k + 0.5) + 4, label, anchor="end", room=left - 40)
        if is_upright:
            canvas.text(middle + 4, head - 8, label, room=_WIDEST_NAME, turned=-90)
        else:
            canvas.text(middle, head - 8, label, anchor="middle", room=side - 6)


def _cell(canvas: Canvas, where: tuple[float, float, float, float], cell: Cell, title: str, *, is_small: bool) -> None:
    x, y, wide, high = where
    strength = (0.06 + 0.42 * cell.rate) if cell.is_right else 0.5 * cell.rate
    if cell.count or not is_small:
        role = "f0" if cell.is_right else "f1"
        canvas.rect(x + 1, y + 1, wide - 2, high - 2, role, title=title, opacity=round(strength, 2), rx=3)
    middle = x + wide / 2
    if is_small:
        text = compact(cell.count) if cell.count else "·"
        canvas.text(middle, y + high / 2 + 4, text, "s" if not cell.count else "s ink", anchor="middle")
    else:
        canvas.text(middle, y + high / 2 - 1, count(cell.count), "b", anchor="middle")
        canvas.text(middle, y + high / 2 + 15, percent(cell.rate), "s ink", anchor="middle")
