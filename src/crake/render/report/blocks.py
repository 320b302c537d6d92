"""Blocks of a report: the kinds of content that a section may hold.

A block is data. The renderers (`html`, `markdown`, `text`) each have one function per kind of block.
Three more kinds are defined beside their data: `Grid`, `CutoffPanel` and `Leaderboard`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from crake.render.check import Check
from crake.render.grid import Grid
from crake.render.leaderboard import Leaderboard, Matrix
from crake.render.report.cutoffs import CutoffPanel
from crake.render.workings import Workings


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text; a quiet one explains the blocks beside it."""

    text: str
    is_quiet: bool = False


@dataclass(frozen=True)
class Facts:
    """Pairs of a name and its value."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Messages:
    """A list of warnings, or of notes."""

    kind: Literal["warnings", "notes"]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Confusion:
    """A confusion matrix."""

    matrix: Matrix


@dataclass(frozen=True)
class Picture:
    """A drawing: its SVG, in which crake has escaped every name, its title and its caption."""

    title: str
    svg: str
    caption: str = ""


@dataclass(frozen=True)
class Pictures:
    """Drawings below each other, or side by side."""

    pictures: tuple[Picture, ...]
    side_by_side: bool = False


@dataclass(frozen=True)
class Listing:
    """Text whose lines are kept as they are, such as a tree. A page folds it under its title unless `is_open`."""

    title: str
    text: str
    is_open: bool = True


@dataclass(frozen=True)
class WorkedRow:
    """A row of the table with its hand calculation: right, wrong or a close call.

    `outcome` is the prediction of the model that had not learned the row.
    """

    kind: str
    row: int
    cells: tuple[tuple[str, str], ...]
    outcome: str
    workings: Workings

    def to_dict(self) -> dict[str, Any]:
        """Return the row for JSON."""
        return {
            "kind": self.kind,
            "row": self.row,
            "cells": dict(self.cells),
            "outcome": self.outcome,
            "workings": self.workings.to_dict(),
        }


@dataclass(frozen=True)
class Checks:
    """The checks that raised something; none if all passed."""

    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Code:
    """Lines that a reader copies, under the name of their language."""

    name: str
    text: str


@dataclass(frozen=True)
class Versions:
    """Names and versions of the libraries that made the report."""

    pairs: tuple[tuple[str, str], ...]


Block = (
    Paragraph
    | Facts
    | Messages
    | Leaderboard
    | Confusion
    | CutoffPanel
    | Grid
    | Pictures
    | Listing
    | WorkedRow
    | Checks
    | Code
    | Versions
)
