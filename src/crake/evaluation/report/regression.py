"""The report on a regressor: everything is summarised here, before anything is drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.evaluation.drawing.regression import draw_numbers
from crake.evaluation.report.build import NO_MODEL, REFITTED, TESTED, drawings_of, model_text
from crake.evaluation.report.leaderboard import versions
from crake.evaluation.report.worked_rows import cells_of
from crake.metrics.estimate import Estimate
from crake.metrics.regression import mae, r_squared, rmse
from crake.render.format_numbers import amount
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.regression_report.summary import NumberMeasure, NumberReport
from crake.render.report.summary import Drawing, WorkedRow
from crake.render.sentences import capital
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.evaluation.result.regression import NumberEvaluation

NAMES = {"rmse": "RMSE", "mae": "MAE", "r_squared": "R²"}
LARGEST_ERRORS, CELL, COLUMNS = 10, 18, 3
"""Rows of the largest errors where rows are shown; characters of their cells, and columns of theirs."""
LEFT_OUT = (
    "Rows of the table are left out of the report. show_rows=True (on the command line --show-rows) lists the largest "
    "errors and works three rows by hand: the closest prediction, a typical one and the farthest."
)


def number_report(
    evaluation: NumberEvaluation,
    *,
    fitted: tuple[Any, Table] | None = None,
    with_model: bool = True,
    show_rows: bool = False,
    errors: int = 0,
    warnings: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    reproduce: tuple[tuple[str, str], ...] = (),
) -> NumberReport:
    """The report of one evaluation. `fitted` is its model and the tested rows, where both are there already.

    `errors` is how many of the largest errors are listed, by default those of a report that shows rows.
    """
    found = (fitted or evaluation.fitted()) if with_model else None
    table = evaluation.context.table if found is None and evaluation.context is not None else found and found[1]
    listed = errors or (LARGEST_ERRORS if show_rows else 0)
    return NumberReport(
        title=f"{evaluation.table}: predicting {evaluation.target}",
        headline=headline(evaluation),
        facts=_facts(evaluation),
        measures=number_measures(evaluation),
        protocol=_protocol(evaluation),
        learner=evaluation.name,
        occasion="test of a fitted model on" if evaluation.is_fitted else "evaluation of one learner on",
        grids=(error_grid(evaluation), *([largest_grid(evaluation, table, listed)] if listed else [])),
        plots=_plots(evaluation),
        warnings=warnings,
        notes=tuple(dict.fromkeys((*evaluation.notes, *notes))),
        about_model="" if found is None else TESTED if evaluation.is_fitted else REFITTED,
        model_text=model_text(found[0]) if found else "",
        drawings=drawings_of(*found) if found else (),
        worked=_worked_rows(evaluation, *found) if found and show_rows else (),
        without_rows="" if not with_model or (found and show_rows) else LEFT_OUT if found else NO_MODEL,
        reproduce=reproduce,
        versions=versions(),
    )


def headline(evaluation: NumberEvaluation) -> str:
    """One sentence: how far off, how sure, and what answering always the mean would give."""
    constant = _constant(evaluation)
    said = f"{capital(evaluation.name)} on {evaluation.table}: RMSE {_short(evaluation.rmse)}"
    explained = evaluation.r_squared
    if explained.value is None:
        return f"{said}; R² is {explained.reason}."
    said += f", R² {_short(explained)}"
    mean = f"always the mean: RMSE {amount(float(constant['rmse']))}"
    low = explained.value if explained.interval is None else explained.interval[0]
    return f"{said}; {mean}." if low > 0 else f"{said}; not shown to beat {mean}."


def _short(estimate: Estimate) -> str:
    if estimate.value is None:
        return estimate.reason
    interval = estimate.interval
    return amount(estimate.value) + ("" if interval is None else f" [{amount(interval[0])}, {amount(interval[1])}]")


def _constant(evaluation: NumberEvaluation) -> dict[str, Estimate]:
    """The measures of always answering the mean of the tested rows."""
    found = evaluation.out_of_fold
    mean = np.full(len(found.actual), float(np.average(found.actual, weights=found.weights)))
    of_mean = {name: measure(found.actual, mean, found.weights) for name, measure in (("rmse", rmse), ("mae", mae))}
    explained = r_squared(found.actual, mean, found.weights)
    # 0 by its definition, but for rounding.
    return {**of_mean, "r_squared": explained if explained.value is None else replace(explained, value=0.0)}


def number_measures(evaluation: NumberEvaluation) -> tuple[NumberMeasure, ...]:
    """RMSE, MAE and R², each beside what always answering the mean gives."""
    constant = _constant(evaluation)
    return tuple(
        NumberMeasure(
            NAMES[name],
            estimate.value,
            None if estimate.interval is None else estimate.interval[0],
            None if estimate.interval is None else estimate.interval[1],
            constant[name].value,
            estimate.reason,
        )
        for name, estimate in evaluation.measures().items()
    )


def _facts(evaluation: NumberEvaluation) -> tuple[tuple[str, str], ...]:
    actual = evaluation.out_of_fold.actual
    rows = len(np.unique(evaluation.out_of_fold.rows))
    low, middle, high = np.quantile(actual, [0.05, 0.5, 0.95])
    return (
        ("rows" if evaluation.is_fitted else "rows tested", f"{rows:,}"),
        (evaluation.target, f"median {amount(middle)}, the middle 90 % from {amount(low)} to {amount(high)}"),
    )


def _protocol(evaluation: NumberEvaluation) -> str:
    tested = evaluation.plan
    if evaluation.is_fitted:
        rows = f"{len(evaluation.out_of_fold.rows):,} rows of {evaluation.table}"
        tested = f"a fitted model on {rows}, honest if it was not trained on them"
    ways = [f"{NAMES[name]} {each.method}" for name, each in evaluation.measures().items() if each.method]
    return f"{tested}; intervals are 95\N{NO-BREAK SPACE}%: {'; '.join(ways)}"


def error_grid(evaluation: NumberEvaluation) -> Grid:
    """How large the errors are, by their quantiles: no row is shown."""
    found = evaluation.out_of_fold
    off = np.abs(found.actual - found.predicted)
    shares = (0.5, 0.75, 0.9, 0.95, 0.99)
    rows = [(f"{100 * share:g} %", amount(float(np.quantile(off, share)))) for share in shares]
    head = ("share of the predictions", "off by no more than")
    return Grid("How large the errors are", head, (*rows, ("all", amount(float(off.max())))))


def largest_grid(evaluation: NumberEvaluation, table: Table | None, most: int) -> Grid:
    """The rows that were predicted worst, with some of their cells where the table is known."""
    found = evaluation.out_of_fold
    order = _worst(evaluation)[:most]
    names = [] if table is None else [column.name for column in table.schema.features][:COLUMNS]
    held = [] if table is None else table.take(found.rows[order]).select(names).to_arrow().to_pylist()
    rows = []
    for at, place in enumerate(order):
        actual, predicted = float(found.actual[place]), float(found.predicted[place])
        cells = [shown(_text(held[at][name]), CELL) for name in names]
        sign = "+" if predicted > actual else ""
        error = f"{sign}{amount(predicted - actual)}"
        rows.append((str(int(found.rows[place])), amount(actual, 5), amount(predicted, 5), error, *cells))
    head = ("row", "true", "predicted", "error", *(shown(name, CELL) for name in names))
    return Grid(f"The {len(rows)} largest errors", head, tuple(rows))


def _worst(evaluation: NumberEvaluation) -> NDArray[np.intp]:
    """Places by the size of their errors, the largest first; equals by row number."""
    found = evaluation.out_of_fold
    return np.lexsort((found.rows, -np.abs(found.actual - found.predicted)))


def _text(cell: Any) -> str:
    return "missing" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell)


def _plots(evaluation: NumberEvaluation) -> tuple[Drawing, ...]:
    try:
        drawn = [draw_numbers(evaluation, what) for what in ("predicted", "residuals")]
    except CrakeError:  # numbers beyond what can be laid out: the measures are shown
        return ()
    return tuple(Drawing(each.title, each.svg(styled=False), each.finding) for each in drawn)


def _worked_rows(evaluation: NumberEvaluation, model: Any, table: Table) -> tuple[WorkedRow, ...]:
    """The closest prediction, the one in the middle and the farthest, worked by the model."""
    if not hasattr(model, "explain"):
        return ()
    order, found = _worst(evaluation), evaluation.out_of_fold
    chosen = {"Closest": order[-1], "Typical": order[len(order) // 2], "Farthest": order[0]}
    worked, seen = [], set()
    for kind, place in chosen.items():
        row = int(found.rows[place])
        if row in seen:
            continue
        seen.add(row)
        one = table.take(np.array([row]))
        outcome = (
            f"is {amount(float(found.actual[place]), 5)}, was predicted {amount(float(found.predicted[place]), 5)}"
        )
        worked.append(WorkedRow(kind, row, cells_of(model, one), outcome, model.explain(one)))
    return tuple(worked)
