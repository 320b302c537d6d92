"""The way of a selection: which column came when, and how well the model did with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.plain_text import shown

if TYPE_CHECKING:
    from crake.learners.naive_bayes.selective.learner import SelectiveNaiveBayesClassifier

TITLE = "Columns in the order in which they were chosen"
LONGEST = 60
"""Columns printed before the rest is only counted."""


def path_grid(model: SelectiveNaiveBayesClassifier) -> Grid:
    """Return the steps of the selection, from no column on."""
    path = model.path_
    names = ["(no column)", *(shown(name, 40) for name in model.selected_)]
    rows = [
        (name, f"{accuracy:.4f}", f"{loss:.4f}")
        for name, accuracy, loss in zip(names, path.accuracy, path.log_loss, strict=True)
    ][: LONGEST + 1]
    if len(names) > LONGEST + 1:
        rows.append((f"… {len(names) - LONGEST - 1} more", "", ""))
    left = len(model.schema_.features) - len(model.selected_)
    none_helps = f"; none of the other {left} makes the {model.measure} better" if left else ""
    below = f"{len(model.selected_)} of {len(model.schema_.features)} columns, each row left out in turn{none_helps}"
    return Grid(TITLE, ("with", "accuracy", "log loss"), tuple(rows), below)


def draw_path(model: SelectiveNaiveBayesClassifier, most: int, width: float) -> Drawing:
    """Draw how well the model did with every further column, as bars."""
    path, by_accuracy = model.path_, model.measure == "accuracy"
    values = path.accuracy if by_accuracy else path.log_loss
    names = ["(no column)", *(f"+ {shown(name, 38)}" for name in model.selected_)][: most + 1]
    bars = tuple(
        Bar(name, value, f"{value:.4f}", is_main=at == len(model.selected_))
        for at, (name, value) in enumerate(zip(names, values, strict=False))
    )
    more = "" if len(names) == len(values) else f" {len(values) - len(names)} more are not drawn."
    finding = f"{len(model.selected_)} of {len(model.schema_.features)} columns were chosen.{more}"
    subtitle = f"{'accuracy' if by_accuracy else 'log loss'} when each row is left out in turn"
    return bar_drawing(BarPicture(TITLE, subtitle, finding, bars), width)
