"""The report on one regressor: its headline, its facts and the tables of its errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.evaluation.report.build import report_from
from crake.evaluation.report.leaderboard import target_facts, versions
from crake.evaluation.report.material import Material, Summary
from crake.evaluation.report.sections.measures import NAMES, always_the_mean
from crake.evaluation.report.sections.worked_rows import cell_text, worst_first
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.estimate import Estimate
from crake.render.format_numbers import amount, amount_interval
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.report.report import Report
from crake.table.convert.export import to_rows
from crake.table.table import Table

LARGEST_ERRORS, CELL, COLUMNS = 10, 18, 3
"""Rows of the largest errors where rows are shown; characters of their cells, and columns of theirs."""


def number_report(
    evaluation: NumberEvaluation,
    *,
    fitted: tuple[Any, Table] | None = None,
    with_model: bool = True,
    with_plots: bool = True,
    show_rows: bool = False,
    errors: int = 0,
    warnings: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    reproduce: tuple[tuple[str, str], ...] = (),
) -> Report:
    """Return the report of one evaluation. `fitted` is its model and the tested rows, where both exist already.

    `errors` is the number of the largest errors that are listed, by default those of a report that shows rows.
    """
    rows = errors or (LARGEST_ERRORS if show_rows else 0)
    table = None if evaluation.context is None else evaluation.context.table
    if fitted is not None:
        table = fitted[1]
    summary = Summary(
        title=f"{evaluation.table}: predicting {evaluation.target}",
        occasion="test of a fitted model on" if evaluation.is_fitted else "evaluation of one learner on",
        headline=headline(evaluation),
        facts=_facts(evaluation),
        protocol=_protocol(evaluation),
        grids=(largest_grid(evaluation, table, rows),) if rows else (),
        warnings=warnings,
        notes=tuple(dict.fromkeys((*evaluation.notes, *notes))),
        reproduce=reproduce,
        versions=versions(),
    )
    return report_from(
        Material(
            (evaluation,), summary, fitted=fitted, with_model=with_model, with_plots=with_plots, show_rows=show_rows
        )
    )


def headline(evaluation: NumberEvaluation) -> str:
    """Return one sentence: how far off, how sure, and what answering always the mean would give."""
    constant = always_the_mean(evaluation)
    sentence = f"{evaluation.beginning} on {evaluation.table}: RMSE {_short(evaluation.rmse)}"
    explained = evaluation.r_squared
    if explained.value is None:
        return f"{sentence}; R² is {explained.reason}."
    sentence += f", R² {_short(explained)}"
    mean = f"always the mean: RMSE {amount(float(constant['rmse']))}"
    low = explained.value if explained.interval is None else explained.interval[0]
    return f"{sentence}; {mean}." if low > 0 else f"{sentence}; not shown to beat {mean}."


def _short(estimate: Estimate) -> str:
    if estimate.value is None:
        return estimate.reason
    interval = estimate.interval
    return amount(estimate.value) + ("" if interval is None else f" {amount_interval(estimate.value, *interval)}")


def _facts(evaluation: NumberEvaluation) -> tuple[tuple[str, str], ...]:
    rows = len(np.unique(evaluation.out_of_fold.rows))
    return (("rows" if evaluation.is_fitted else "rows tested", f"{rows:,}"), target_facts(evaluation))


def _protocol(evaluation: NumberEvaluation) -> str:
    tested = evaluation.plan
    if evaluation.is_fitted:
        rows = f"{len(evaluation.out_of_fold.rows):,} rows of {evaluation.table}"
        tested = f"a fitted model on {rows}, honest if it was not trained on them"
    ways = [f"{NAMES[name]} {each.method}" for name, each in evaluation.measures().items() if each.method]
    return f"{tested}; intervals are 95\N{NO-BREAK SPACE}%: {'; '.join(ways)}"


def largest_grid(evaluation: NumberEvaluation, table: Table | None, most: int) -> Grid:
    """Return the rows that were predicted worst, with some of their cells where the table is known."""
    predictions = evaluation.out_of_fold
    order = worst_first(evaluation)[:most]
    names = [] if table is None else [column.name for column in table.schema.features][:COLUMNS]
    values = [] if table is None else to_rows(table.take(predictions.rows[order]).select(names))
    rows = []
    for at, place in enumerate(order):
        actual, predicted = float(predictions.actual[place]), float(predictions.predicted[place])
        cells = [shown(cell_text(values[at][name]), CELL) for name in names]
        sign = "+" if predicted > actual else ""
        error = f"{sign}{amount(predicted - actual)}"
        rows.append((str(int(predictions.rows[place])), amount(actual, 5), amount(predicted, 5), error, *cells))
    head = ("row", "true", "predicted", "error", *(shown(name, CELL) for name in names))
    return Grid(f"The {len(rows)} largest errors", head, tuple(rows))
