"""`crake.compare`: several classifiers, or several regressors, on the same folds of one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.evaluation.checks.leaking_columns import DATA, Suspicion, suspicions
from crake.evaluation.checks.overconfidence import Sureness, sureness
from crake.evaluation.checks.run import checks_of_comparison, checks_of_regressors
from crake.evaluation.comparison.best_model import called_by_cost, fit_best
from crake.evaluation.comparison.choice import (
    check_measure,
    criterion_of,
    measure_before,
    measure_of_tested,
    of_class,
    rarer_class,
    speaks_of_one_class,
    with_best_constant,
)
from crake.evaluation.comparison.criterion import BY_ACCURACY, BY_RMSE, ByCost, Criterion
from crake.evaluation.comparison.learners import (
    check_parameters,
    learners_for,
    named_learners,
    refuse_none_and_duplicates,
    without_failed,
)
from crake.evaluation.comparison.paired_tests import By, Tested, paired
from crake.evaluation.comparison.standing import Standing, frame_line, standings
from crake.evaluation.comparison.winner import winner_estimate
from crake.evaluation.protocol import scan_together
from crake.evaluation.protocol.arguments import (
    refuse_mixed,
    refuse_plan_and_test,
    table_of,
)
from crake.evaluation.protocol.outcome import evaluation_of
from crake.evaluation.protocol.roads import data_of, run
from crake.evaluation.protocol.timing import Progress
from crake.evaluation.protocol.trials import Failure
from crake.evaluation.protocol.wrapped import balanced_each, selected_each, tuned_each
from crake.evaluation.report.build import report_of_comparison
from crake.evaluation.report.lead import with_lead
from crake.evaluation.report.leaderboard import leaderboard_of
from crake.evaluation.result.data import Scan
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.cost.matrix import costs_for
from crake.metrics.estimate import Estimate
from crake.plans import CrossValidation, GroupedCrossValidation, Plan
from crake.plans.splitter import plan_of
from crake.render.check import Check
from crake.render.drawing.drawing import Drawing
from crake.render.leaderboard import Leaderboard
from crake.render.report.report import Report
from crake.render.text.leaderboard import leaderboard_text
from crake.table.describe.warnings import beyond_warnings, coded_warnings
from crake.table.schema import Label
from crake.table.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Comparison:
    """Evaluations on the same folds, in the order the learners were given: all of classifiers, or all of regressors.

    `print(comparison)` shows the leaderboard, a notebook shows it as HTML, `to_html(path)` writes the page.
    `protocol_notes` say what was done with the table and the folds; `notes` adds those on the learners.
    `measure_reason` says why another measure than accuracy ranks, where nobody asked for it. `failures` are learners
    that could not be fitted or tested, each with its `name`, `reason` and `error`; the notes say so, too.
    """

    evaluations: tuple[Any, ...]
    table: Table
    plan: Plan
    warnings: tuple[str, ...]
    protocol_notes: tuple[str, ...]
    criterion: Criterion = BY_ACCURACY
    measure_reason: str = ""
    failures: tuple[Failure, ...] = ()

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.evaluations)} learners on {self.table.name!r}: {self.best.name} is best>"

    def __getitem__(self, name: str) -> Any:
        """Return the evaluation of a learner, by the name the leaderboard shows, or by that of the command line."""
        for evaluation in self.evaluations:
            if evaluation.name == name:
                return evaluation
        by_key = [evaluation for evaluation in self.evaluations if evaluation.key == str(name).lower() != ""]
        if len(by_key) == 1:
            return by_key[0]
        raise CrakeError(f"there is no {name!r} in this comparison: {[e.name for e in self.evaluations]}")

    def __iter__(self) -> Iterator[Any]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def is_numeric(self) -> bool:
        """Return True if the learners predict numbers."""
        return isinstance(self.evaluations[0], NumberEvaluation)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Return the learners, best first, each with how it stands to the best one and to the baseline."""
        return standings(self.evaluations, self.criterion)

    @property
    def best(self) -> Any:
        """Return the best learner by the measure that ranks, `criterion`."""
        return self.standings[0].evaluation

    def fit(self, learner: str | None = None) -> Any:
        """Return the best learner, or the one of this name, fitted anew to all rows that were compared.

        With costs it predicts by them.

        >>> comparison = compare("golf", learners=["majority", "id3"])
        >>> comparison.fit().get_depth(), comparison.fit("majority")
        (2, MajorityClassifier())
        """
        return fit_best(self.best if learner is None else self[learner], self.criterion)

    @cached_property
    def model(self) -> Any:
        """The best learner, fitted to all rows when it is first asked for."""
        return self.fit()

    @cached_property
    def winner(self) -> Estimate | None:
        """Return the measure of the best learner, corrected for having been chosen as the best; None of one learner.

        >>> from crake.table.examples import load
        >>> comparison = compare(load("iris"), learners=["naive-bayes", "c4.5", "cart"])
        >>> print(comparison.best.accuracy, "corrected:", comparison.winner)
        0.953 [0.907, 0.977] corrected: 0.936 [0.883, 0.979]
        """
        return winner_estimate([standing.evaluation for standing in self.standings], self.criterion)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes of the protocol, and one on each learner whose probabilities are too near 0 or 1."""
        return (*self.protocol_notes, *(str(each) for each in self._sureness if each.is_too_sure))

    @cached_property
    def _sureness(self) -> tuple[Sureness, ...]:
        if self.is_numeric:
            return ()
        return tuple(sureness(each) for each in self.evaluations if each.answers == "probabilities")

    def checks(self) -> tuple[Check, ...]:
        """Return warnings about the table or the result, each with a code and what to do; see docs/checks.md.

        >>> from crake.table.examples import load
        >>> for check in compare(load("golf"), learners=["majority", "1r", "id3"]).checks():
        ...     print(check.code, check.severity)
        rare-class warning
        not-above-majority warning
        optimistic-gap note
        """
        return self._checks

    @cached_property
    def _checks(self) -> tuple[Check, ...]:
        if self.is_numeric:
            return tuple(checks_of_regressors(self.evaluations, self.standings, self.table, self.suspicions))
        rest = (self._sureness, self.suspicions)
        return tuple(checks_of_comparison(self.evaluations, self.standings, self.table, *rest))

    @cached_property
    def suspicions(self) -> tuple[Suspicion, ...]:
        """Return the columns that know too much about the target; the headline opens with them."""
        return suspicions(self.table)

    def test(
        self, one: str, other: str, by: By | None = None, *, measure: str | None = None, rope: float = 0.01
    ) -> Tested:
        """Test two learners against each other: "mcnemar", "corrected-t", "5x2cv", "delong" or "bayesian".

        The measure is the one that ranks, unless given; for RMSE it is the mean squared error.
        McNemar's test counts right predictions, DeLong's is of AUC; see `crake.evaluation.comparison.paired_tests`.
        """
        costs = self.criterion.costs if isinstance(self.criterion, ByCost) else None
        by_default = self.criterion.of.name
        if by in ("mcnemar", "delong"):
            by_default = "accuracy"
        elif by_default == "rmse":
            by_default = "mse"
        return paired(self[one], self[other], by, measure=measure or by_default, rope=rope, costs=costs)

    def leaderboard(self) -> Leaderboard:
        """Return the comparison as data for showing; checks that only repeat a warning are left out."""
        notes = beyond_warnings(self.protocol_notes, self.warnings)
        board = leaderboard_of(
            self.table, self.plan, self.standings, self.warnings, notes, self.winner, self.suspicions
        )
        board = replace(board, checks=tuple(check for check in self._checks if check.code not in DATA))
        return with_lead(board, self.table, self.plan, self.measure_reason)

    def draw(self, what: str = "roc", **options: Any) -> Drawing:
        """Draw the learners in one picture, best first; see `Evaluation.draw`, and `evaluation/drawing` for options.

        Of regressors the best one is drawn: "predicted" or "residuals".
        """
        from crake.evaluation.drawing import draw_comparison  # noqa: PLC0415 (a facade)

        if self.is_numeric:
            picture: Drawing = self.best.draw("predicted" if what == "roc" else what, **options)
            return picture
        return draw_comparison(self, what, **options)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON: schema "crake-compare/1", for regressors "crake-compare-numbers/1"."""
        board = self.leaderboard()
        classes = {} if self.is_numeric else {"classes": [str(label) for label in self.table.schema.classes]}
        return {
            "schema": "crake-compare-numbers/1" if self.is_numeric else "crake-compare/1",
            "table": self.table.name,
            "target": self.evaluations[0].target if self.is_numeric else self.table.schema.target,
            "rows": len(self.table),
            **classes,
            "plan": self.plan.describe(),
            "measure": self.criterion.of.name,
            "measure_reason": self.measure_reason or None,
            "headline": board.headline,
            "best": self.best.name,
            "winner": None if self.winner is None else {"learner": self.best.name, **self.winner.to_dict()},
            "learners": [standing.to_dict() for standing in self.standings],
            "failures": [failure.to_dict() for failure in self.failures],
            "warnings": list(self.warnings),
            "notes": list(beyond_warnings(self.protocol_notes, self.warnings)),
            "checks": [check.to_dict() for check in self.checks()],
            "versions": dict(board.versions),
        }

    def to_frame(self) -> pa.Table:
        """Return one line per learner, best first, as an Arrow table: its measures with their intervals, its standing.

        >>> compare("golf", learners=["majority", "1r"]).to_frame().column_names[:5]
        ['learner', 'is_best', 'accuracy', 'accuracy_low', 'accuracy_high']
        """
        import pyarrow as pa  # noqa: PLC0415 (only for those who ask)

        return pa.Table.from_pylist([frame_line(standing) for standing in self.standings])

    def report(self, *, show_rows: bool = False) -> Report:
        """Return the whole report as data: `.to_html(path)`, `.markdown(path)`, `str()`, `.to_dict()`, `.save(path)`.

        The best learner is fitted to all rows and drawn; with `show_rows` three rows of the table are worked by hand.
        """
        return report_of_comparison(self, show_rows=show_rows)

    def to_html(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """Return the report as one page that needs no server; written to `path` if given, whole or not at all."""
        return self.report(show_rows=show_rows).to_html(path)

    def markdown(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """Return the report as Markdown; written to `path` if given."""
        return self.report(show_rows=show_rows).markdown(path)

    def __str__(self) -> str:
        return leaderboard_text(self.leaderboard()).plain

    def _repr_html_(self) -> str:
        return report_of_comparison(self, with_model=False).fragment()


def compare(
    table: Any,
    y: Any = None,
    *,
    target: str | None = None,
    learners: Iterable[Any] | Mapping[str, Any] | None = None,
    plan: Any = None,
    test: Any = None,
    random_state: int = 1,
    positive: Label | None = None,
    cost: Any = None,
    measure: str | None = None,
    tune: Any = None,
    select: str | None = None,
    balance: Any = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Evaluate several learners on one set of folds and say which are distinguishable from the best.

    `table` is a Table with a target, X with the labels `y`, or whatever `crake.read` takes, with `target`. `learners`
    are names, crake's learners or scikit-learn ones, pipelines too, or a mapping from names of your own; by default all
    of crake's classifiers, or its regressors for a numeric target, which are ranked by RMSE. The plan is 10-fold
    cross-validation, of classes stratified; a plan, a short name ("cv5") or a splitter of scikit-learn. Of a table that
    is scanned, learners that need rows learn from a random sample of 100,000; a note says so. With `test`, another
    Table or a pair (X, y), every learner learns from all rows of `table` and is tested on those of `test`.

    With `cost` (a CostMatrix, a mapping {actual: {called: cost}} or the path of a CSV file) every learner calls the
    class of least expected cost (but for `WithCutoff`, which has its own rule), and the least mean cost is best.
    `measure` ranks: any name of docs/measures.md. By default it follows the task: accuracy, AUC where the rarest class
    has under 20 % of the rows (of K classes, under 0.4 / K), cost where costs are given, RMSE for regressors.
    `tune` chooses parameters anew within each training part, by the same measure: True by the learners' usual grids, or
    {learner: grid}. `select` chooses columns there, by a method of `Select`, for crake's learners but the baselines.
    `balance` (a name such as "under", "over", "weights" or "smote", or a sampler) balances the classes of the training
    parts, see `Balanced`; tested rows stay as they are. A learner that fails is left out and named with the reason, in
    the notes and in `failures`; what the only learner raises is raised, as are errors of memory.

    >>> from crake.table.examples import load
    >>> comparison = compare(load("iris"), learners=["majority", "1r", "naive-bayes"])
    >>> [(evaluation.name, f"{evaluation.accuracy:.3f}") for evaluation in comparison.evaluations]
    [('majority class', '0.333'), ('1R', '0.920'), ('naive Bayes', '0.953')]
    """
    table, plan = table_of(table, y, target), plan_of(plan, random_state)
    learners, names = named_learners(learners)
    chosen, left_out = learners_for(learners, table)
    refuse_none_and_duplicates(chosen, names)
    refuse_plan_and_test(plan, test)
    numbers = refuse_mixed(chosen)
    measure = check_measure(measure, numbers=numbers, has_costs=cost is not None)
    _refuse_scanned_training(table, test)
    data = data_of(table, y, test, numbers=numbers, sample_rows=scan_together.SAMPLE_ROWS)
    if not numbers and not isinstance(data, Scan):
        costs_for(cost, data.table.schema.classes)  # what is wrong with them is said before any learning
    by, reason = measure_before(measure, chosen, None if isinstance(data, Scan) else data.table, cost, numbers=numbers)
    if not isinstance(data, Scan) and positive is None and speaks_of_one_class(by):
        positive = rarer_class(data.table)
        reason = "" if positive is None else of_class(by, positive)
    balanced = balanced_each(chosen, balance, random_state)
    chosen = selected_each(tuned_each(balanced, tune, by, cost=cost, positive=positive), select)
    refuse_none_and_duplicates(chosen, names)
    check_parameters(chosen)
    if plan is None and test is None:
        plan = CrossValidation(random_state=random_state, stratified=not numbers)
    result = run(chosen, data, plan, progress, positive=positive, n_jobs=n_jobs)
    chosen, names, failures = without_failed(chosen, names, result.failures)
    positive = scan_together.as_written(positive, result.outcomes[0].classes) if isinstance(data, Scan) else positive
    evaluations: tuple[Any, ...] = tuple(evaluation_of(outcome, positive) for outcome in result.outcomes)
    if names:
        evaluations = tuple(replace(each, name=name) for each, name in zip(evaluations, names, strict=True))
    warnings = (
        result.warnings if isinstance(data, Scan) else (*_warnings(result.table, numbers, plan), *result.warnings)
    )
    notes = (*map(str, failures), *result.notes, *left_out)
    if cost is not None and not numbers:
        evaluations, costs, more = called_by_cost(evaluations, chosen, cost)
        by_cost = criterion_of(by or "mean_cost", costs)
        notes = (*notes, *more)
        return Comparison(evaluations, result.table, result.plan, warnings, notes, by_cost, failures=failures)
    if by is None:
        by, reason = measure_of_tested(evaluations)
    criterion = BY_RMSE if by == "rmse" else criterion_of(by, numbers=numbers)
    evaluations = with_best_constant(evaluations, by)
    return Comparison(evaluations, result.table, result.plan, warnings, notes, criterion, reason, failures)


def _warnings(table: Table, numbers: bool, plan: Any) -> tuple[str, ...]:
    """Return the warnings about a table, but for those that the learners or the plan take care of."""
    needless = ["target"] if numbers else []
    needless += ["repeated-rows"] if isinstance(plan, GroupedCrossValidation) and plan.by is None else []
    return tuple(warning for code, warning in coded_warnings(table) if code not in needless)


def _refuse_scanned_training(table: Any, test: Any) -> None:
    if test is not None and isinstance(table, Table) and not table.in_memory:
        hint = "crake.evaluate(learner, table, test=test) for a learner that reads statistics"
        raise table.not_in_memory("a comparison on a test table", hint)
