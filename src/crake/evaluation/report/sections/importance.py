"""The importance of each column to the best learner, on rows that its models had not learned."""

from __future__ import annotations

from dataclasses import asdict

from crake.errors import CrakeError
from crake.evaluation.columns.importance import Importances, permutation_importance
from crake.evaluation.report.material import Material
from crake.render.format_numbers import amount
from crake.render.grid import Grid
from crake.render.leaderboard import Figure
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Paragraph
from crake.render.report.report import Section

LINES, BAR = 12, 16
"""Columns that are shown, and the blocks of the longest bar; JSON has all columns that were shuffled."""


def importance_section(material: Material) -> Section:
    """Return a table of the columns, the most important first; nothing without a model."""
    importances = _importances(material)
    title = f"What {shown(material.best.name, 60)} uses"
    if importances is None:
        return Section("importance", title, (), {"importance": None})
    blocks: tuple[Block, ...] = (Paragraph(importances.about, is_quiet=True), _grid(importances))
    return Section("importance", title, blocks, {"importance": asdict(importances)})


def _importances(material: Material) -> Importances | None:
    if not material.with_model:
        return None
    try:
        return permutation_importance(material.best, material.criterion)
    except CrakeError:  # rows that cannot be shuffled or dealt out again leave the rest of the report
        return None


def _grid(importances: Importances) -> Grid:
    most = max((loss.value or 0.0 for _, loss in importances.columns), default=0.0)
    rows = tuple((name, *_cells(loss), _bar(loss.value or 0.0, most)) for name, loss in importances.columns[:LINES])
    verb = "gained" if importances.is_loss else "lost"
    more = len(importances.columns) - LINES
    rest = ((f"… {more} more columns", "", "", ""),) if more > 0 else ()
    return Grid("", ("column", f"{importances.measure} {verb}", "95 % interval", "of the largest"), (*rows, *rest))


def _bar(value: float, most: float) -> str:
    """Return blocks in proportion to the largest importance, padded so that all begin in one place.

    >>> len(_bar(0.2, 0.4)), _bar(0.2, 0.4).strip(), _bar(-0.1, 0.4)
    (16, '████████', '')
    """
    blocks = round(BAR * value / most) if most > 0 else 0
    return f"{'█' * blocks:\N{NO-BREAK SPACE}<{BAR}}" if blocks > 0 else ""


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
    return f"{value:z.3f}" if abs(value) < 10 else amount(value)
