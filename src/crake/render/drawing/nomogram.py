"""A nomogram: points for each value of each attribute, their total, and the probability that belongs to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from crake.render.drawing.axis import ticks_within, written
from crake.render.drawing.canvas import Canvas, coordinate
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.label_lanes import ends_first, in_lanes
from crake.render.drawing.notes import draw_notes, notes_height
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import fitted, text_width
from crake.render.plain_text import visible

_LANE, _LANES, _WIDEST_NAME, _LONGEST = 13, 3, 170.0, 110.0
"""Height of a lane of words, lanes at most above and below a line, pixels of the names of attributes and of values."""
_PROBABILITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class Value:
    """A value of an attribute and what it adds to the log odds; ±∞ where it rules a class out.

    `is_above`: its name stands above the line, as where a number's effect falls while the number grows.
    """

    name: str
    effect: float
    is_above: bool = False


@dataclass(frozen=True)
class Attribute:
    """An attribute with its values; `is_number`: they are ticks of a scale, of which some may go unnamed."""

    name: str
    values: tuple[Value, ...]
    is_number: bool = False

    @property
    def finite(self) -> list[float]:
        """Return the effects that can be drawn to scale."""
        return [value.effect for value in self.values if math.isfinite(value.effect)] or [0.0]

    @property
    def has_influence(self) -> bool:
        """Return True if any value changes the log odds."""
        return any(value.effect != 0 for value in self.values)

    @property
    def low(self) -> float:
        """Return the least effect: 0 points."""
        return min(self.finite)

    @property
    def range(self) -> float:
        """Return the largest change of the log odds by this attribute."""
        return max(self.finite) - self.low


@dataclass(frozen=True)
class NomogramPicture:
    """log odds = constant + Σ effects, one of each attribute; points count from the least effect, the widest to 100.

    `classes` are the codes of the two classes. `marks` are the effects of the values of one row, by attribute. They are
    not the whole of its log odds where a column that matters is not drawn.
    """

    title: str
    subtitle: str
    finding: str
    attributes: tuple[Attribute, ...]
    constant: float
    outcome: str
    notes: tuple[str, ...] = ()
    classes: tuple[int, int] = (1, 0)
    marks: Mapping[str, float] = field(default_factory=dict)
    is_whole: bool = True

    @property
    def marked_total(self) -> float | None:
        """Return the points of the marked values together; None where one is not drawn, or is off the scale."""
        if not self.is_whole or any(not math.isfinite(self.marks.get(each.name, math.inf)) for each in self.attributes):
            return None
        return sum(self.points(each, self.marks[each.name]) for each in self.attributes)

    @property
    def unit(self) -> float:
        """Log odds of one point."""
        return max((attribute.range for attribute in self.attributes), default=0.0) / 100 or 1.0

    def points(self, attribute: Attribute, effect: float) -> float:
        """Return the points of an effect: the least has none; one that rules a class out is off the scale."""
        return (effect - attribute.low) / self.unit

    def probability(self, total: float) -> float:
        """Return 1 / (1 + exp(−log odds)) for this total of points."""
        odds = self.constant + sum(attribute.low for attribute in self.attributes) + total * self.unit
        return 1 / (1 + math.exp(-odds)) if odds > -700 else 0.0

    def total(self, probability: float) -> float:
        """Return the points that have this probability."""
        odds = math.log(probability / (1 - probability))
        return (odds - self.constant - sum(attribute.low for attribute in self.attributes)) / self.unit


def nomogram_drawing(picture: NomogramPicture, width: float = 760) -> Drawing:
    """Return the picture as something to show and to save."""
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture, width))


def nomogram_svg(picture: NomogramPicture, width: float = 760) -> str:
    """Return the picture as text."""
    return nomogram_drawing(picture, width).svg()


@dataclass(frozen=True)
class _Word:
    text: str
    x: float
    is_above: bool
    lane: int


@dataclass(frozen=True)
class _Row:
    """An attribute's line with the words that fit, and the room it takes above and below."""

    attribute: Attribute
    words: tuple[_Word, ...]
    above: float
    below: float


