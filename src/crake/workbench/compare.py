"""Comparing learners on one table: each is estimated on the same folds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crake.files import check_writable
from crake.render.plain_text import visible
from crake.workbench.calls import Name, Script, call, instance, printed, public
from crake.workbench.first_run import compile_for_comparing, note_reading_compiles
from crake.workbench.learners.balance import balance_note, balance_of, check_balance
from crake.workbench.learners.columns import check_select, without_useless
from crake.workbench.learners.compared import Compared
from crake.workbench.learners.saved import SavedModel, save_best
from crake.workbench.models import check_class_options, class_labelled, has_numeric_target
from crake.workbench.plans import check_folds, check_measure, plan_named, read_costs
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import DEFAULT_PLAN, Request, options, settings
from crake.workbench.table import TABLE, TEST, TableRequest, call_for_test, read_for_test

if TYPE_CHECKING:
    from rich.text import Text

    from crake.balance.facts import Balance
    from crake.evaluation.compare import Comparison
    from crake.render.leaderboard import Leaderboard
    from crake.render.report.report import Report
    from crake.table.schema import Label
    from crake.table.table import Table


@dataclass(frozen=True)
class CompareRequest(Request):
    """Learners to compare on a table by a plan, or on a test table; without `learners`, the usual ones.

    `parameters` stand under learner.name. With `tune` the learners search their usual grids within each training part.
    The best learner, fitted to all rows, is written to the model file `save`. `select` chooses columns there, too.
    `balance` names the sampler that balances the training parts.

    >>> request = CompareRequest(TableRequest("my data.csv", "y", ignore=("id",)), learners=("1r",))
    >>> print(request.command_line())
    crake compare 'my data.csv' --target y --ignore id --plan cv10 --learner 1r --seed 1
    >>> CompareRequest.from_dict(request.to_dict()) == request
    True
    """

    table: TableRequest
    plan: str = DEFAULT_PLAN
    learners: tuple[str, ...] = ()
    test: str | None = None
    positive: str | None = None
    cost: str | None = None
    seed: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tune: bool = False
    save: str | None = None
    measure: str | None = None
    select: str | None = None
    balance: str | None = None

    command: ClassVar[str] = "compare"

    def check(self) -> None:
        """Raise an error for names, plans and costs that do not exist, and for a plan beside a test table."""
        from crake.evaluation.protocol.arguments import refuse_plan_and_test  # noqa: PLC0415 (numba and numpy only for work)

        self.table.check()
        plan = plan_named(self.plan, self.seed)
        refuse_plan_and_test(None if self.plan == DEFAULT_PLAN else plan, self.test)
        read_costs(self.cost)
        check_measure(self.measure, has_costs=self.cost is not None)
        self._compared().check()
        check_select(self.select)
        check_balance(self.balance)
        if self.save is not None:
            check_writable(Path(self.save))
            self._compared().check_file()

    def run(self, progress: Progress = SILENT) -> ComparisonResult:
        """Read the table and compare the learners."""
        self.check()
        note_reading_compiles(progress, self.table.source)
        request, table = self._read(progress)
        test = None if self.test is None else read_for_test(self.table, self.test, table, self.seed)
        self._check_data(table, test)
        compile_for_comparing(progress, table, self._compared().names_for(table))
        self._compared().note_time(table, self._fits(), progress)
        return replace(self, table=request)._compare(table, test, progress)  # noqa: SLF001

    def _check_data(self, table: Table, test: Table | None) -> None:
        """Raise for rows that cannot be learned or tested, before anything is compiled for them."""
        from crake.evaluation.protocol.roads import data_of  # noqa: PLC0415
        from crake.evaluation.protocol.test_table import unknown_labels  # noqa: PLC0415
        from crake.evaluation.result.data import TestTable  # noqa: PLC0415

        self._plan(table)
        numbers = has_numeric_target(table)
        data = data_of(table, test=test, numbers=numbers)
        if isinstance(data, TestTable) and not numbers:
            unknown_labels(data)

    def _compare(self, table: Table, test: Table | None, progress: Progress) -> ComparisonResult:
        comparison = self.comparison_on(table, progress, test)
        lines = (("Command line", self.command_line()), ("Python", self.python(table)))
        board = replace(comparison.leaderboard(), reproduce=lines)
        balance = balance_of(self.balance, table)
        if self.save is None:
            return ComparisonResult(comparison, board, balance=balance)
        saved = save_best(comparison, Path(self.save))
        progress.note(f"written: {saved.file} ({saved.size:,} bytes)")
        return ComparisonResult(comparison, board, saved, balance)

    def comparison_on(self, table: Table, progress: Progress, test: Table | None = None) -> Comparison:
        """Return the comparison on a table that has been read."""
        from crake.evaluation.compare import compare  # noqa: PLC0415

        self._note_numeric(table, progress)
        if self.save is not None and not table.in_memory:
            raise table.not_in_memory("fitting the best learner", "name one: crake train -l LEARNER")
        begin = time.perf_counter()
        comparison = compare(
            table,
            learners=self._compared().learners_for(table),
            plan=self._plan(table) if test is None else None,
            test=test,
            random_state=self.seed,
            positive=self._positive(table),
            cost=read_costs(self.cost),
            measure=self.measure,
            tune=self.tune,
            select=self.select,
            balance=self.balance,
            progress=progress.steps,
        )
        left_out = self._compared().left_out(table)
        progress.detail(f"compared in {time.perf_counter() - begin:.2f} s")
        balanced = balance_note(balance_of(self.balance, table))
        return replace(comparison, protocol_notes=(*balanced, *comparison.protocol_notes, *left_out))

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        tested = options(plan=self.plan) if self.test is None else options(test=self.test)
        learners = options(learner=self.learners, set=settings(self.parameters), tune=self.tune)
        learners = [*learners, *options(select=self.select, balance=self.balance)]
        more = options(positive=self.positive, cost=self.cost, measure=self.measure, seed=self.seed, save=self.save)
        return [*self.table.words(), *tested, *learners, *more]

    def python(self, table: Table | None = None) -> str:
        """Return the lines that compare in Python; `table` is read where it is not given, if it is there.

        >>> print(CompareRequest(TableRequest("golf"), learners=("1r",)).python())
        import crake
        table = crake.read("golf")
        print(crake.compare(table, learners=["1r"], random_state=1))
        """
        is_default = self.plan == DEFAULT_PLAN
        tested: dict[str, Any] = {"random_state": self.seed}
        test: tuple[tuple[str, Any], ...] = ()
        request, positive = self.table, None
        learners: list[Any] | None = list(self.learners) or None
        is_plain = self.test is None and self.positive is None and is_default and self._compared().is_plain()
        if table is None and (not is_plain or self.table.is_there()):
            request, table = self._read_to_learn()
        if table is not None:
            learners, positive = self._compared().calls_for(table), self._positive(table)
            draws = tested if self.balance is not None and self.seed != 1 else {}
            tested = tested if is_default else {"plan": instance(self._plan(table)), **draws}
        if table is not None and self.test is not None:
            test = (("test", call_for_test(request, self.test, table, self.seed)),)
            tested = {"test": TEST}
        comparison = call(public("compare"), TABLE, learners=learners, **tested, positive=positive, cost=self.cost)
        comparison = comparison.adding(measure=self.measure, tune=self.tune or None, select=self.select)
        comparison = comparison.adding(balance=self.balance)
        lines: tuple[tuple[str, Any], ...] = (("", printed(comparison)),)
        if self.save is not None:
            saving = call(public("save"), COMPARISON.then("fit"), self.save)
            lines = (("comparison", comparison), ("", printed(COMPARISON)), ("", saving))
        return str(Script((("table", request.read_call(self.seed)), *test, *lines)))

    def _compared(self) -> Compared:
        return Compared(self.learners, self.parameters, self.tune, self.seed)

    def _read(self, progress: Progress) -> tuple[TableRequest, Table]:
        progress.detail(f"reading {self.table.source}")
        begin = time.perf_counter()
        request, table = self._read_to_learn()
        progress.detail(f"read {table.name}: {len(table):,} rows in {time.perf_counter() - begin:.2f} s")
        return request, table

    def _read_to_learn(self) -> tuple[TableRequest, Table]:
        """Read the table to learn from, without columns from which nothing can be learned."""
        return without_useless(*self.table.read_labelled(self.seed), plan_named(self.plan, self.seed))

    def _note_numeric(self, table: Table, progress: Progress) -> None:
        """Note that regressors are compared; raise for options that speak of classes."""
        if has_numeric_target(table):
            from crake.table.target import check_numeric_target  # noqa: PLC0415

            check_numeric_target(table)
            target = table.schema.target or ""
            check_class_options(f"a learner of {target}", self._of_classes())
            from crake.metrics.regression import RMSE  # noqa: PLC0415 (numba and numpy only when there is work)

            by = RMSE.title if self.measure is None else self.measure
            progress.note(f"note: {target} is numeric: regressors are compared, by {by}")
            if self.tune:
                progress.note("note: --tune changes nothing: no regressor has a usual grid")

    def _of_classes(self) -> dict[str, Any]:
        return {"--positive": self.positive, "--cost": self.cost, "--balance": self.balance}

    def _plan(self, table: Table) -> Any:
        plan = plan_named(self.plan, self.seed, is_numeric=has_numeric_target(table))
        if self.plan != DEFAULT_PLAN:
            check_folds(plan, self.plan, table)
        return plan

    def _fits(self) -> int:
        """Return how often each learner is fitted."""
        plan = plan_named(self.plan, self.seed)
        return 1 if self.test is not None else getattr(plan, "folds", 1) * getattr(plan, "repeats", 1)

    def _positive(self, table: Table) -> Label | None:
        return class_labelled(self.positive, table.schema.classes)


COMPARISON = Name("comparison")


@dataclass(frozen=True, eq=False)
class ComparisonResult:
    """A comparison, its leaderboard with the lines that give it again, the model that was saved, and the balance."""

    comparison: Comparison
    board: Leaderboard
    saved: SavedModel | None = None
    balance: Balance | None = None

    def text(self, width: int) -> Text:
        """Return the leaderboard for a terminal, and which learner was saved."""
        from crake.render.text.columns import paragraph  # noqa: PLC0415 (rich only where there is text)
        from crake.render.text.leaderboard import leaderboard_text  # noqa: PLC0415

        board = leaderboard_text(self.board, width)
        if self.saved is None:
            return board
        return board.append("\n\n").append_text(paragraph(visible(self.saved.sentence()), width, style="bold"))

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the schema "crake-compare/1"."""
        saved = {} if self.saved is None else {"saved": self.saved.to_dict()}
        balance = {} if self.balance is None else {"balance": self.balance.to_dict()}
        return {**self.comparison.to_dict(), "reproduce": dict(self.board.reproduce), **balance, **saved}

    def report(self, *, show_rows: bool = False) -> Report:
        """Return the report, with the best learner fitted to all rows."""
        from crake.evaluation.report.build import report_of_comparison  # noqa: PLC0415

        return report_of_comparison(self.comparison, self.board, show_rows=show_rows)

    def page(self) -> str:
        """Return the report as one HTML page."""
        return self.report().to_html()
