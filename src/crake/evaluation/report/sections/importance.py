"""The importance of each column to the best learner, on rows that its models had not learned."""

from __future__ import annotations

from dataclasses import asdict

from crake.evaluation.columns.importance import Importances
from crake.evaluation.report.material import Material
from crake.render.drawing.coefficients import CoefficientPicture, CoefficientRow, Estimated, coefficient_drawing
from crake.render.format_numbers import amount
from crake.render.leaderboard import Figure
from crake.render.plain_text import minus, shown
from crake.render.report.blocks import Block, Listing, Paragraph, Picture, Pictures
from crake.render.report.report import Section

LINES = 7
"""Columns that are shown; JSON has all columns that were shuffled."""


def importance_section(material: Material) -> Section:
    """Return a table of the columns, the most important first; nothing without a model or of a constant one."""
    importances = material.importances
    title = f"What {shown(material.best.name, 60)} uses"
    if importances is None:
        return Section("importance", title, (), {"importance": None})
    blocks: tuple[Block, ...] = (
        Paragraph(importances.about, is_quiet=True),
        Pictures((_picture(importances),)),
        _listing(importances),
    )
    return Section("importance", title, blocks, {"importance": asdict(importances)})


def _picture(importances: Importances) -> Picture:
    """Draw each importance with its interval."""
    rows = tuple(
        CoefficientRow(name, (Estimated(loss.value, loss.low, loss.high) if loss.value is not None else None,))
        for name, loss in importances.columns[:LINES]
    )
    more = len(importances.columns) - LINES
    notes = (f"{_columns(more)} not drawn.",) if more > 0 else ()
    name, loss = importances.columns[0]
    finding = f"The largest is {shown(name, 60)}, {_figure(loss.value or 0.0)}."
    title = f"{importances.measure} {_verb(importances)}"
    drawing = coefficient_drawing(
        CoefficientPicture("Importance", importances.learner, finding, title, rows, notes=notes)
    )
    return Picture(drawing.title, drawing.svg(styled=False), drawing.finding)


def _listing(importances: Importances) -> Listing:
    """Return the figures as text, to be folded."""
    heads = ("column", f"{importances.measure} {_verb(importances)}", "95 % interval")
    lines = [heads, *((shown(name, 40), *_cells(loss)) for name, loss in importances.columns[:LINES])]
    widths = [max(len(line[k]) for line in lines) for k in range(3)]
    text = "\n".join(f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}".rstrip() for a, b, c in lines)
    return Listing("Importances as text", text, is_open=False)


def _verb(importances: Importances) -> str:
    return "added" if importances.is_loss else "lost"


def _columns(more: int) -> str:
    return (
        "1 more column with a smaller importance is"
        if more == 1
        else f"{more} more columns with smaller importances are"
    )


def _cells(loss: Figure) -> tuple[str, str]:
    if loss.value is None:
        return loss.reason, ""
    between = "" if loss.low is None or loss.high is None else f"[{_figure(loss.low)}, {_figure(loss.high)}]"
    return _figure(loss.value), between


def _figure(value: float) -> str:
    """Return three decimals; of large amounts four digits.

    >>> _figure(0.0534), _figure(-1e-17), _figure(1234.5)
    ('0.053', '0.000', '1,234')
    """
    return minus(f"{value:z.3f}") if abs(value) < 10 else amount(value)
