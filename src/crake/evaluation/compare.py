"""`crake.compare`: several learners on the same folds of one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from crake.errors import CrakeError
from crake.evaluation.checks import too_sure
from crake.evaluation.checks.leaking_columns import DATA
from crake.evaluation.checks.run import checks_of_comparison
from crake.evaluation.comparison.criterion import BY_ACCURACY, ByCost, Criterion
from crake.evaluation.comparison.paired_tests import By, Tested, paired
from crake.evaluation.comparison.standing import Standing, standings
from crake.evaluation.evaluate import evaluate_on, refuse_plan_and_test, table_and_rows
from crake.evaluation.protocol.arguments import learner_of
from crake.evaluation.protocol.other_libraries import ForeignRows
from crake.evaluation.protocol.plan_columns import left_to_learn, with_its_column
from crake.evaluation.protocol.positive_class import refuse_unknown_class
from crake.evaluation.protocol.scan_compare import compare_scan
from crake.evaluation.protocol.scan_together import SAMPLE_ROWS
from crake.evaluation.protocol.test_table import Supplied, SuppliedTask, compare_supplied
from crake.evaluation.protocol.tuning import tuned_each
from crake.evaluation.report.build import report_of_comparison
from crake.evaluation.report.leaderboard import leaderboard_of
from crake.evaluation.result.classification import Evaluation
from crake.learners.meta.cutoff.learner import has_cutoff
from crake.learners.registry import compared, title_of, too_slow
from crake.metrics.cost.matrix import costs_for
from crake.plans import CrossValidation, Plan
from crake.render.check import Check
from crake.render.drawing.drawing import Drawing
from crake.render.leaderboard import Leaderboard
from crake.render.report.report import Report
from crake.render.text.leaderboard import leaderboard_text
from crake.table.describe.warnings import beyond_warnings, warnings_about
from crake.table.schema import Label
from crake.table.table import Table

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Evaluations on the same folds, in the order the learners were given.

    `print(comparison)` shows the leaderboard, a notebook shows it as HTML, `to_html(path)` writes the page.
    """

    evaluations: tuple[Evaluation, ...]
    table: Table
    plan: Plan
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    criterion: Criterion = BY_ACCURACY

    def __getitem__(self, name: str) -> Evaluation:
        """The evaluation of a learner, by the name the leaderboard shows."""
        for evaluation in self.evaluations:
            if evaluation.name == name:
                return evaluation
        raise CrakeError(f"there is no {name!r} in this comparison: {[e.name for e in self.evaluations]}")

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Best first: each learner with how it stands to the best one and to the baseline."""
        return standings(self.evaluations, self.criterion)

    @property
    def best(self) -> Evaluation:
        """The learner of the highest accuracy, or of the least cost where costs are given; of equals the first."""
        return self.standings[0].evaluation

    def checks(self) -> tuple[Check, ...]:
        """What may be wrong with the table or the result, each with a code and what to do; see docs/checks.md.

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
        return tuple(checks_of_comparison(self.evaluations, self.standings, self.table))

    def test(
        self, one: str, other: str, by: By | None = None, *, measure: str | None = None, rope: float = 0.01
    ) -> Tested:
        """Two learners held against each other: "mcnemar", "corrected-t", "5x2cv", "delong" or "bayesian".

        The measure is what the comparison goes by, accuracy or mean cost, unless given (McNemar's test counts right
        answers, DeLong's is of AUC); see `crake.evaluation.comparison.paired_tests`.
        """
        costs = self.criterion.costs if isinstance(self.criterion, ByCost) else None
        by_default = "accuracy" if costs is None or by in ("mcnemar", "delong") else "mean_cost"
        return paired(self[one], self[other], by, measure=measure or by_default, rope=rope, costs=costs)

    def leaderboard(self) -> Leaderboard:
        """The comparison as data for showing; what warnings say already is not among its checks."""
        notes = beyond_warnings([note for note in self.notes if note not in too_sure(self.evaluations)], self.warnings)
        board = leaderboard_of(self.table, self.plan, self.standings, self.warnings, notes)
        return replace(board, checks=tuple(check for check in self._checks if check.code not in DATA))

    def draw(self, what: str = "roc", **options: Any) -> Drawing:
        """The learners in one picture, best first; see `Evaluation.draw`, and `evaluation/drawing` for options."""
        from crake.evaluation.drawing import draw_comparison  # noqa: PLC0415 (it reads Comparisons)

        return draw_comparison(self, what, **options)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the schema "crake-compare/1"."""
        board = self.leaderboard()
        return {
            "schema": "crake-compare/1",
            "table": self.table.name,
            "target": self.table.schema.target,
            "rows": len(self.table),
            "classes": [str(label) for label in self.table.schema.classes],
            "plan": self.plan.describe(),
            "headline": board.headline,
            "best": self.best.name,
            "learners": [standing.to_dict() for standing in self.standings],
            "warnings": list(self.warnings),
            "notes": list(board.notes),
            "checks": [check.to_dict() for check in self.checks()],
            "versions": dict(board.versions),
        }

    def report(self, *, show_rows: bool = False) -> Report:
        """The whole report as data: `.to_html(path)`, `.markdown(path)`, `str()`, `.to_dict()`, `.save(path)`.

        The best learner is fitted to all rows and drawn; with `show_rows` three rows of the table are worked by hand.
        """
        return report_of_comparison(self, show_rows=show_rows)

    def to_html(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """The report as one page that needs no server; written to `path` if given, whole or not at all."""
        return self.report(show_rows=show_rows).to_html(path)

    def markdown(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """The report as Markdown; written to `path` if given."""
        return self.report(show_rows=show_rows).markdown(path)

    def __str__(self) -> str:
        return leaderboard_text(self.leaderboard()).plain

    def _repr_html_(self) -> str:
        return report_of_comparison(self, with_model=False).fragment()


def compare(
    table: Any,
    y: Any = None,
    *,
    learners: Iterable[Any] | None = None,
    plan: Plan | None = None,
    test: Any = None,
    random_state: int = 1,
    positive: Label | None = None,
    cost: Any = None,
    tune: Any = None,
    progress: Progress | None = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Evaluate several learners on one set of folds and say which are distinguishable from the best.

    `table` is a Table with a target, or X with the labels `y`. `learners` are names, crake's learners or
    scikit-learn classifiers; all of crake's by default. The plan is stratified 10-fold cross-validation. Of a table
    that is scanned, learners that need rows learn from a random sample of 100,000; a note says so. With `test`, another
    Table or a pair (X, y), every learner learns from all rows of `table` and is tested on those of `test`.

    With `cost` (a CostMatrix, a mapping {actual: {called: cost}} or the path of a CSV file) every learner calls the
    class of least expected cost (but for `WithCutoff`, which has its own rule), and the least mean cost is best.
    `tune` chooses parameters anew within each training part: True by the learners' usual grids, or {learner: grid}.

    >>> from crake.table.examples import load
    >>> comparison = compare(load("iris"), learners=["majority", "1r", "naive-bayes"])
    >>> [(evaluation.name, f"{evaluation.accuracy:.3f}") for evaluation in comparison.evaluations]
    [('majority class', '0.333'), ('1R', '0.920'), ('naive Bayes', '0.953')]
    """
    asked = compared(_rows_of(table)) if learners is None else tuple(learners)
    chosen = tuned_each([learner_of(each) for each in asked], tune)
    left = too_slow(_rows_of(table)) if learners is None else ()
    _refuse_none_and_twins(chosen)
    refuse_plan_and_test(plan, test)
    if test is not None:
        return _by_cost(_on_test_table(chosen, table, y, test, positive, cost, progress), chosen, cost)
    if isinstance(table, Table) and not table.in_memory:
        plan = plan or CrossValidation(random_state=random_state)
        tested, coded, plan, warned, told = compare_scan(chosen, table, plan, positive, progress)
        return _by_cost(Comparison(tested, coded, plan, warned, (*told, *left)), chosen, cost)
    rows, _ = table_and_rows(table, y)
    refuse_unknown_class(positive, rows.schema.classes)
    costs_for(cost, rows.schema.classes)  # what is wrong with them is said before any learning
    plan, rows = with_its_column(plan or CrossValidation(random_state=random_state), rows)
    rounds = tuple(plan.rounds(rows.target, rows.schema.classes))
    evaluations = tuple(
        evaluate_on(
            learner, own, rounds, plan=plan, positive=positive, foreign=foreign, n_jobs=n_jobs,
            progress=_naming(progress, title_of(learner)),
        )
        for learner in chosen
        for own, foreign in [_as_read_by(learner, table, y, rows)]
    )  # fmt: skip
    noted = dict.fromkeys(note for each in rounds for note in each.notes)
    notes = (*rows.notes, *noted, *too_sure(evaluations), *left)
    return _by_cost(Comparison(evaluations, rows, plan, warnings_about(rows), notes), chosen, cost)


