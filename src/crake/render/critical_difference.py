"""The critical-difference diagram: mean ranks on a line, learners that cannot be told apart joined by a bar."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from crake.render.plain_text import shown

_WIDTH, _SIDE, _STEP = 640, 170, 20
"""The whole drawing, the room for names at each side, the height of a line of text; in units of the drawing."""
_LETTERS = 24
"""Letters of a name that fit beside the axis."""


@dataclass(frozen=True)
class CriticalDifference:
    """Mean ranks (1 is best), the critical difference, and groups of learners that are not distinguishable.

    `print` shows it as text, a notebook as a drawing, `svg()` is the drawing as a file would hold it.

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
        """The learners by their number, best first."""
        return tuple(sorted(range(len(self.names)), key=lambda k: self.mean_ranks[k]))

    @property
    def title(self) -> str:
        """What is drawn."""
        return (
            f"{self.measure}, mean ranks over {self.tables} tables; critical difference "
            f"{self.critical_difference:.3f} (Nemenyi, {100 * self.level:g} %)"
        )

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
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

    def svg(self) -> str:
        """The drawing: best at the left; colours follow the text around it, so it fits light and dark pages."""
        k = len(self.names)
        left, right = self.order[: (k + 1) // 2], self.order[(k + 1) // 2 :][::-1]
        axis = 52
        below = axis + 16 + 9 * len(self.groups)
        height = below + _STEP * max(len(left), len(right)) + 12
        parts = [*self._ruler(), *self._axis(axis), *self._group_bars(axis)]
        parts += [self._leader(learner, axis, below + _STEP * j, at_left=True) for j, learner in enumerate(left)]
        parts += [self._leader(learner, axis, below + _STEP * j, at_left=False) for j, learner in enumerate(right)]
        said = escape(self.title)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" class="ranks" role="img" '
            f'aria-label="{said}" font-family="system-ui, sans-serif" font-size="13" fill="currentColor">'
            f"<title>{said}</title>{''.join(parts)}</svg>"
        )

    def _repr_html_(self) -> str:
        return (
            f'<figure style="max-width:{_WIDTH}px">{self.svg()}<figcaption>{escape(self.title)}</figcaption></figure>'
        )

    def _x(self, rank: float) -> float:
        """Where a rank stands, 1 at the left end of the axis and k at the right."""
        return round(_SIDE + (rank - 1) / (len(self.names) - 1) * (_WIDTH - 2 * _SIDE), 2)

    def _ruler(self) -> list[str]:
        """The critical difference as a length, above the axis; no longer than the axis itself."""
        end = self._x(1 + min(self.critical_difference, len(self.names) - 1))
        more = "" if self.critical_difference <= len(self.names) - 1 else " (longer than the axis)"
        start = self._x(1)
        return [
            _line(start, 16, end, 16),
            _line(start, 12, start, 20),
            _line(end, 12, end, 20),
            _text(end + 6, 20, f"CD = {self.critical_difference:.2f}{more}", "start"),
        ]

    def _axis(self, y: int) -> list[str]:
        whole = range(1, len(self.names) + 1)
        drawn = [_line(self._x(1), y, self._x(len(self.names)), y)]
        for rank in whole:
            drawn += [_line(self._x(rank), y - 5, self._x(rank), y), _text(self._x(rank), y - 9, str(rank), "middle")]
        return drawn

    def _group_bars(self, axis: int) -> list[str]:
        ends = [(min(ranks), max(ranks)) for ranks in ([self.mean_ranks[k] for k in group] for group in self.groups)]
        return [
            _line(self._x(low) - 3, axis + 12 + 9 * j, self._x(high) + 3, axis + 12 + 9 * j, width=4)
            for j, (low, high) in enumerate(ends)
        ]

    def _leader(self, learner: int, axis: int, y: int, *, at_left: bool) -> str:
        x, rank = self._x(self.mean_ranks[learner]), self.mean_ranks[learner]
        edge = _SIDE - 8 if at_left else _WIDTH - _SIDE + 8
        name = shown(self.names[learner], _LETTERS)
        label = f"{name} {rank:.2f}" if at_left else f"{rank:.2f} {name}"
        path = f'<path d="M{x} {axis}V{y}H{edge}" fill="none" stroke="currentColor" stroke-width="1"/>'
        return path + _text(edge + (-5 if at_left else 5), y + 4, label, "end" if at_left else "start")


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 1) -> str:
    place = f'x1="{round(x1, 2)}" y1="{y1}" x2="{round(x2, 2)}" y2="{y2}"'
    return f'<line {place} stroke="currentColor" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{round(x, 2)}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
