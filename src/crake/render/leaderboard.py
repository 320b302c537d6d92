"""Leaderboards as data: the content of the terminal table and of the HTML page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from crake.render.check import Check
from crake.render.grid import Grid
from crake.render.short_repr import short_repr


@dataclass(frozen=True)
class Figure:
    """A number with its interval; `value` None means undefined, and `reason` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class MeasureColumn:
    """A measure of a leaderboard. The first column is the one that ranks; its intervals are drawn.

    `name` is its key in JSON, `title` its heading, and `full_title` says more where there is room: "F1 (weighted)".
    A share lies between 0 and 1 and is shown with decimals. Other amounts are shown with four digits.
    """

    name: str
    title: str
    full_title: str = ""
    is_share: bool = True
    greater_is_better: bool = True

    @property
    def about(self) -> str:
        """Return the part of the full title that the title leaves out: "weighted"."""
        return self.full_title.removeprefix(self.title).strip(" ()")


@dataclass(frozen=True)
class Entry:
    """One learner's line. `verdict` says in words how it stands to the best and the baseline.

    `figures` has one figure per column of the leaderboard. Seconds are None if nothing was fitted or predicted.
    `is_tied` marks a learner that the data cannot tell from the best; it is drawn in the colour of the best.
    Where a verdict has no room, `short_verdict` stands in the line and `remark` below the table.
    """

    name: str
    figures: tuple[Figure, ...]
    fit_seconds: float | None
    predict_seconds: float | None
    is_baseline: bool
    is_best: bool
    verdict: str
    is_tied: bool = False
    short_verdict: str = ""
    remark: str = ""

    __repr__ = short_repr

    @property
    def main(self) -> Figure:
        """Return the figure of the first column."""
        return self.figures[0]


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

    `columns` are its measures, the first of which ranks. `interval_name` says what the intervals are: "95 % interval".
    `lead` are the lines right below the headline: why this measure ranks, which columns were left out. `warnings` may
    change what the reader makes of the result; `notes` say what was done with the table. `occasion`
    stands before the title in the first line of the page, `heading` over the figures. `grids` are tables of text that
    go with the result. `checks` is None where none were made. `baseline_name` is the learner that all have to pass.
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
    columns: tuple[MeasureColumn, ...]
    interval_name: str = "95 % interval"
    notes: tuple[str, ...] = ()
    occasion: str = ""
    heading: str = "Leaderboard"
    grids: tuple[Grid, ...] = ()
    checks: tuple[Check, ...] | None = None
    baseline_name: str = ""
    lead: tuple[str, ...] = ()

    __repr__ = short_repr

    @property
    def main(self) -> MeasureColumn:
        """Return the column of the measure that ranks."""
        return self.columns[0]

    @property
    def baseline(self) -> Entry | None:
        """Return the line that every learner has to pass: the one named, or else the first baseline."""
        baselines = [entry for entry in self.entries if entry.is_baseline]
        named = [entry for entry in baselines if entry.name == self.baseline_name]
        return next(iter(named or baselines), None)

    @property
    def best(self) -> Entry | None:
        """Return the learner that the headline names."""
        return next((entry for entry in self.entries if entry.is_best), None)

    @property
    def best_matrix(self) -> Matrix | None:
        """Return the confusion matrix of the best learner, or the first one there is."""
        name = self.best.name if self.best is not None else None
        named = [matrix for matrix in self.matrices if matrix.name == name]
        return next(iter(named or self.matrices), None)

    def figure(self, entry: Entry, name: str) -> Figure:
        """Return a learner's figure in the column of this name."""
        return entry.figures[[column.name for column in self.columns].index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Return the leaderboard for JSON, each figure under the name of its column."""
        fields = {name: value for name, value in asdict(self).items() if name not in ("columns", "baseline_name")}
        f1 = [column.full_title for column in self.columns if column.name == "f1"]
        return {
            **fields,
            "entries": [self._entry(entry) for entry in self.entries],
            **({"f1_name": f1[0] or "F1"} if f1 else {}),
        }

    def _entry(self, entry: Entry) -> dict[str, Any]:
        left_out = ("figures", "short_verdict", "remark")
        fields = {name: value for name, value in asdict(entry).items() if name not in left_out}
        figures = {column.name: asdict(each) for column, each in zip(self.columns, entry.figures, strict=True)}
        no_cost = {"cost": None} if "accuracy" in figures and "cost" not in figures else {}
        return {**fields, **no_cost, **figures}
