"""The leaderboard as data: what the terminal table and the HTML page show."""

from __future__ import annotations

from dataclasses import dataclass

from crake.render.check import Check
from crake.render.grid import Grid


@dataclass(frozen=True)
class Figure:
    """A number with its interval; `value` None means undefined, and `reason` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Entry:
    """One learner's line. `verdict` says in words how it stands to the best and the baseline.

    Seconds are None where nothing was fitted or predicted. `is_tied` marks what the data cannot tell from the best; it
    is drawn in the colour of the best. `cost` is there where costs were given.
    """

    name: str
    accuracy: Figure
    auc: Figure
    f1: Figure
    log_loss: Figure
    fit_seconds: float | None
    predict_seconds: float | None
    is_baseline: bool
    is_best: bool
    verdict: str
    is_tied: bool = False
    cost: Figure | None = None


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix: rows actual, columns predicted."""

    name: str
    labels: tuple[str, ...]
    counts: tuple[tuple[float, ...], ...]
    recall: tuple[float | None, ...]
    precision: tuple[float | None, ...]


@dataclass(frozen=True)
class Leaderboard:
    """A whole comparison, ready to be shown.

    `f1_name` and `interval_name` say what those columns are: "F1 (weighted)", "95 % interval". `warnings` may
    change what the reader makes of the result; `notes` say what was done with the table. `occasion` is what the first
    line of the page says before the title, `heading` stands over the figures. `grids` are tables of text that go with
    the result; `checks` is what checks found, None where none were made.
    """

    title: str
    headline: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    entries: tuple[Entry, ...]
    matrices: tuple[Matrix, ...]
    protocol: str
    reproduce: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    f1_name: str = "F1"
    interval_name: str = "95 % interval"
    notes: tuple[str, ...] = ()
    occasion: str = ""
    heading: str = "Leaderboard"
    grids: tuple[Grid, ...] = ()
    checks: tuple[Check, ...] | None = None

    @property
    def baseline(self) -> Entry | None:
        """The line that every learner has to pass: majority where it is there, or else the first baseline."""
        baselines = [entry for entry in self.entries if entry.is_baseline]
        named = [entry for entry in baselines if entry.name.lower().startswith("majority")]
        return next(iter(named or baselines), None)

    @property
    def best(self) -> Entry | None:
        """The learner the headline speaks of."""
        return next((entry for entry in self.entries if entry.is_best), None)

    @property
    def best_matrix(self) -> Matrix | None:
        """The confusion matrix of the best learner, or the first one there is."""
        name = self.best.name if self.best is not None else None
        named = [matrix for matrix in self.matrices if matrix.name == name]
        return next(iter(named or self.matrices), None)
