"""The summary of a linear regression: coefficient, standard error, t, p and interval by term; R², RMSE."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from crake.learners.encoding.coefficients import Coefficient, grid_of, p_written
from crake.render.grid import Grid
from crake.render.plain_text import minus, shown
from crake.render.short_repr import short_repr
from crake.render.workings import number


@dataclass(frozen=True)
class LinearSummary:
    """`residual_error` is √(Σ residual² / (rows − coefficients)), `rmse` √(Σ residual² / rows)."""

    target: str
    coefficients: tuple[Coefficient, ...]
    references: tuple[tuple[str, str], ...]
    rows: float
    degrees_of_freedom: float
    residual_error: float | None
    rmse: float
    r2: float | None
    adjusted_r2: float | None
    f_statistic: float | None
    f_p_value: float | None
    condition: float
    confidence: float
    notes: tuple[str, ...]

    __repr__ = short_repr

    def grid(self) -> Grid:
        """Return the coefficients."""
        return grid_of(
            f"Linear regression of {shown(self.target, 40)}", self.coefficients, self.confidence, statistic="t"
        )

    def lines(self) -> tuple[str, ...]:
        """Return the lines below the table."""
        reference = ", ".join(f"{shown(column, 40)} {shown(level, 40)}" for column, level in self.references)
        error = "undefined" if self.residual_error is None else f"{self.residual_error:.6g}"
        if not self.rows:
            return tuple(f"note: {note}" for note in self.notes)
        lines = [
            *([f"reference levels: {reference}"] if reference else []),
            f"{number(self.rows)} rows, {number(self.degrees_of_freedom)} degrees of freedom",
            f"residual standard error {error}, RMSE {self.rmse:.6g}",
        ]
        if self.r2 is not None:
            adjusted = "" if self.adjusted_r2 is None else f", adjusted {minus(f'{self.adjusted_r2:.6f}')}"
            lines.append(f"R² {minus(f'{self.r2:.6f}')}{adjusted}")
        if self.f_statistic is not None:
            lines.append(f"F {self.f_statistic:.6g}, p {p_written(self.f_p_value)}")
        return (*lines, *(f"note: {note}" for note in self.notes))

    def __str__(self) -> str:
        return f"{self.grid()}\n\n" + "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_() + "".join(f"<p>{escape(line)}</p>" for line in self.lines())
