"""The report as data: every rendering (HTML, Markdown, text, JSON) shows this and nothing else."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crake.errors import CrakeError
from crake.files import replace_file
from crake.render.leaderboard import Leaderboard
from crake.render.report.cutoffs import CutoffPanel
from crake.render.workings import Workings


@dataclass(frozen=True)
class Drawing:
    """A picture of a model: its SVG (made by crake, every name in it escaped) and what it shows."""

    title: str
    svg: str
    caption: str = ""


@dataclass(frozen=True)
class WorkedRow:
    """A row of the table with its hand calculation: right, wrong or a close call.

    `outcome` is what the model that had not seen the row said of it.
    """

    kind: str
    row: int
    cells: tuple[tuple[str, str], ...]
    outcome: str
    workings: Workings


@dataclass(frozen=True)
class Report:
    """Eight parts: headline, data, leaderboard, cutoff panel, the chosen model drawn, worked rows, checks, protocol.

    The headline, the data, the leaderboard, checks and protocol are those of `board`. `without_panel` says why there
    is no panel, `without_rows` why no rows are worked; `learner` is the one that is drawn and worked, `about_model`
    says what its model was learned from, `about_rows` how the rows were chosen.
    """

    board: Leaderboard
    panel: CutoffPanel | None = None
    without_panel: str = ""
    learner: str = ""
    about_model: str = ""
    about_rows: str = ""
    model_text: str = ""
    drawings: tuple[Drawing, ...] = ()
    worked: tuple[WorkedRow, ...] = ()
    without_rows: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the schema "crake-report/1"."""
        board = {name: value for name, value in self.board.to_dict().items() if name not in ("reproduce", "versions")}
        return {
            "schema": "crake-report/1",
            **board,
            "reproduce": dict(self.board.reproduce),
            "versions": dict(self.board.versions),
            "cutoffs": None if self.panel is None else self.panel.to_dict(),
            "without_cutoffs": self.without_panel,
            "learner": self.learner,
            "about_model": self.about_model,
            "about_rows": self.about_rows,
            "model": self.model_text,
            "drawings": [asdict(drawing) for drawing in self.drawings],
            "worked": [worked_dict(row) for row in self.worked],
            "without_rows": self.without_rows,
        }

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, also in a file if one is named: whole or not at all."""
        from crake.render.report.page import report_page  # noqa: PLC0415 (jinja2 only when asked for)

        return written(report_page(self), path)

    def markdown(self, path: str | Path | None = None) -> str:
        """For a wiki, a ticket, a pull request."""
        from crake.render.report.markdown import report_markdown  # noqa: PLC0415

        return written(report_markdown(self), path)

    def json(self, path: str | Path | None = None) -> str:
        """What `to_dict` holds, as text."""
        return written(json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n", path)

    def save(self, path: str | Path) -> None:
        """Write the report as what the file's name ends in says: .html, .md, .json or .txt."""
        save_as(self, path)

    def __str__(self) -> str:
        from crake.render.report.text import report_text  # noqa: PLC0415 (rich only when asked for)

        return report_text(self).plain

    def fragment(self) -> str:
        """HTML for another page, without script."""
        from crake.render.report.page import report_fragment  # noqa: PLC0415

        return report_fragment(self)

    def _repr_html_(self) -> str:
        return self.fragment()


def written(text: str, path: str | Path | None) -> str:
    """The text, also in a file if one is named: whole or not at all."""
    if path is not None:
        replace_file(path, text.encode("utf-8", "backslashreplace"))
    return text


def save_as(report: Any, path: str | Path) -> None:
    """A report as HTML, Markdown, JSON or text, by what the file's name ends in."""
    renderings = {".html": report.to_html, ".htm": report.to_html, ".md": report.markdown, ".json": report.json}
    suffix = Path(path).suffix.lower()
    if suffix == ".txt":
        written(f"{report}\n", path)
    elif suffix in renderings:
        renderings[suffix](path)
    else:
        raise CrakeError(f"{path} ends in {suffix or 'nothing'}; expected .html, .md, .json or .txt")


def worked_dict(row: WorkedRow) -> dict[str, Any]:
    """For JSON."""
    return {
        "kind": row.kind,
        "row": row.row,
        "cells": dict(row.cells),
        "outcome": row.outcome,
        "workings": row.workings.to_dict(),
    }
