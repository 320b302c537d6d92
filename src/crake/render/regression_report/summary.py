"""The report on a regressor as data: every rendering (HTML, Markdown, text, JSON) shows this and nothing else."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crake.render.format_numbers import amount
from crake.render.grid import Grid
from crake.render.report.summary import Drawing, WorkedRow, save_as, worked_dict, written


@dataclass(frozen=True)
class NumberMeasure:
    """RMSE, MAE or R²: its value with its interval, and what always answering the mean would give.

    `value` is None where it is undefined, and `reason` says why.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    of_mean: float | None
    reason: str = ""


@dataclass(frozen=True)
class NumberReport:
    """Headline, data, measures, how large the errors are, predicted against true, the model drawn, protocol.

    `plots` are of the evaluation, `drawings` of the model; `grids` are tables of errors, those that hold rows only
    where they were asked for, as `worked`; `without_rows` says why none are.
    """

    title: str
    headline: str
    facts: tuple[tuple[str, str], ...]
    measures: tuple[NumberMeasure, ...]
    protocol: str
    learner: str
    occasion: str
    grids: tuple[Grid, ...] = ()
    plots: tuple[Drawing, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    about_model: str = ""
    model_text: str = ""
    drawings: tuple[Drawing, ...] = ()
    worked: tuple[WorkedRow, ...] = ()
    without_rows: str = ""
    reproduce: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()

    def measure_grid(self) -> Grid:
        """The measures as a small table; a lower RMSE and MAE is better, a higher R²."""
        rows = tuple(
            (each.name, _figure(each.value, each.reason), _interval(each), _figure(each.of_mean, ""))
            for each in self.measures
        )
        return Grid("Result", ("measure", "value", "95 % interval", "always the mean"), rows)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the schema "crake-number-report/1"."""
        held = asdict(self)
        return {
            "schema": "crake-number-report/1",
            **held,
            "facts": dict(self.facts),
            "worked": [worked_dict(row) for row in self.worked],
            "reproduce": dict(self.reproduce),
            "versions": dict(self.versions),
        }

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, also in a file if one is named: whole or not at all."""
        from crake.render.regression_report.page import number_page  # noqa: PLC0415 (jinja2 only when asked for)

        return written(number_page(self), path)

    def markdown(self, path: str | Path | None = None) -> str:
        """For a wiki, a ticket, a pull request."""
        from crake.render.regression_report.markdown import number_markdown  # noqa: PLC0415

        return written(number_markdown(self), path)

    def json(self, path: str | Path | None = None) -> str:
        """What `to_dict` holds, as text."""
        return written(json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n", path)

    def save(self, path: str | Path) -> None:
        """Write the report as what the file's name ends in says: .html, .md, .json or .txt."""
        save_as(self, path)

    def __str__(self) -> str:
        from crake.render.regression_report.text import number_text  # noqa: PLC0415

        return number_text(self)

    def fragment(self) -> str:
        """HTML for another page, without script."""
        from crake.render.regression_report.page import number_fragment  # noqa: PLC0415

        return number_fragment(self)

    def _repr_html_(self) -> str:
        return self.fragment()


def _figure(value: float | None, reason: str) -> str:
    return (reason or "–") if value is None else amount(value)


def _interval(each: NumberMeasure) -> str:
    return "" if each.low is None or each.high is None else f"[{amount(each.low)}, {amount(each.high)}]"
