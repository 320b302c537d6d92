"""The critical-difference diagram: mean ranks on a line, learners that cannot be told apart joined by a bar."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from crake.render.drawing.canvas import Canvas, coordinate
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.plain_text import shown, visible

_AXIS, _SIDE, _STEP = 300.0, 170.0, 20
"""The length of the axis, the least room for names at each side, the height of a line of text, in pixels."""
_LETTERS, _TICKS = 32, 12
"""Letters of a name beside the axis; learners up to which every rank has its number."""


@dataclass(frozen=True)
class CriticalDifference:
    """Mean ranks (1 is best), the critical difference, and groups of learners that are not distinguishable.

    `print` shows it as text, a notebook as a drawing; `draw().save(path)` writes it, `svg()` is its text.

    >>> print(CriticalDifference(("C4.5", "C4.5+m", "1R"), (1.9, 1.2, 2.9), 1.25, ((1, 0), (0, 2)), 14, "AUC", 0.05))
    AUC, mean ranks over 14 tables; critical difference 1.250 (Nemenyi, 5 %)
      1.20  C4.5+m  ┃
      1.90  C4.5    ┃┃
      2.90  1R       ┃
    Learners joined by a line are not distinguishable.

    Demšar (2006), Statistical comparisons of classifiers over multiple data sets.
    """

    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    critical_difference: float
    groups: tuple[tuple[int, ...], ...]
    tables: int
    measure: str
    level: float = 0.05

    @property
    def order(self) -> tuple[int, ...]:
        """Return the learners by their number, best first."""
        return tuple(sorted(range(len(self.names)), key=lambda k: self.mean_ranks[k]))

    @property
    def title(self) -> str:
        """Return the title: the measure, the number of tables and the critical difference."""
        return (
            f"{self.measure}, mean ranks over {self.tables} tables; critical difference "
            f"{self.critical_difference:.3f} (Nemenyi, {100 * self.level:g} %)"
        )

    def to_dict(self) -> dict[str, object]:
        """Return a dictionary for JSON."""
        return {
            "learners": [self.names[k] for k in self.order],
            "mean_ranks": [self.mean_ranks[k] for k in self.order],
            "critical_difference": self.critical_difference,
            "level": self.level,
            "not_distinguishable": [[self.names[k] for k in group] for group in self.groups],
            "tables": self.tables,
        }

    def __str__(self) -> str:
        names = [shown(self.names[k], 40) for k in self.order]
        wide = max(map(len, names))
        lines = [
            f"  {self.mean_ranks[k]:.2f}  {name.ljust(wide)}  {self._bars(k)}".rstrip()
            for k, name in zip(self.order, names, strict=True)
        ]
        foot = "Learners joined by a line are not distinguishable." if self.groups else "All are distinguishable."
        return "\n".join([self.title, *lines, foot])

    def _bars(self, learner: int) -> str:
        return "".join("┃" if learner in group else " " for group in self.groups)

    @property
    def finding(self) -> str:
        """In words: who is best, and who cannot be told from it."""
        best = self.order[0]
        rivals = [self.names[k] for k in self.order[1:] if any({best, k} <= set(group) for group in self.groups)]
        sentence = f"Best is {shown(self.names[best])} with a mean rank of {self.mean_ranks[best]:.2f}"
        if not rivals:
            return f"{sentence}; all others are distinguishable from it."
        return f"{sentence}; not distinguishable from it: {', '.join(map(shown, rivals))}."

    def draw(self) -> Drawing:
        """Return the diagram: best at the left; learners joined by a bar are not distinguishable."""
        return Drawing(self.title, self.finding, self._drawn)

    def svg(self) -> str:
        """Return the drawing as text."""
        return self.draw().svg()

    def _repr_html_(self) -> str:
        return (
            f'<figure style="max-width:{coordinate(_AXIS + 2 * self._side)}px">{self.draw()._repr_html_()}'
            f"<figcaption>{escape(visible(self.title))}</figcaption></figure>"
        )

    def _drawn(self) -> Canvas:
        k = len(self.names)
        left, right = self.order[: (k + 1) // 2], self.order[(k + 1) // 2 :][::-1]
        axis = 52
        below = axis + 16 + 9 * len(self.groups)
        canvas = Canvas(_AXIS + 2 * self._side, below + _STEP * max(len(left), len(right)) + 12)
        self._ruler(canvas)
        self._axis(canvas, axis)
        for group, bar in enumerate(self.groups):
            ranks = [self.mean_ranks[learner] for learner in bar]
            y = axis + 12 + 9 * group
            canvas.line(self._x(min(ranks)) - 3, y, self._x(max(ranks)) + 3, y, "l0", stroke_width=4)
        for names, at_left in ((left, True), (right, False)):
            for j, learner in enumerate(names):
                self._leader(canvas, learner, axis, below + _STEP * j, at_left=at_left)
        return canvas

    @property
    def _side(self) -> float:
        """Return the room for names at each side of the axis."""
        return max(_SIDE, *(text_width(self._label(k, at_left=True), SIZES["t"]) + 21 for k in range(len(self.names))))

    def _label(self, learner: int, *, at_left: bool) -> str:
        name, rank = shown(self.names[learner], _LETTERS), f"{self.mean_ranks[learner]:.2f}"
        return f"{name} {rank}" if at_left else f"{rank} {name}"

    def _x(self, rank: float) -> float:
        """Return the place of a rank: 1 at the left end of the axis, k at the right."""
        return self._side + (rank - 1) / (len(self.names) - 1) * _AXIS

    def _ruler(self, canvas: Canvas) -> None:
        """The critical difference as a length, above the axis; no longer than the axis itself."""
        start, end = self._x(1), self._x(1 + min(self.critical_difference, len(self.names) - 1))
        more = "" if self.critical_difference <= len(self.names) - 1 else " (longer than the axis)"
        canvas.line(start, 16, end, 16, "inked")
        for x in (start, end):
            canvas.line(x, 12, x, 20, "inked")
        canvas.text(end + 6, 20, f"CD = {self.critical_difference:.2f}{more}")

    def _axis(self, canvas: Canvas, y: int) -> None:
        canvas.line(self._x(1), y, self._x(len(self.names)), y, "inked")
        for rank in range(1, len(self.names) + 1):
            canvas.line(self._x(rank), y - 5, self._x(rank), y, "inked")
            if len(self.names) <= _TICKS or rank in (1, len(self.names)) or rank % 5 == 0:
                canvas.text(self._x(rank), y - 9, str(rank), "q", anchor="middle")

    def _leader(self, canvas: Canvas, learner: int, axis: int, y: int, *, at_left: bool) -> None:
        x = self._x(self.mean_ranks[learner])
        edge = self._side - 8 if at_left else self._side + _AXIS + 8
        canvas.path(f"M{coordinate(x)} {axis}V{y}H{coordinate(edge)}", "line axis", stroke_width=1)
        place, anchor = (edge - 5, "end") if at_left else (edge + 5, "start")
        canvas.text(place, y + 4, self._label(learner, at_left=at_left), anchor=anchor)
