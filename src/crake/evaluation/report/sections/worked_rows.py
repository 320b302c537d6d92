"""Rows worked by hand.

For a classifier: one predicted right, one wrong, one that was a close call. For a regressor: the closest prediction, a
typical one and the farthest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.evaluation.report.material import Material
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.regression import NumberEvaluation
from crake.render.format_numbers import amount
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Paragraph, WorkedRow
from crake.render.report.report import Section
from crake.render.sentences import counted
from crake.table.convert.export import to_rows
from crake.table.table import Table

MOST_CELLS = 40
"""Columns of a row that are shown."""


LEFT_OUT = (
    "A report is passed on, so it holds no rows of the table. With --show-rows (in Python show_rows=True) three of "
    "them are worked by hand here: one answered right, one wrong, one that was a close call."
)
LEFT_OUT_REGRESSION = (
    "Rows of the table are left out of the report. show_rows=True (on the command line --show-rows) lists the largest "
    "errors and works three rows by hand: the closest prediction, a typical one and the farthest."
)
CHOSEN = (
    "They are chosen by what models said that had not seen them; the calculation is that of the model above, learned "
    "from all rows, and may come to another number."
)
NO_MODEL = (
    "There is no model to draw and to work rows with: the scores come from elsewhere, the learner is another "
    "library's, or the table is scanned and not held in memory."
)
TITLES = {3: "Three rows worked by hand", 1: "A row worked by hand"}


def worked_rows_section(material: Material) -> Section:
    """Return the rows with their calculations, or the reason why there are none."""
    rows = _rows(material)
    is_classifier = isinstance(material.best, Evaluation)
    about = CHOSEN if rows and is_classifier and material.is_refitted else ""
    reason = _without_rows(material)
    blocks: list[Block] = [Paragraph(about, is_quiet=True)] if about else []
    blocks += rows
    if not rows and reason:
        blocks = [Paragraph(reason, is_quiet=True)]
    data = {"worked": [row.to_dict() for row in rows], "about_rows": about, "without_rows": reason}
    return Section("worked_rows", TITLES.get(len(rows), "Rows worked by hand"), tuple(blocks), data)


def _rows(material: Material) -> tuple[WorkedRow, ...]:
    if not material.show_rows or material.model is None:
        return ()
    best, (model, table) = material.best, material.model
    if isinstance(best, NumberEvaluation):
        return worked_regression_rows(best, model, table)
    return worked_rows(best, model, table)


def _without_rows(material: Material) -> str:
    """Return why no rows are worked by hand; nothing where they are, or where nobody expects them."""
    if not material.with_model:
        return ""
    if material.model is None:
        return NO_MODEL
    if material.show_rows:
        return ""
    return LEFT_OUT if isinstance(material.best, Evaluation) else LEFT_OUT_REGRESSION


def worked_rows(evaluation: Evaluation, model: Any, table: Table) -> tuple[WorkedRow, ...]:
    """Return the surest right answer, the worst wrong one and the closest call among the tested rows, each explained.

    They are chosen by what models that had not seen the rows said; `model` explains, learned from all rows. `table`
    holds the tested rows.
    """
    if not hasattr(model, "explain") or evaluation.answers == "labels":
        return ()
    rows = [_worked(evaluation, model, table, kind, place) for kind, place in chosen_rows(evaluation)]
    return tuple(row for row in rows if row is not None)


def chosen_rows(evaluation: Evaluation) -> list[tuple[str, int]]:
    """Return places in the out-of-fold table; a row stands once, so of few rows there may be fewer than three.

    >>> from crake.evaluation.evaluate import evaluate
    >>> from crake.table.examples import load
    >>> [kind for kind, _ in chosen_rows(evaluate("naive-bayes", load("golf")))]
    ['Right', 'Wrong', 'A close call']
    """
    predictions = evaluation.out_of_fold
    own = predictions.probabilities[np.arange(len(predictions.actual)), predictions.actual]
    highest = np.sort(predictions.probabilities, axis=1)
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
        free[np.isin(predictions.rows, [predictions.rows[place] for _, place in chosen])] = np.inf
        place = int(np.argmin(free))
        if np.isfinite(free[place]):
            chosen.append((kind, place))
    return chosen


def _worked(evaluation: Evaluation, model: Any, table: Table, kind: str, place: int) -> WorkedRow | None:
    predictions = evaluation.out_of_fold
    row = int(predictions.rows[place])
    one = table.take(np.array([row]))
    actual, answered = int(predictions.actual[place]), int(predictions.predicted[place])
    probability = float(predictions.probabilities[place, answered])
    is_class, called = (shown(evaluation.classes[code], 60) for code in (actual, answered))
    outcome = f"is {is_class}, was called {called} with {_said(evaluation, probability)}"
    try:
        workings = model.explain(one)
    except CrakeError:  # a model that cannot explain this row leaves the others to be shown
        return None
    return WorkedRow(kind, row, cells_of(model, one), outcome, workings)


def _said(evaluation: Evaluation, score: float) -> str:
    """Return a probability, never rounded to 1, or a score."""
    if evaluation.answers == "scores":
        return f"score {score:.4g}"
    return "a probability above 0.9999" if 0.99995 <= score < 1 else f"probability {score:.4g}"


def cells_of(model: Any, one: Table) -> tuple[tuple[str, str], ...]:
    """Return the cells of a row that the model reads, by column; of very many the first."""
    names = [column.name for column in model.schema_.features if column.name in one.schema]
    values = to_rows(one.select(names[:MOST_CELLS]))[0]
    cells = [(name, cell_text(values[name])) for name in names[:MOST_CELLS]]
    more = len(names) - MOST_CELLS
    return (*cells, *((("…", counted(more, "more column")),) if more > 0 else ()))


def cell_text(cell: Any) -> str:
    """Return a cell as it is printed."""
    if cell is None:
        return "missing"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def worst_first(evaluation: NumberEvaluation) -> NDArray[np.intp]:
    """Return the places of the predictions by the size of their errors, the largest first; equals by row number."""
    rows = evaluation.out_of_fold
    return np.lexsort((rows.rows, -np.abs(rows.actual - rows.predicted)))


def worked_regression_rows(evaluation: NumberEvaluation, model: Any, table: Table) -> tuple[WorkedRow, ...]:
    """Return the closest prediction, the one in the middle and the farthest, worked by the model."""
    if not hasattr(model, "explain"):
        return ()
    order, tested = worst_first(evaluation), evaluation.out_of_fold
    places = {"Closest": order[-1], "Typical": order[len(order) // 2], "Farthest": order[0]}
    rows: dict[int, WorkedRow] = {}
    for kind, place in places.items():
        row = int(tested.rows[place])
        if row in rows:
            continue
        one = table.take(np.array([row]))
        actual, predicted = (amount(float(values[place]), 5) for values in (tested.actual, tested.predicted))
        outcome = f"is {actual}, was predicted {predicted}"
        rows[row] = WorkedRow(kind, row, cells_of(model, one), outcome, model.explain(one))
    return tuple(rows.values())
