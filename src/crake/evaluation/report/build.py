"""Reports of comparisons and evaluations: every section is built here, before anything is rendered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crake.evaluation.comparison.criterion import Criterion
from crake.evaluation.report.material import Material
from crake.evaluation.report.sections import SECTIONS
from crake.evaluation.result.regression import NumberEvaluation
from crake.render.leaderboard import Leaderboard
from crake.render.report.report import Report

if TYPE_CHECKING:
    from crake.evaluation.compare import Comparison
    from crake.table.table import Table

CLASSIFICATION, REGRESSION = "crake-report/2", "crake-number-report/3"
"""Schemas of `Report.to_dict`."""


def report_of_comparison(
    comparison: Comparison, board: Leaderboard | None = None, *, with_model: bool = True, show_rows: bool = False
) -> Report:
    """Return the report of all learners, the best first; that one is fitted to all rows and drawn."""
    evaluations = [standing.evaluation for standing in comparison.standings]
    return report_of(
        evaluations, board or comparison.leaderboard(), comparison.criterion, with_model=with_model, show_rows=show_rows
    )


def report_of(
    evaluations: Sequence[Any],
    board: Leaderboard,
    criterion: Criterion | None = None,
    *,
    fitted: tuple[Any, Table] | None = None,
    with_model: bool = True,
    show_rows: bool = False,
) -> Report:
    """Return the report of evaluations on the same rows; the first is the one that is drawn.

    `fitted` is its model and the table of the tested rows, where both exist already.
    """
    return report_from(
        Material(evaluations, board, criterion, fitted=fitted, with_model=with_model, show_rows=show_rows)
    )


def report_from(material: Material) -> Report:
    """Return the report with every section that applies to the material."""
    summary = material.summary
    sections = (section(material) for section in SECTIONS)
    return Report(
        schema=REGRESSION if isinstance(material.best, NumberEvaluation) else CLASSIFICATION,
        title=summary.title,
        occasion=summary.occasion or f"comparison of {len(material.results)} learners on",
        headline=summary.headline,
        lead=summary.lead,
        sections=tuple(section for section in sections if section is not None),
    )
