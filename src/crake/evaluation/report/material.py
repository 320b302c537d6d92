"""The material of a report: the results, their summary, and the model that is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.evaluation.columns.importance import Importances, permutation_importance
from crake.evaluation.comparison.criterion import Criterion
from crake.evaluation.result.base import CONSTANT
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.base.classifier import reads_tables
from crake.learners.base.scikit_learn import clone
from crake.render.grid import Grid
from crake.render.leaderboard import Leaderboard

if TYPE_CHECKING:
    from crake.table.table import Table

Result = Evaluation | NumberEvaluation


@dataclass(frozen=True)
class Summary:
    """The summary of one regressor: what a report says beside its figures."""

    title: str
    occasion: str
    headline: str
    facts: tuple[tuple[str, str], ...]
    protocol: str
    grids: tuple[Grid, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reproduce: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    lead: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Material:
    """All that the sections of a report are made of.

    `results` are evaluations on the same rows, the best first; that one's model is drawn and works rows by hand.
    `fitted` is its model and the table of the tested rows, where both exist already. Otherwise the learner is fitted
    to all rows, unless `with_model` is False. `show_rows` allows rows of the table in the report, `with_plots` the
    pictures of the predictions.
    """

    results: Sequence[Result]
    summary: Leaderboard | Summary
    criterion: Criterion | None = None
    fitted: tuple[Any, Table] | None = None
    with_model: bool = True
    with_plots: bool = True
    show_rows: bool = False

    @property
    def best(self) -> Result:
        """Return the result that the report speaks of first."""
        return self.results[0]

    @property
    def is_regression(self) -> bool:
        """Return True for a report on regressors."""
        return bool(self.results) and isinstance(self.best, NumberEvaluation)

    @property
    def classifications(self) -> tuple[Evaluation, ...]:
        """Return the results of classifiers; none in a report on regressors."""
        return tuple(result for result in self.results if isinstance(result, Evaluation))

    @property
    def board(self) -> Leaderboard | None:
        """Return the leaderboard, where the report has one."""
        return self.summary if isinstance(self.summary, Leaderboard) else None

    @property
    def is_refitted(self) -> bool:
        """Return True if the model was fitted to all rows for this report, False if it is the tested one."""
        return self.fitted is None and not (isinstance(self.best, NumberEvaluation) and self.best.is_fitted)

    @cached_property
    def model(self) -> tuple[Any, Table] | None:
        """Return the model to draw and the table of the tested rows, or None if there is none.

        A learner that cannot be fitted to all rows leaves the rest of the report; a check names the reason.
        """
        if not self.with_model:
            return None
        if self.fitted is not None:
            return self.fitted
        try:
            return self.best.fitted() if isinstance(self.best, NumberEvaluation) else fitted_on_all(self.best)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 (what was compared is not lost)
            return None

    @cached_property
    def importances(self) -> Importances | None:
        """Return the importance of each column to the best learner; None without a model or of a constant one."""
        if not self.with_model or self.best.key in CONSTANT:
            return None
        try:
            return permutation_importance(self.best, self.criterion)
        except CrakeError:  # rows that cannot be shuffled or dealt out again leave the rest of the report
            return None


def fitted_on_all(evaluation: Evaluation) -> tuple[Any, Table] | None:
    """Return the learner fitted to all rows it may learn from, and the table of the tested rows.

    Return None without a model: scores from elsewhere, learners of other libraries, scanned tables.
    """
    context = evaluation.context
    if context is None or not context.table.in_memory or not reads_tables(context.learner):
        return None
    return clone(context.learner).fit(context.table), context.tested_table
