"""Three rows worked by hand: one that was answered right, one wrong, and one that was a close call."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.evaluation.result.classification import Evaluation
from crake.render.plain_text import shown
from crake.render.report.summary import WorkedRow
from crake.table.table import Table

MOST_CELLS = 40
"""Columns of a row that are shown."""


def worked_rows(evaluation: Evaluation, model: Any, table: Table) -> tuple[WorkedRow, ...]:
    """The surest right answer, the worst wrong one and the closest call among the tested rows, each explained.

    They are chosen by what models that had not seen the rows said; `model` explains, learned from all rows. `table`
    holds the tested rows.
    """
    if not hasattr(model, "explain") or evaluation.answers == "labels":
        return ()
    rows = [_worked(evaluation, model, table, kind, place) for kind, place in chosen_rows(evaluation)]
    return tuple(row for row in rows if row is not None)


def chosen_rows(evaluation: Evaluation) -> list[tuple[str, int]]:
    """Places in the out-of-fold table; a row stands once, so of few rows there may be fewer than three.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> [kind for kind, _ in chosen_rows(evaluate("naive-bayes", load("golf")))]
    ['Right', 'Wrong', 'A close call']
    """
    found = evaluation.out_of_fold
    own = found.probabilities[np.arange(len(found.actual)), found.actual]
    highest = np.sort(found.probabilities, axis=1)
    margin = highest[:, -1] - highest[:, -2] if highest.shape[1] > 1 else np.ones(len(own))
    right = evaluation.correct
    orders = {
        "Right": np.where(right, -own, np.inf),
        "Wrong": np.where(right, np.inf, own),
        "A close call": margin,
    }
    chosen: list[tuple[str, int]] = []
    for kind, order in orders.items():
        free = order.copy()
        free[np.isin(found.rows, [found.rows[place] for _, place in chosen])] = np.inf
        place = int(np.argmin(free))
        if np.isfinite(free[place]):
            chosen.append((kind, place))
    return chosen


def _worked(evaluation: Evaluation, model: Any, table: Table, kind: str, place: int) -> WorkedRow | None:
    found = evaluation.out_of_fold
    row = int(found.rows[place])
    one = table.take(np.array([row]))
    actual, answered = int(found.actual[place]), int(found.predicted[place])
    said = float(found.probabilities[place, answered])
    is_class, called = (shown(evaluation.classes[code], 60) for code in (actual, answered))
    outcome = f"is {is_class}, was called {called} with {_said(evaluation, said)}"
    try:
        workings = model.explain(one)
    except CrakeError:  # a model that cannot explain this row leaves the others to be shown
        return None
    return WorkedRow(kind, row, cells_of(model, one), outcome, workings)


def _said(evaluation: Evaluation, score: float) -> str:
    """A probability, never rounded to 1, or a score."""
    if evaluation.answers == "scores":
        return f"score {score:.4g}"
    return "a probability above 0.9999" if 0.99995 <= score < 1 else f"probability {score:.4g}"


def cells_of(model: Any, one: Table) -> tuple[tuple[str, str], ...]:
    """The cells of a row that the model reads, by column; of very many the first."""
    names = [column.name for column in model.schema_.features if column.name in one.schema]
    held = one.select(names[:MOST_CELLS]).to_arrow().to_pylist()[0]
    cells = [(name, _text(held[name])) for name in names[:MOST_CELLS]]
    more = len(names) - MOST_CELLS
    return (*cells, *((("…", f"{more} more columns"),) if more > 0 else ()))


def _text(cell: Any) -> str:
    if cell is None:
        return "missing"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