def _drawn(picture: NomogramPicture, width: float) -> Canvas:
    words = [*(a.name for a in picture.attributes), picture.outcome, "Total points"]
    left = 36 + min(_WIDEST_NAME, max(text_width(visible(word), SIZES["b"], bold=True) for word in words))
    right = width - 40
    rows = [_row(picture, attribute, left, right) for attribute in picture.attributes]
    high = 104 + sum(row.above + row.below for row in rows) + 100 + notes_height(picture.notes, width)
    canvas = Canvas(width, high)
    draw_heading(canvas, picture.title, picture.subtitle)
    y = 82.0
    _scale(canvas, "Points", y, left, right, [(k / 100, f"{k}") for k in range(0, 101, 10)])
    grid_top = y
    y += 14
    for row in rows:
        y += row.above
        _attribute(canvas, picture, row, y, left, right)
        y += row.below
    xs = [left + (right - left) * k / 100 for k in range(0, 101, 10)]
    grid = "".join(f"M{coordinate(x)} {coordinate(grid_top + 6)}V{coordinate(y)}" for x in xs)
    canvas.path(grid, "line hair", stroke_dasharray="2 3")
    _totals(canvas, picture, y + 30, left, right)
    draw_notes(canvas, picture.notes, high - notes_height(picture.notes, width) - 8)
    return canvas


def _row(picture: NomogramPicture, attribute: Attribute, left: float, right: float) -> _Row:
    """Words below the line and above it; a name that finds no lane on its side tries the other.

    The ticks of a number have one lane, in which the ends of the scale come first.
    """
    places = []
    for value in attribute.values:
        wide = _word_width(value)
        x = _x(picture, attribute, value.effect, left, right)
        places.append((min(max(x, left - 18 + wide / 2), right + 34 - wide / 2), wide))
    lane, above = [-1] * len(places), [v.is_above for v in attribute.values]
    for is_above in (False, True):
        own = [k for k, side in enumerate(above) if side == is_above]
        own_places = [places[k] for k in own]
        lanes = ends_first(own_places) if attribute.is_number else in_lanes(own_places, _LANES)
        for k, lane_of_value in zip(own, lanes, strict=True):
            lane[k] = lane_of_value
            if lane_of_value < 0 and not is_above and not attribute.is_number:
                above[k] = True
    words = tuple(
        _Word(v.name, places[k][0], above[k], lane[k]) for k, v in enumerate(attribute.values) if lane[k] >= 0
    )
    up = max((word.lane + 1 for word in words if word.is_above), default=0)
    down = max((word.lane + 1 for word in words if not word.is_above), default=0)
    return _Row(attribute, words, 12 + _LANE * up, 12 + _LANE * down)


def _word_width(value: Value) -> float:
    return min(_LONGEST, text_width(visible(value.name), SIZES["s"]) + 1)


def _x(picture: NomogramPicture, attribute: Attribute, effect: float, left: float, right: float) -> float:
    """Return the place of an effect; an infinite one stands a little outside the scale."""
    if math.isinf(effect):
        return left - 12 if effect < 0 else right + 12
    return left + (right - left) * picture.points(attribute, effect) / 100


def _attribute(canvas: Canvas, picture: NomogramPicture, row: _Row, y: float, left: float, right: float) -> None:
    attribute = row.attribute
    canvas.text(left - 22, y + 4, attribute.name, "b", anchor="end", room=left - 34)
    ends = [_x(picture, attribute, effect, left, right) for effect in (attribute.low, attribute.low + attribute.range)]
    canvas.line(ends[0], y, max(ends[1], ends[0] + 1), y, "l0", stroke_width=2.5)
    for word in row.words:
        far = y - 6 - _LANE * word.lane if word.is_above else y + 6 + _LANE * word.lane
        if word.lane:
            canvas.line(word.x, y, word.x, far, "hair")
    places = [(value, _x(picture, attribute, value.effect, left, right)) for value in attribute.values]
    ticks = "".join(f"M{coordinate(x)} {coordinate(y)}v{-5 if value.is_above else 5}" for value, x in places)
    canvas.path(ticks, "line l0", stroke_width=1.5)
    for value, x in places:
        if math.isinf(value.effect):
            canvas.text(x, y - 5, "∞" if value.effect > 0 else "−∞", "s halo", anchor="middle")
        title = f"{value.name}: {_points_text(picture, attribute, value.effect)}"
        canvas.circle(x, y, 3, "f0", title=title)
    _mark(canvas, picture, attribute, y, left, right)
    for word in row.words:
        base = y - 7 - _LANE * word.lane if word.is_above else y + 15 + _LANE * word.lane
        canvas.text(word.x, base, fitted(word.text, _LONGEST, SIZES["s"]), "s halo", anchor="middle")


