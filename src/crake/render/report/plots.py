"""The six pictures of the cutoff panel as they stand before any script runs; the script moves what is in them.

Places are those of `static/curves.js`: a frame of 264 × 190 in a picture of 320 × 240.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from crake.render.plain_text import minus
from crake.render.report.cutoffs import Costs, Counts, CutoffPanel, Series

_LEFT, _TOP, _WIDTH, _HEIGHT = 44, 12, 264, 190
_NEAR, _NEAR_BEHIND = 0.6, 2.0
"""Points nearer than this to the one before are not drawn; of the faint curves behind, fewer are."""
_Z = 1.959963984540054

Point = tuple[float, float]
PointAt = Callable[[Counts], Point | None]


@dataclass(frozen=True)
class Tick:
    """A label at an axis: its place, its text, and what a script multiplies to relabel it."""

    place: float
    text: str
    part: float | None = None


@dataclass(frozen=True)
class Bin:
    """A bin of the calibration: its dot and the bar of its interval; not there where the bin has no rows."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Bar:
    """A bar of the histogram: positives above the middle line, the others below."""

    x: float
    width: float
    above: float
    below: float


@dataclass(frozen=True)
class Plot:
    """One picture: paths, the line of chance, the point of the cutoff or its line, ticks and a sentence."""

    name: str
    title: str
    sentence: str
    x_label: str
    y_label: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    curve: str = ""
    others: str = ""
    chance: tuple[float, float] | None = None
    at: tuple[float, float] | None = None
    at_line: float | None = None
    bins: tuple[Bin | None, ...] = ()
    bars: tuple[Bar, ...] = ()


def plots(panel: CutoffPanel) -> tuple[Plot, ...]:
    """ROC, recall and precision, lift, calibration, cost and the histogram of scores, of the model shown first."""
    series = panel.first
    here = panel.default_counts(0)
    others = [each[panel.first_class] for each in panel.series[1:]]
    prevalence = here.positives / here.total
    top = cost_top(series, panel.costs)
    at_line = place_x(min(1.0, max(0.0, (panel.cutoff - panel.low) / ((panel.high - panel.low) or 1.0))))
    return (
        _curve(
            "roc", "ROC", ("false positive rate", "true positive rate"), series, others, here, (0.0, 1.0),
            "The share of the positives found against the share of the negatives called positive.",
        ),
        _curve(
            "recall", "Recall and precision", ("recall", "precision"), series, others, here, (prevalence, prevalence),
            "Precision against recall.",
        ),
        _curve(
            "lift", "Lift", ("share of rows called positive", "lift"), series, others, here, (prevalence, prevalence),
            "How many times more positives than by chance, against the share of rows called positive.",
            top=1 / prevalence,
        ),
        *([_calibration(series, at_line)] if series.predicted else []),
        Plot(
            "cost", "Cost", "The mean cost of a row against the share of rows called positive.",
            "share of rows called positive", "cost of a row", _x_ticks(), _y_ticks(top),
            curve=path(series, cost_point(panel.costs, top)), at=_placed(cost_point(panel.costs, top)(here)),
        ),
        _histogram(panel, series, at_line),
    )  # fmt: skip


def roc_point(counts: Counts) -> Point:
    """(false positive rate, true positive rate)."""
    return counts.false_positives / counts.negatives, counts.true_positives / counts.positives


def recall_point(counts: Counts) -> Point | None:
    """(recall, precision)."""
    return None if counts.precision is None else (counts.recall, counts.precision)


def lift_point(counts: Counts) -> Point | None:
    """(share of rows, lift · prevalence = precision): the picture ends at the highest lift there can be."""
    return None if counts.precision is None else (counts.share, counts.precision)


def cost_point(costs: Costs, top: float) -> Callable[[Counts], Point]:
    """(share of rows, mean cost in parts of the picture)."""
    return lambda counts: (counts.share, counts.mean_cost(costs) / top)


POINTS: dict[str, PointAt] = {"roc": roc_point, "recall": recall_point, "lift": lift_point}


def cost_top(series: Series, costs: Costs) -> float:
    """Return the largest mean cost over all cutoffs."""
    most = max(series.at(step).mean_cost(costs) for step in range(len(series.cutoffs) + 1))
    return most if most > 0 else 1.0


def path(series: Series, point_at: PointAt, *, from_left: bool = False, near: float = _NEAR) -> str:
    """Return the curve as an SVG path, each point told from the one before; those that would fall
    on it are left out.
    """
    places = [(place_x(point[0]), place_y(point[1])) for point in _points(series, point_at)]
    if not places:
        return ""
    x, y = (place_x(0), places[0][1]) if from_left else places[0]
    commands = [f"M{x:g} {y:g}"]
    for number, (to_x, to_y) in enumerate(places):
        is_near = abs(to_x - x) < near and abs(to_y - y) < near
        is_end = number == len(places) - 1
        if (to_x, to_y) == (x, y) if number == 0 else is_near and not is_end:
            continue
        commands.append(f"l{_short(to_x - x)} {_short(to_y - y)}")
        x, y = to_x, to_y
    return "".join(commands).replace(" -", "-")


def _points(series: Series, point_at: PointAt) -> Iterator[Point]:
    """Return the points of all steps that have one."""
    for step in range(len(series.cutoffs) + 1):
        point = point_at(series.at(step))
        if point is not None:
            yield point