def _on_test_table(
    learners: list[Any], table: Any, y: Any, test: Any, positive: Label | None, cost: Any, progress: Progress | None
) -> Comparison:
    if isinstance(table, Table) and not table.in_memory:
        hint = "crake.evaluate(learner, table, test=test) for a learner that reads statistics"
        raise table.not_in_memory("a comparison on a test table", hint)
    rows, _ = table_and_rows(table, y)
    costs_for(cost, rows.schema.classes)
    supplied = Supplied.of(test, rows)
    tasks = []
    for learner in learners:
        own, foreign = _as_read_by(learner, table, y, rows)
        read_so = supplied if own is rows else Supplied.of(test, own, learner.nominal)
        tasks.append(SuppliedTask(learner, own, read_so, foreign))
    evaluations, plan, warnings, notes = compare_supplied(tasks, positive, progress)
    warned = (*warnings_about(rows), *warnings)
    notes = (*rows.notes, *notes, *too_sure(evaluations))
    return Comparison(evaluations, rows, plan, warned, tuple(dict.fromkeys(notes)))


def _as_read_by(learner: Any, table: Any, y: Any, rows: Table) -> tuple[Table, ForeignRows | None]:
    """The rows as a learner reads X and y: with its own `nominal=`, without columns that the plan has taken."""
    if y is None:
        return rows, None
    own, given = table_and_rows(table, y, learner)
    foreign = left_to_learn(given, own, rows)
    nominal = getattr(learner, "nominal", "auto")
    if isinstance(nominal, str) and nominal == "auto":
        return rows, foreign
    return own.select([column.name for column in rows.schema.columns]), foreign


def _rows_of(table: Any) -> int:
    """How many rows the learners that need rows will get; of a scan a sample."""
    if isinstance(table, Table):
        return len(table) if table.in_memory else SAMPLE_ROWS
    return len(table) if hasattr(table, "__len__") else 0


def _by_cost(comparison: Comparison, learners: list[Any], cost: Any) -> Comparison:
    """The same probabilities with the answers of least expected cost; a learner with a cutoff keeps its own."""
    costs = costs_for(cost, comparison.evaluations[0].classes)
    if costs is None:
        return comparison
    evaluations = tuple(
        each if has_cutoff(learner) else each.with_least_cost(costs)
        for learner, each in zip(learners, comparison.evaluations, strict=True)
    )
    return replace(comparison, evaluations=evaluations, criterion=ByCost(costs))


def _refuse_none_and_twins(learners: list[Any]) -> None:
    if not learners:
        raise CrakeError("learners is empty; expected names or learners, or None for the usual ones")
    titles = [title_of(learner) for learner in learners]
    for title in titles:
        if titles.count(title) > 1:
            raise CrakeError(f"{title} is in the comparison twice; give learners with different parameters")


def _naming(progress: Progress | None, name: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(name, done, total)
