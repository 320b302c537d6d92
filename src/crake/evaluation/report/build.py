"""The report of a comparison or of one evaluation: everything is summarised here, before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from crake.errors import CrakeError
from crake.evaluation.comparison.criterion import Criterion
from crake.evaluation.report.cutoff_panel import cutoff_panel
from crake.evaluation.report.worked_rows import worked_rows
from crake.evaluation.result.classification import Evaluation
from crake.learners.base.classifier import reads_tables
from crake.render.leaderboard import Leaderboard
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.summary import Drawing, Report

if TYPE_CHECKING:
    from crake.evaluation.compare import Comparison
    from crake.table.table import Table

LEFT_OUT = (
    "A report is passed on, so it holds no rows of the table. With --show-rows (in Python show_rows=True) three of "
    "them are worked by hand here: one answered right, one wrong, one that was a close call."
)

REFITTED = "Learned from all rows. The scores above are those of models that had not seen the rows they were tested on."
CHOSEN = (
    "They are chosen by what models said that had not seen them; the calculation is that of the model above, learned "
    "from all rows, and may come to another number."
)
NO_MODEL = (
    "There is no model to draw and to work rows with: the scores come from elsewhere, the learner is another "
    "library's, or the table is scanned and not held in memory."
)
TESTED = "The model that was tested; it should not have seen these rows."

MOST_LINES = 80
"""Lines of a model's text."""


def report_of_comparison(
    comparison: Comparison, board: Leaderboard | None = None, *, with_model: bool = True, show_rows: bool = False
) -> Report:
    """All learners, the best first; the best one is fitted to all rows, drawn and, if asked, worked on three rows."""
    evaluations = [standing.evaluation for standing in comparison.standings]
    return report_of(
        evaluations, board or comparison.leaderboard(), comparison.criterion, with_model=with_model, show_rows=show_rows
    )


def report_of(
    evaluations: Sequence[Evaluation],
    board: Leaderboard,
    criterion: Criterion | None = None,
    *,
    fitted: tuple[Any, Table] | None = None,
    with_model: bool = True,
    show_rows: bool = False,
) -> Report:
    """The report of evaluations on the same rows, the first the one that is drawn.

    `fitted` is its model and the table of the tested rows, where both are there already.
    """
    best = evaluations[0]
    panel = cutoff_panel(evaluations, criterion)
    found = None
    if with_model:
        found = fitted or fitted_on_all(best)
    worked = worked_rows(best, *found) if found and show_rows else ()
    return Report(
        board,
        panel=panel if isinstance(panel, CutoffPanel) else None,
        without_panel=panel if isinstance(panel, str) else "",
        learner=best.name,
        about_model="" if found is None else REFITTED if fitted is None else TESTED,
        model_text=model_text(found[0]) if found else "",
        drawings=drawings_of(*found) if found else (),
        worked=worked,
        about_rows=CHOSEN if worked and fitted is None else "",
        without_rows=_without_rows(with_model=with_model, has_model=found is not None, show_rows=show_rows),
    )


def _without_rows(*, with_model: bool, has_model: bool, show_rows: bool) -> str:
    """Why no rows are worked by hand; nothing where they are, or where nobody expects them."""
    if not with_model:
        return ""
    if not has_model:
        return NO_MODEL
    return "" if show_rows else LEFT_OUT


def fitted_on_all(evaluation: Evaluation) -> tuple[Any, Table] | None:
    """The learner fitted to all rows it may learn from, and the table of the tested rows.

    None where it cannot be had: scores from elsewhere, learners of other libraries, tables that are scanned.
    """
    context = evaluation.context
    if context is None or not context.table.in_memory or not reads_tables(context.learner):
        return None
    return clone(context.learner).fit(context.table), context.tested_table


def drawings_of(model: Any, table: Table | None = None) -> tuple[Drawing, ...]:
    """The model's pictures, if it has any; their scales go as far as the rows of the table."""
    for rows in (table if table is not None and table.in_memory else None, None):
        try:
            drawn = model.pictures(rows)
        except CrakeError:  # not every model can be drawn, not every table has what a scale needs; the text is shown
            continue
        return tuple(Drawing(each.title, each.svg(styled=False), each.finding) for each in drawn)
    return ()


def model_text(model: Any) -> str:
    """The model as `print` shows it, long ones cut; nothing where that is only the name of the learner."""
    lines = str(model).splitlines()
    if len(lines) <= 1:
        return ""
    more = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *([f"… {more} more lines"] if more > 0 else [])])