def _short(distance: float) -> str:
    """Return a distance in tenths, as short as it can be.

    >>> [_short(distance) for distance in (-0.3, 0.0, 1.2, -2.0)]
    ['-.3', '0', '1.2', '-2']
    """
    return re.sub(r"^(-?)0\.", r"\1.", f"{math.floor(10 * distance + 0.5) / 10:zg}")


def place_x(share: float) -> float:
    """Return a share of the width as a place in the picture."""
    return _tenth(_LEFT + share * _WIDTH)


def place_y(share: float) -> float:
    """Return a share of the height as a place in the picture."""
    return _tenth(_TOP + (1 - share) * _HEIGHT)


def tick(value: float) -> str:
    """About three digits, no zeros behind.

    >>> tick(2.684), tick(0.5), tick(1.0), tick(26.84), tick(150.0)
    ('2.68', '0.5', '1', '26.8', '150')
    """
    text = f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _curve(
    name: str,
    title: str,
    labels: tuple[str, str],
    series: Series,
    others: Iterable[Series],
    here: Counts,
    chance: tuple[float, float],
    words: str,
    top: float | None = None,
) -> Plot:
    from_left = name == "lift"
    return Plot(
        name,
        title,
        words,
        *labels,
        _x_ticks(),
        _y_ticks(top),
        curve=path(series, POINTS[name], from_left=from_left),
        others="".join(path(other, POINTS[name], from_left=from_left, near=_NEAR_BEHIND) for other in others),
        chance=(place_y(chance[0]), place_y(chance[1])),
        at=_placed(POINTS[name](here)),
    )


def _calibration(series: Series, at_line: float) -> Plot:
    return Plot(
        "calibration",
        "Calibration",
        "The share that is positive against the mean probability said, in ten bins, with 95 % intervals.",
        "predicted probability",
        "observed share",
        _x_ticks(),
        _y_ticks(),
        chance=(place_y(0), place_y(1)),
        at_line=at_line,
        bins=tuple(_bin(series, number, mean) for number, mean in enumerate(series.predicted)),
    )


def _bin(series: Series, number: int, mean: float | None) -> Bin | None:
    if mean is None:
        return None
    edges = (0, *series.edges)
    start, stop = edges[len(edges) - 3 - 2 * number], edges[len(edges) - 1 - 2 * number]
    before, after = series.at(start), series.at(stop)
    came, rows = after.true_positives - before.true_positives, after.called - before.called
    low, high = _wilson(came, rows)
    return Bin(place_x(round(1e5 * mean) / 1e5), place_y(came / rows), place_y(low), place_y(high))


def _histogram(panel: CutoffPanel, series: Series, at_line: float) -> Plot:
    edges = (0, *series.edges)
    parts = [(series.at(a), series.at(b)) for a, b in pairwise(edges)][::-1]
    positive = [(b.true_positives - a.true_positives) / series.positives for a, b in parts]
    negative = [(b.false_positives - a.false_positives) / series.negatives for a, b in parts]
    top = max(*positive, *negative)
    n = len(parts)
    bars = tuple(
        Bar(place_x(k / n), _tenth(_WIDTH / n - 1), _height(positive[k] / top), _height(negative[k] / top))
        for k in range(n)
    )
    ends = (panel.low, (panel.low + panel.high) / 2, panel.high)
    share = f"{tick(100 * top)} %"
    x_ticks = tuple(Tick(place_x(at), minus(f"{value:.3g}")) for at, value in zip((0, 0.5, 1), ends, strict=True))
    y_ticks = tuple(Tick(place_y(at), text) for at, text in ((0, share), (1, share)))
    return Plot(
        "histogram",
        "Scores",
        "How the scores of both sides are spread: positives upwards, the others downwards, as shares of their side.",
        "probability" if panel.scores == "probability" else "score",
        "share of side",
        x_ticks,
        y_ticks,
        chance=(place_y(0.5), place_y(0.5)),
        at_line=at_line,
        bars=bars,
    )


def _height(share: float) -> float:
    return place_y(0) - place_y(share / 2)


def _x_ticks() -> tuple[Tick, ...]:
    return tuple(Tick(place_x(part), f"{part:g}") for part in (0, 0.5, 1))


def _y_ticks(top: float | None = None) -> tuple[Tick, ...]:
    """From 0 to 1, or to a top that changes with the class and the costs."""
    if top is None:
        return tuple(Tick(place_y(part), f"{part:g}") for part in (0, 0.5, 1))
    return tuple(Tick(place_y(part), tick(part * top), part) for part in (0, 0.5, 1))


def _placed(point: Point | None) -> Point | None:
    return None if point is None else (place_x(point[0]), place_y(point[1]))


def _tenth(value: float) -> float:
    return math.floor(value * 10 + 0.5) / 10


def _wilson(successes: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a share; `crake.metrics` has it too, but pictures know no measures."""
    centre = (successes + _Z * _Z / 2) / (n + _Z * _Z)
    half = _Z / (n + _Z * _Z) * math.sqrt(successes * ((n - successes) / n) + _Z * _Z / 4)
    return max(0.0, centre - half), min(1.0, centre + half)
