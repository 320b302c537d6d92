"""The report as HTML: one file with its script and its numbers inside, or a fragment without script for a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from crake.render import format_numbers as numbers
from crake.render.drawing.style import sheet
from crake.render.grid import Grid
from crake.render.leaderboard import Leaderboard
from crake.render.page import filled, filled_fragment, filled_page
from crake.render.plain_text import shown
from crake.render.report.blocks import (
    Block,
    Checks,
    Code,
    Confusion,
    Facts,
    Listing,
    Messages,
    Paragraph,
    Picture,
    Pictures,
    Versions,
    WorkedRow,
)
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.embedded_json import NAME, island
from crake.render.report.interval_plot import interval_plot
from crake.render.report.matrix_shading import matrix_shading
from crake.render.report.plots import plots
from crake.render.report.report import Report
from crake.render.report.script import script, script_hash
from crake.render.report.words import sentence
from crake.render.sentences import class_words

_STEPS = 8
"""Steps and rows of a calculation, and parts of it, that are shown; the rest is counted."""
_BODY = "report/report.html.jinja"

Parts = dict[str, Any]


def report_page(report: Report) -> str:
    """Return the report as a page of its own."""
    is_live = bool(report.blocks(CutoffPanel))
    parts = _parts(report, level=1, is_live=is_live)
    return filled_page(report.title, _BODY, parts, script_source=f"'{script_hash()}'" if is_live else "")


def report_fragment(report: Report) -> str:
    """Return the report as a part of another page: meaningful without scripts."""
    return filled_fragment(_BODY, _parts(report, level=3, is_live=False))


def report_body(report: Report) -> Markup:
    """Return the report for a page that brings the style sheet and the script along."""
    parts = _parts(report, level=1, is_live=bool(report.blocks(CutoffPanel)))
    return filled(_BODY, {**parts, "level": 1, "script": ""})


def _parts(report: Report, *, level: int, is_live: bool) -> Parts:
    def block_html(block: Block, earlier: tuple[Block, ...]) -> Markup:
        name, added = _KINDS[type(block)]
        is_first = not any(type(each) is type(block) for each in earlier)
        own = {"block": block, "is_first": is_first, "is_live": is_live, "level": level}
        return filled(f"report/blocks/{name}.html.jinja", {**own, **added(block, level)})

    sections = [
        (section.title, [block_html(block, section.blocks[:place]) for place, block in enumerate(section.blocks)])
        for section in report.sections_in("html")
    ]
    has_drawings = any(block.pictures for block in report.blocks(Pictures))
    return {
        "report": report,
        "sections": sections,
        "drawing_style": Markup(sheet()) if has_drawings else "",  # noqa: S704 (our own style sheet)
        "script": script() if is_live else "",
    }


def _nothing(_block: Any, _level: int) -> Parts:
    return {}


def _leaderboard(board: Leaderboard, _level: int) -> Parts:
    decimals = numbers.decimals_for(entry.main for entry in board.entries)
    return {
        "board": board,
        "decimals": decimals,
        "interval_plot": interval_plot(board, decimals),
    }


def _confusion(block: Confusion, _level: int) -> Parts:
    return {"matrix": matrix_shading(block.matrix)}


def _pictures(block: Pictures, _level: int) -> Parts:
    return {"pictures": [(picture, _svg(picture)) for picture in block.pictures]}


def _svg(picture: Picture) -> Markup:
    return Markup(picture.svg)  # noqa: S704 (drawings escape every name themselves)


def _worked_row(row: WorkedRow, level: int) -> Parts:
    return {"html": Markup(row.workings.shortened(_STEPS).html(level + 2))}  # noqa: S704 (so do hand calculations)


def _cutoff_panel(panel: CutoffPanel, _level: int) -> Parts:
    here = panel.default_counts(0)
    label = _isolated(class_words(panel.classes[panel.first_class]))
    cutoff = panel.cutoff if here.called else None
    return {
        "panel": {
            "data": panel,
            "counts": here,
            "sentence": sentence(_isolated(panel.models[0]), label, cutoff, here, panel.costs),
            "label": panel.classes[panel.first_class],
            "other": panel.others[panel.first_class],
            "plots": plots(panel),
            "table": [(name, panel.default_counts(m)) for m, name in enumerate(panel.models)],
            "island": island(panel),
        }
    }


def _isolated(name: str) -> str:
    """Return a name that may run from right to left, kept apart from the words around it."""
    return f"\N{FIRST STRONG ISOLATE}{shown(name, NAME)}\N{POP DIRECTIONAL ISOLATE}"


_KINDS: dict[type, tuple[str, Callable[[Any, int], Parts]]] = {
    Paragraph: ("paragraph", _nothing),
    Facts: ("facts", _nothing),
    Messages: ("messages", _nothing),
    Leaderboard: ("leaderboard", _leaderboard),
    Confusion: ("confusion", _confusion),
    CutoffPanel: ("cutoff_panel", _cutoff_panel),
    Grid: ("grid", _nothing),
    Pictures: ("pictures", _pictures),
    Listing: ("listing", _nothing),
    WorkedRow: ("worked_row", _worked_row),
    Checks: ("checks", _nothing),
    Code: ("code", _nothing),
    Versions: ("versions", _nothing),
}
"""The template of every kind of block, and the function that adds what the template needs beside the block."""
