"""A test of one model, or of one learner under a plan, put into words and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crake.evaluation.checks.leaking_columns import Suspicion
from crake.evaluation.checks.run import checks_of_evaluation
from crake.evaluation.comparison.choice import measured_by, with_best_constant
from crake.evaluation.comparison.criterion import BY_ACCURACY, ByCost, Criterion
from crake.evaluation.comparison.standing import LEVEL, p_text
from crake.evaluation.drawing.draw import matrix_of
from crake.evaluation.report.board_columns import LONGEST_TITLE, columns_by, columns_of
from crake.evaluation.report.cost_board import CostView
from crake.evaluation.report.leaderboard import (
    auc_words,
    doubts_of,
    entry_of,
    figures_by,
    versions,
)
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.constant import constant_answer
from crake.metrics.cost.matrix import CostMatrix
from crake.render.format_numbers import with_share
from crake.render.grid import Grid
from crake.render.leaderboard import Entry, Leaderboard
from crake.render.plain_text import shown
from crake.table.table import Table

COLUMNS, CELL = 3, 18
"""Columns of a wrong row that are shown, and the characters of a cell: the line should fit a terminal."""


def board_of_test(
    evaluation: Evaluation,
    *,
    warnings: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    baseline: Evaluation | None = None,
    costs: CostMatrix | None = None,
    errors: int = 0,
    table: Table | None = None,
    criterion: Criterion | None = None,
    reason: str = "",
    suspicious: Sequence[Suspicion] = (),
) -> Leaderboard:
    """Return everything a page or a terminal shows of one evaluation, a baseline beside it.

    The baseline is the most frequent class of the tested rows, unless another is given; `errors` is how many of the
    rows that it got wrong are shown, worst first. The headline has the measure of the `criterion`, by default that
    which fits the classes, with the `reason` below it; `suspicious` columns are named first.
    """
    if criterion is None:
        evaluation, criterion, reason = measured_by(evaluation, None)
    constant = baseline or constant_of(evaluation, criterion)
    cost = None if costs is None else CostView.of(evaluation, constant, costs)
    is_fitted = evaluation.is_fitted
    wrong = (wrong_grid(evaluation, errors, table),) if errors else ()
    return Leaderboard(
        title=f"{evaluation.table}: predicting {evaluation.target}",
        headline=doubts_of(suspicious)
        + (headline(evaluation, constant, criterion) if cost is None else cost.headline()),
        lead=(reason,) if reason else (),
        facts=_facts(evaluation),
        warnings=warnings,
        notes=tuple(dict.fromkeys((*evaluation.notes, *notes))),
        entries=_entries(evaluation, constant, criterion, is_constant=baseline is None)
        if cost is None
        else cost.entries(),
        matrices=(matrix_of(evaluation.name, evaluation.confusion),),
        protocol=_protocol(evaluation, criterion if cost is None else cost.criterion, is_fitted=is_fitted),
        reproduce=(("Python", "crake.Evaluation.of_model(model, table)"),) if is_fitted else (),
        versions=versions(),
        columns=columns_by(evaluation, criterion) if cost is None else columns_of(evaluation, has_cost=True),
        baseline_name=constant.name,
        occasion="test of a fitted model on" if is_fitted else "evaluation of one learner on",
        heading="Result",
        grids=(measures_grid(evaluation), *(() if cost is None else cost.grids()), *wrong),
        checks=tuple(checks_of_evaluation(evaluation, of_data=False)),
    )


def headline(evaluation: Evaluation, constant: Evaluation, criterion: Criterion) -> str:
    """Return one sentence: how good, how sure, and what answering always the same would give."""
    name = criterion.name if len(criterion.name) <= LONGEST_TITLE else criterion.of.words
    sentence = f"{evaluation.beginning} on {evaluation.table}: {name} {criterion.measure(evaluation)!s}"
    other = criterion.measure(constant)
    base = f"{other:.3f}" if other.value is not None else "undefined"
    if _beats(evaluation, constant, criterion):
        return f"{sentence}; {constant.name} {base}."
    p = p_text(criterion.p_value(evaluation, constant))
    return f"{sentence}; not shown to beat the {constant.name}, {base} (p {p})."


def constant_of(evaluation: Evaluation, criterion: Criterion) -> Evaluation:
    """Return the best that one prediction for all tested rows reaches by the measure."""
    constant: Evaluation = with_best_constant((constant_answer(evaluation),), criterion.of.name)[0]
    return constant


def to_dict(
    evaluation: Evaluation,
    board: Leaderboard,
    *,
    baseline: Evaluation | None = None,
    costs: CostMatrix | None = None,
    errors: int = 0,
    criterion: Criterion = BY_ACCURACY,
) -> dict[str, Any]:
    """Return a dictionary for JSON, under the schema "crake-evaluate/1"."""
    constant = baseline or constant_of(evaluation, criterion)
    return {
        "schema": "crake-evaluate/1",
        "table": evaluation.table,
        "target": evaluation.target,
        "classes": [str(label) for label in evaluation.classes],
        "plan": evaluation.plan,
        "measure": criterion.of.name if costs is None else "mean_cost",
        "headline": board.headline,
        "lead": list(board.lead),
        **{key: value for key, value in evaluation.to_dict().items() if key not in ("fit_seconds", "notes")},
        "majority_class": {name: estimate.to_dict() for name, estimate in constant.measures().items()},
        "p_against_majority_class": criterion.p_value(evaluation, constant),
        **({} if costs is None else {"cost": CostView.of(evaluation, constant, costs).to_dict()}),
        **({"errors": evaluation.errors(errors).to_dict()} if errors else {}),
        "warnings": list(board.warnings),
        "notes": list(board.notes),
        "checks": [check.to_dict() for check in board.checks or ()],
        "reproduce": dict(board.reproduce),
        "versions": dict(board.versions),
    }


def measures_grid(evaluation: Evaluation) -> Grid:
    """Return all measures with their intervals; the title says of which class."""
    of = "mean of the classes by size" if evaluation.positive is None else f"of {shown(evaluation.positive, 30)}"
    pooled = "; AUC: pooled over the folds" if "mean" in auc_words(evaluation) else ""
    return replace(evaluation.grid(), title=f"Measures (precision, recall, specificity, F1: {of}{pooled})")


def wrong_grid(evaluation: Evaluation, most: int, table: Table | None = None) -> Grid:
    """Return the worst of the rows that it got wrong, with their cells if `table` holds the rows in memory."""
    errors = evaluation.errors()
    if table is not None and table.in_memory:
        errors = replace(errors, table=table)
    grid = errors.grid(most, COLUMNS)
    cells = tuple(tuple(shown(cell, CELL) for cell in row) for row in grid.rows)
    return Grid(grid.title, tuple(shown(cell, CELL) for cell in grid.header), cells)


def _protocol(evaluation: Evaluation, criterion: Criterion, *, is_fitted: bool) -> str:
    tested = evaluation.plan
    if is_fitted:
        rows = f"{len(evaluation.out_of_fold.rows):,} rows of {evaluation.table}"
        tested = f"a fitted model on {rows}, honest if it was not trained on them"
    by = BY_ACCURACY if isinstance(criterion, ByCost) else criterion
    intervals = f"intervals are 95\N{NO-BREAK SPACE}%, of {by.name} {by.measure(evaluation).interval_name}"
    test = criterion.test(evaluation).replace("differences", "the difference")
    return f"{tested}; {intervals}; {test}{auc_words(evaluation)}"


def _entries(
    evaluation: Evaluation, constant: Evaluation, criterion: Criterion, *, is_constant: bool
) -> tuple[Entry, ...]:
    p = p_text(criterion.p_value(evaluation, constant))
    verdict, short = f"better than the {constant.name} (p {p})", f"better (p {p})"
    if not _beats(evaluation, constant, criterion):
        verdict, short = f"not shown to beat the {constant.name} (p {p})", f"not shown better (p {p})"
    about = "baseline: the most frequent class here" if is_constant else "baseline"
    baseline = entry_of(constant, figures_by(constant, criterion), about, is_best=False)
    baseline = replace(baseline, short_verdict="baseline")
    untimed = replace(baseline, fit_seconds=None, predict_seconds=None) if is_constant else baseline
    own = entry_of(evaluation, figures_by(evaluation, criterion), verdict, is_best=True)
    return replace(own, short_verdict=short), untimed


def _beats(evaluation: Evaluation, constant: Evaluation, criterion: Criterion) -> bool:
    p = criterion.p_value(evaluation, constant)
    return p is not None and p < LEVEL and criterion.rank(evaluation) > criterion.rank(constant)


def _facts(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    shares = evaluation.confusion.actual_totals / evaluation.confusion.total
    order = np.argsort(-shares, kind="stable")
    classes = ", ".join(with_share(shown(evaluation.classes[k], 40), float(shares[k])) for k in order[:6])
    more = f" and {len(order) - 6} more" if len(order) > 6 else ""
    rows = len(np.unique(evaluation.out_of_fold.rows))
    return (("rows" if evaluation.is_fitted else "rows tested", f"{rows:,}"), ("classes", classes + more))
