"""Results of an evaluation: a classifier has a leaderboard of one, a regressor a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

    from crake.balance.facts import Balance
    from crake.evaluation.comparison.criterion import Criterion
    from crake.evaluation.result.classification import Evaluation
    from crake.evaluation.result.regression import NumberEvaluation
    from crake.metrics.cost.matrix import CostMatrix
    from crake.render.leaderboard import Leaderboard
    from crake.render.report.report import Report
    from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class ClassEvaluation:
    """An evaluation of a classifier, headed by the measure of its `criterion`.

    `fitted` is the model and the tested rows, where a model was tested. `balance` has the classes before and after
    balancing.
    """

    evaluation: Evaluation
    board: Leaderboard
    baseline: Evaluation | None
    costs: CostMatrix | None
    errors: int
    criterion: Criterion
    fitted: tuple[Any, Table] | None = None
    balance: Balance | None = None

    def report(self, *, show_rows: bool = False) -> Report:
        """Return the report; without a fitted model, the learner is fitted to all rows."""
        from crake.evaluation.comparison.criterion import ByCost  # noqa: PLC0415 (numpy only when there is work)
        from crake.evaluation.report.build import report_of  # noqa: PLC0415

        criterion = self.criterion if self.costs is None else ByCost(self.costs.aligned(self.evaluation.classes))
        beside = () if self.baseline is None else (self.baseline,)
        return report_of((self.evaluation, *beside), self.board, criterion, fitted=self.fitted, show_rows=show_rows)

    def text(self, width: int) -> Text:
        """Return the measures for a terminal."""
        from crake.render.text.leaderboard import leaderboard_text  # noqa: PLC0415 (rich only where there is text)

        return leaderboard_text(self.board, width)

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the schema "crake-evaluate/1"."""
        from crake.evaluation.report.single_board import to_dict  # noqa: PLC0415 (numpy only when there is work)

        document = to_dict(
            self.evaluation,
            self.board,
            baseline=self.baseline,
            costs=self.costs,
            errors=self.errors,
            criterion=self.criterion,
        )
        return document if self.balance is None else {**document, "balance": self.balance.to_dict()}

    def page(self) -> str:
        """Return the report as one HTML page."""
        return self.report().to_html()


@dataclass(frozen=True, eq=False)
class RegressionEvaluation:
    """An evaluation of a regressor."""

    evaluation: NumberEvaluation
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    reproduce: tuple[tuple[str, str], ...]
    errors: int
    fitted: tuple[Any, Table] | None = None

    def report(self, *, show_rows: bool = False, with_model: bool = True, with_plots: bool = True) -> Report:
        """Return the report; without a fitted model, the learner is fitted to all rows."""
        from crake.evaluation.report.regression import number_report  # noqa: PLC0415 (numpy only when there is work)

        return number_report(
            self.evaluation,
            fitted=self.fitted,
            with_model=with_model,
            with_plots=with_plots,
            show_rows=show_rows,
            errors=self.errors,
            warnings=self.warnings,
            notes=self.notes,
            reproduce=self.reproduce,
        )

    def text(self, width: int) -> Text:
        """Return the report without its model, for a terminal; tables are not broken."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width
        return Text(str(self.report(with_model=False, with_plots=False)))

    def to_dict(self) -> dict[str, Any]:
        """Return the report without its model as a JSON document."""
        return self.report(with_model=False, with_plots=False).to_dict()

    def page(self) -> str:
        """Return the report as one HTML page."""
        return self.report().to_html()
