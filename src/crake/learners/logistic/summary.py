"""The summary of a logistic regression: coefficient, error, z, p, interval, odds ratio; and of the fit."""

from __future__ import annotations

from dataclasses import dataclass

from crake.learners.encoding.coefficients import Coefficient, grid_of
from crake.render.grid import Grid
from crake.render.plain_text import minus, shown
from crake.render.short_repr import short_repr
from crake.render.workings import number


@dataclass(frozen=True)
class LogisticSummary:
    """`outputs` holds, for each class but the base, its label and the coefficients of its log odds against the base."""

    base: str
    outputs: tuple[tuple[str, tuple[Coefficient, ...]], ...]
    references: tuple[tuple[str, str], ...]
    rows: float
    parameters: int
    log_likelihood: float
    null_log_likelihood: float
    iterations: int
    confidence: float
    notes: tuple[str, ...]

    __repr__ = short_repr

    @property
    def deviance(self) -> float:
        """−2·log-likelihood."""
        return -2.0 * self.log_likelihood

    @property
    def null_deviance(self) -> float:
        """The deviance without columns."""
        return -2.0 * self.null_log_likelihood

    @property
    def aic(self) -> float:
        """Akaike's criterion: deviance + 2·coefficients."""
        return self.deviance + 2.0 * self.parameters

    @property
    def pseudo_r2(self) -> float:
        """McFadden's: 1 − log-likelihood / log-likelihood without columns."""
        return 1.0 - self.log_likelihood / self.null_log_likelihood if self.null_log_likelihood else 0.0

    def grids(self) -> tuple[Grid, ...]:
        """Return one table for each class but the base."""
        return tuple(
            grid_of(f"Log odds of {shown(label, 40)} against {self.base}", lines, self.confidence, odds=True)
            for label, lines in self.outputs
        )

    def lines(self) -> tuple[str, ...]:
        """Return the lines below the tables."""
        reference = ", ".join(f"{shown(column, 40)} {shown(level, 40)}" for column, level in self.references)
        if not self.rows:  # a model that was fitted elsewhere
            return tuple(f"note: {note}" for note in self.notes)
        return (
            *([f"reference levels: {reference}"] if reference else []),
            f"{number(self.rows)} rows, {self.parameters} coefficients, {_times(self.iterations, 'iteration')}",
            f"log-likelihood {minus(f'{self.log_likelihood:.6g}')}, deviance {self.deviance:.6g}, AIC {self.aic:.6g}",
            f"deviance without columns {self.null_deviance:.6g}, pseudo-R² (McFadden) {self.pseudo_r2:.4f}",
            *(f"note: {note}" for note in self.notes),
        )

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.grids()), "\n".join(self.lines())])

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415

        return "".join(grid._repr_html_() for grid in self.grids()) + "".join(
            f"<p>{escape(line)}</p>" for line in self.lines()
        )


def _times(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
