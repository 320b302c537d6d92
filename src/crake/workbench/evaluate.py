"""Evaluating: a model file on labelled rows, or one learner by a plan or on a test table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crake.errors import CrakeError
from crake.workbench.calls import Call, Expression, Name, Script, call, imported, instance, printed, public
from crake.workbench.evaluation import ClassEvaluation, RegressionEvaluation
from crake.workbench.first_run import note_compiling
from crake.workbench.fitted import evaluate_call, evaluate_fitted, labelled_call, read_labelled, seems_trained_on
from crake.workbench.learners.balance import (
    balance_note,
    balance_within,
    balanced_call,
    balanced_learner,
    check_balance,
)
from crake.workbench.learners.columns import without_useless
from crake.workbench.learners.import_path import is_import_path
from crake.workbench.models import (
    Learner,
    check_class_options,
    class_labelled,
    is_regressor,
    load_call,
    load_predictor,
    warnings_for,
)
from crake.workbench.plans import check_folds, check_measure, plan_named, read_costs
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import DEFAULT_PLAN, Request, argument, changed, options, settings
from crake.workbench.table import MODEL, RESULT, TABLE, TEST, TableRequest, call_for_test, read_for_test

if TYPE_CHECKING:
    from crake.table.schema import Label
    from crake.table.table import Table

Lines = tuple[tuple[str, str], ...]
TRAINED_ON = "Too good for new rows: it seems to be trained on these very rows; --plan cv10 refits it on parts of them."


@dataclass(frozen=True)
class EvaluateRequest(Request):
    """A model file or the name of a learner, and a labelled table.

    A model file is tested as it is. With a `plan` its learner is refitted on parts of the table.

    >>> EvaluateRequest("m.crake", TableRequest("test.csv"), errors=5).command_line()
    'crake evaluate m.crake test.csv --errors 5'
    """

    subject: str
    table: TableRequest
    plan: str | None = None
    test: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    positive: str | None = None
    cost: str | None = None
    errors: int = 0
    seed: int = 1
    measure: str | None = None
    balance: str | None = None

    command: ClassVar[str] = "evaluate"

    def check(self) -> None:
        """Raise an error for unknown names, plans and costs, and for options that do not go together."""
        from crake.evaluation.protocol.arguments import refuse_plan_and_test  # noqa: PLC0415 (numba and numpy only for work)

        self.table.check()
        plan = None if self.plan is None else plan_named(self.plan, self.seed)
        refuse_plan_and_test(plan, self.test)
        read_costs(self.cost)
        check_measure(self.measure, has_costs=self.cost is not None)
        check_balance(self.balance)
        if self.is_learner():
            self._learner().check()
        else:
            self._check_model_options()

    def run(self, progress: Progress = SILENT) -> ClassEvaluation | RegressionEvaluation:
        """Test the model file as it is, or refit its learner or the named one."""
        self.check()
        note_compiling(progress)
        if self.is_learner():
            request, table = self._read()
            learner = self._for_table(table)
            return replace(self, table=request)._by_plan(learner, table, None, progress)  # noqa: SLF001
        model = load_predictor(self.subject)
        self._check_classes_wanted(model)
        table = read_labelled(self.table, model, self.seed)
        if self.plan is None:
            return self._as_it_is(model, table)
        sources = _sources(model)
        return self._by_plan(model, table.with_date_parts(sources) if sources else table, model, progress)

    def is_learner(self) -> bool:
        """Return True for the name of a learner; raise an error for what is neither a name nor a path."""
        from crake.learners import registry  # noqa: PLC0415

        file = Path(self.subject)
        if file.exists():
            return False
        if self.subject.lower() in (*registry.names(), *registry.regressor_names()):
            return True
        if is_import_path(self.subject) and self.subject.rpartition(".")[2][0].isupper():
            return True
        if file.suffix or file.name != self.subject:
            return False
        known = registry.listed_names()
        raise CrakeError(f"there is no model file and no learner {self.subject!r}; learners: {known}")

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        is_random = self.table.sample is not None or self.plan is not None or self.is_learner()
        return [
            argument(self.subject),
            *self.table.words(),
            *options(plan=self.plan, test=self.test, set=settings(self.parameters)),
            *options(balance=self.balance, positive=self.positive, cost=self.cost, measure=self.measure),
            *options(errors=self.errors or None),
            *options(seed=self.seed if is_random else changed(self.seed, 1)),
        ]

    def python(self, table: Table | None = None, subject: Any = None) -> str:
        """Return the lines that evaluate in Python; the table and the model or learner are read where not given."""
        if not self.is_learner():
            return self._python_of_model(subject if subject is not None else load_predictor(self.subject))
        request, table = self._read() if table is None else (self.table, table)
        learner = subject if subject is not None else self._for_table(table)
        return replace(self, table=request)._python_of_learner(learner, table)  # noqa: SLF001

    def _read(self) -> tuple[TableRequest, Table]:
        """Read the table to learn from, without columns from which nothing can be learned."""
        plan = None if self.plan is None else plan_named(self.plan, self.seed)
        return without_useless(*self._learner().read(self.table, self.seed), plan)

    def _learner(self) -> Learner:
        return Learner(self.subject, self.parameters, self.seed)

    def _for_table(self, table: Table) -> Any:
        """Return the learner for the target's kind, balanced if that is asked for."""
        learner = self._learner().for_table(table)
        self._check_classes_wanted(learner)
        return balanced_learner(learner, self.balance, self.seed)

    def _check_model_options(self) -> None:
        columns = (self.table.nominal, self.table.numeric, self.table.text, self.table.ignore, self.table.keep)
        reasons = {
            "--set": (self.parameters, "the parameters are the model's"),
            "--test": (self.test, "a model file is tested on TABLE"),
            "--balance": (self.balance, "what it learned from was balanced when it was trained, or not at all"),
            "--nominal, --numeric, --text, --ignore and --keep": (any(columns), "the model says how columns are read"),
        }
        for option, (value, reason) in reasons.items():
            if value:
                raise CrakeError(f"{self.subject} is a model file: {reason}; leave {option} out, or name a learner")

    def _check_classes_wanted(self, learner: Any) -> None:
        if is_regressor(learner):
            classes = {"--positive": self.positive, "--cost": self.cost, "--measure": self.measure}
            classes["--balance"] = self.balance
            check_class_options(self.subject, classes)

    def _as_it_is(self, model: Any, table: Table) -> ClassEvaluation | RegressionEvaluation:
        """Test the fitted model on the rows of the table."""
        if is_regressor(model):
            return self._regressor_as_it_is(model, table)
        from crake.evaluation.comparison.choice import measured_by  # noqa: PLC0415
        from crake.evaluation.report.single_board import board_of_test  # noqa: PLC0415
        from crake.learners.base.scoring import Scoring  # noqa: PLC0415

        rows, costs = Scoring(model, table), read_costs(self.cost)
        evaluation = evaluate_fitted(model, table, self._positive(model.schema_.classes), rows)
        evaluation, criterion, reason = measured_by(evaluation, self.measure if costs is None else None)
        notes = (*self.table.remembered(model), *table.notes, *rows.notes)
        board = board_of_test(
            evaluation,
            warnings=rows.warnings(),
            notes=notes,
            costs=costs,
            errors=self.errors,
            table=table,
            criterion=criterion,
            reason=reason if costs is None else "",
        )
        if seems_trained_on(model, table):
            board = replace(board, headline=f"{board.headline} {TRAINED_ON}")
        board = replace(board, reproduce=self._lines(table, model))
        return ClassEvaluation(evaluation, board, None, costs, self.errors, criterion, (model, table))

    def _by_plan(
        self, learner: Any, table: Table, model: Any, progress: Progress
    ) -> ClassEvaluation | RegressionEvaluation:
        """Refit the learner, or that of a model file, on parts of the table, or on all of it for a test table."""
        self._check_classes_wanted(learner)
        if is_regressor(learner):
            return self._regression(learner, table, model, progress)
        from crake.evaluation.compare import compare  # noqa: PLC0415
        from crake.evaluation.report.lead import with_lead  # noqa: PLC0415
        from crake.evaluation.report.single_board import board_of_test  # noqa: PLC0415
        from crake.learners.base.scikit_learn import clone  # noqa: PLC0415

        tested = self._tested(learner, table)
        fresh, positive, costs = clone(learner), self._positive(table.schema.classes), read_costs(self.cost)
        learners = [fresh, *([] if is_majority(fresh) else ["majority"])]
        by = self.measure if costs is None else None
        comparison = compare(table, learners=learners, positive=positive, measure=by, progress=progress.steps, **tested)
        evaluation, baseline = comparison.evaluations[0], next(iter(comparison.evaluations[1:]), None)
        balance = balance_within(fresh, table)
        notes = (*self._refitted(model, evaluation.name), *balance_note(balance), *comparison.protocol_notes)
        board = board_of_test(
            evaluation,
            warnings=comparison.warnings,
            notes=notes,
            baseline=baseline,
            costs=costs,
            errors=self.errors,
            criterion=comparison.criterion,
            suspicious=comparison.suspicions,
        )
        board = with_lead(board, table, comparison.plan, comparison.measure_reason if costs is None else "")
        board = replace(board, reproduce=self._lines(table, learner))
        return ClassEvaluation(evaluation, board, baseline, costs, self.errors, comparison.criterion, balance=balance)

    def _regression(self, learner: Any, table: Table, model: Any, progress: Progress) -> RegressionEvaluation:
        from crake.evaluation.evaluate import evaluate  # noqa: PLC0415
        from crake.learners.base.scikit_learn import clone  # noqa: PLC0415
        from crake.learners.registry import title_of  # noqa: PLC0415

        table.require_memory("testing predicted numbers")
        tested, count = self._tested(learner, table), progress.over(title_of(learner))
        evaluation: Any = evaluate(clone(learner), table, **tested, progress=count)
        warnings = warnings_for(learner, table) if model is None else ()
        notes = (*self._refitted(model, evaluation.name), *table.notes)
        return RegressionEvaluation(evaluation, warnings, notes, self._lines(table, learner), self.errors)

    def _regressor_as_it_is(self, model: Any, table: Table) -> RegressionEvaluation:
        from crake.evaluation.protocol.fitted_model import new_to_model  # noqa: PLC0415

        table.require_memory("testing predicted numbers")
        unseen, unused = new_to_model(model, table)
        unseen = (*unseen, *([TRAINED_ON] if seems_trained_on(model, table) else []))
        evaluation, fitted = evaluate_fitted(model, table, None), (model, table)
        notes = (*self.table.remembered(model), *table.notes, *unused)
        return RegressionEvaluation(evaluation, unseen, notes, self._lines(table, model), self.errors, fitted)

    def _tested(self, learner: Any, table: Table) -> dict[str, Any]:
        """The plan, or the test table."""
        if self.test is None:
            return {"plan": self._plan(learner, table)}
        return {"test": read_for_test(self.table, self.test, table, self.seed)}

    def _plan(self, learner: Any, table: Table) -> Any:
        plan = plan_named(self.plan or DEFAULT_PLAN, self.seed, is_numeric=is_regressor(learner))
        if self.plan is not None:
            check_folds(plan, self.plan, table)
        return plan

    def _positive(self, classes: tuple[Label, ...]) -> Label | None:
        return class_labelled(self.positive, classes)

    def _refitted(self, model: Any, name: str) -> tuple[str, ...]:
        """Return a note, where the learner of a model file was refitted."""
        if model is None:
            return ()
        return (
            f"{name}, the learner of {self.subject}, was refitted with its parameters; the model itself is not tested",
        )

    def _lines(self, table: Table, subject: Any) -> Lines:
        return (("Command line", self.command_line()), ("Python", self.python(table, subject)))

    def _python_of_model(self, model: Any) -> str:
        positive = self._positive(model.schema_.classes)
        evaluation = evaluate_call(model, positive)
        if self.plan is not None:
            plan = instance(plan_named(self.plan, self.seed, is_numeric=is_regressor(model)))
            learner = call(imported("sklearn.base", "clone"), MODEL)
            evaluation = call(public("evaluate"), learner, TABLE, plan=plan, positive=positive)
        table = labelled_call(self.table, model, self.seed)
        if self.plan is not None and _sources(model):
            table = table.then("with_date_parts", _sources(model))
        return self._script(("model", load_call(self.subject)), ("table", table), ("result", evaluation))

    def _python_of_learner(self, learner: Any, table: Table) -> str:
        inner = learner if self.balance is None else learner.estimator
        learner_call = balanced_call(self._learner().python(inner), self.balance, self.seed)
        positive = self._positive(table.schema.classes)
        read: tuple[str, Any] = ("table", self.table.read_call(self.seed))
        if self.test is None:
            plan = instance(self._plan(learner, table))
            return self._script(
                read, ("result", call(public("evaluate"), learner_call, TABLE, plan=plan, positive=positive))
            )
        test = call_for_test(self.table, self.test, table, self.seed)
        evaluation = call(public("evaluate"), learner_call, TABLE, test=TEST, positive=positive)
        return self._script(read, ("test", test), ("result", evaluation))

    def _script(self, *lines: tuple[str, Any]) -> str:
        """Return the lines, with the result printed, the measure that was named, and the cost of its errors."""
        costs: tuple[tuple[str, Any], ...] = ()
        if self.cost is not None:
            cheapest = RESULT.then("with_least_cost", COSTS).then("mean_cost", COSTS)
            means = Call(Name("print"), (RESULT.then("mean_cost", COSTS), cheapest))
            costs = (("costs", public("CostMatrix").then("read", self.cost)), ("", means))
        measured: tuple[tuple[str, Any], ...] = ()
        if self.measure is not None and self.cost is None:
            measured = (("", printed(RESULT.then("estimate", self.measure))),)
        return str(Script((*lines, ("", printed(RESULT)), *measured, *costs)))


def _sources(model: Any) -> list[str]:
    """Return the columns of dates whose parts a model has learned from."""
    return list(dict.fromkeys(part.source for part in model.schema_.parts))


COSTS: Expression = Name("costs")


def is_majority(learner: Any) -> bool:
    """Return True if the learner is the majority class itself, with its defaults."""
    from crake.learners.majority.learner import MajorityClassifier  # noqa: PLC0415
    from crake.learners.registry import title_of  # noqa: PLC0415

    return title_of(learner) == title_of(MajorityClassifier())