def _mark(canvas: Canvas, picture: NomogramPicture, attribute: Attribute, y: float, left: float, right: float) -> None:
    """Draw the value of the row; beyond the ends of the scale it stands at the end."""
    effect = picture.marks.get(attribute.name)
    if effect is None:
        return
    x = min(max(_x(picture, attribute, effect, left, right), left - 12), right + 12)
    canvas.circle(x, y, 6.5, "f1", title=f"this row: {_points_text(picture, attribute, effect)}")


def _points_text(picture: NomogramPicture, attribute: Attribute, effect: float) -> str:
    if math.isinf(effect):
        return "the outcome is certain" if effect > 0 else "the outcome is impossible"
    return f"{picture.points(attribute, effect):.0f} points"


def _scale(
    canvas: Canvas,
    name: str,
    y: float,
    left: float,
    right: float,
    ticks: list[tuple[float, str]],
    *,
    down: bool = False,
) -> None:
    """An axis by itself, with the words of its ticks above it (or below)."""
    canvas.text(left - 22, y + 4, name, "b", anchor="end", room=left - 34)
    canvas.line(left, y, right, y, "axis", stroke_width=1.25)
    places = [(left + (right - left) * part, text_width(word, SIZES["q"])) for part, word in ticks]
    lanes = in_lanes(places, 1, gap=4)
    for (x, _), (_, word), lane in zip(places, ticks, lanes, strict=True):
        canvas.line(x, y - 5 if not down else y, x, y if not down else y + 5, "axis")
        if lane >= 0:
            canvas.text(x, y - 9 if not down else y + 18, word, "q", anchor="middle")


def _totals(canvas: Canvas, picture: NomogramPicture, y: float, left: float, right: float) -> None:
    """The total from where the outcome is all but impossible to where it is all but certain, and its probability."""
    most = sum(attribute.range for attribute in picture.attributes) / picture.unit
    low, high = max(0.0, picture.total(_PROBABILITIES[0])), min(most, picture.total(_PROBABILITIES[-1]))
    if not high - low > 1e-6 * max(1.0, most):
        low, high = 0.0, max(most, 1.0)
    ticks = ticks_within(low, high, 9) or (low, high)
    totals = [((t - low) / (high - low), word) for t, word in zip(ticks, written(ticks), strict=True)]
    _scale(canvas, "Total points", y, left, right, totals)
    marks = [(picture.total(p), p) for p in _PROBABILITIES if low - 1e-9 <= picture.total(p) <= high + 1e-9]
    if len(marks) < 2:
        marks = [(t, round(picture.probability(t), 3)) for t in (low, high)]
    shares = [((t - low) / (high - low), f"{p:g}") for t, p in marks]
    _scale(canvas, picture.outcome, y + 34, left, right, shares, down=True)
    total = picture.marked_total
    if total is not None:
        x = left + (right - left) * min(max((total - low) / (high - low), -0.01), 1.01)
        title = f"this row: {total:.0f} points, {picture.outcome} = {picture.probability(total):.3g}"
        canvas.line(x, y, x, y + 34, "l1", stroke_width=2)
        canvas.circle(x, y, 6.5, "f1", title=title)
        canvas.circle(x, y + 34, 6.5, "f1", title=title)
