"""One model or one learner evaluated: which of the three it is, and the lines that give it again."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.cli.commands.compare import class_called, test_table
from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.output import Output
from crake.cli.progress import reported
from crake.cli.requests.costs import costs_of, refuse_too_many_folds
from crake.cli.requests.learner import Chosen
from crake.cli.requests.model import is_regressor, predictor_of
from crake.cli.requests.parameters import configured, parameter
from crake.cli.requests.regression_evaluation import ShownNumbers, evaluated_numbers, evaluated_regressor
from crake.cli.requests.reproduce import DEFAULT_PLAN, given, read_call, reading_arguments, tables_read
from crake.cli.requests.table import Reading
from crake.errors import CrakeError

if TYPE_CHECKING:
    from rich.text import Text

    from crake.evaluation.result.classification import Evaluation
    from crake.metrics.cost.matrix import CostMatrix
    from crake.render.leaderboard import Leaderboard
    from crake.render.report.report import Report
    from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Shown:
    """An evaluation and what is shown of it."""

    evaluation: Evaluation
    board: Leaderboard
    baseline: Evaluation | None
    costs: CostMatrix | None
    errors: int
    fitted: tuple[Any, Table] | None = None

    def report(self, *, show_rows: bool) -> Report:
        """The whole report; the model is `fitted`, or else learned from all rows."""
        from crake.evaluation.comparison.criterion import ByCost  # noqa: PLC0415 (numpy only when there is work)
        from crake.evaluation.report.build import report_of  # noqa: PLC0415

        criterion = None if self.costs is None else ByCost(self.costs.aligned(self.evaluation.classes))
        beside = () if self.baseline is None else (self.baseline,)
        return report_of((self.evaluation, *beside), self.board, criterion, fitted=self.fitted, show_rows=show_rows)

    def text(self, width: int) -> Text:
        """For a terminal."""
        from crake.render.text.leaderboard import leaderboard_text  # noqa: PLC0415 (rich only when there is text)

        return leaderboard_text(self.board, width)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        from crake.evaluation.report.single_board import to_dict  # noqa: PLC0415 (numpy only when there is work)

        return to_dict(self.evaluation, self.board, baseline=self.baseline, costs=self.costs, errors=self.errors)


@dataclass(frozen=True)
class Asked:
    """What `crake evaluate` was asked for; `subject` is a model file or the name of a learner."""

    subject: str
    reading: Reading
    plan: str | None = None
    test: str | None = None
    settings: tuple[str, ...] = ()
    positive: str | None = None
    cost: Path | None = None
    seed: int = 1
    errors: int = 0

    def evaluated(self, output: Output, threads: int | None, *, progress: bool) -> Shown | ShownNumbers:
        """A file is tested as it is; with a plan, or by its name, a learner is refitted."""
        from crake.kernels.threads import limited  # noqa: PLC0415 (numba and numpy only when there is work)

        is_learner = self._is_learner()
        self._refuse(is_learner=is_learner)
        costs = costs_of(self.cost)
        with limited(threads):
            if is_learner:
                return self._of_name(costs, output, progress)
            model = predictor_of(Path(self.subject))
            if is_regressor(model):
                return evaluated_numbers(self, model, output, progress=progress)
            if self.plan is None:
                return self._of_model(model, costs, output)
            say_if_compiling(output, COMPARING_SECONDS)
            return self._of_learner(model, self._read_for(model), model, costs, progress)

    def _of_name(self, costs: CostMatrix | None, output: Output, progress: bool) -> Shown | ShownNumbers:
        """The learner of a name, once the table tells whether it is to predict a class or a number."""
        chosen = Chosen(self.subject, self.settings)
        chosen.check()
        say_if_compiling(output, COMPARING_SECONDS)
        reading, table = chosen.read(self.reading)
        learner = chosen.of(table)
        if is_regressor(learner):
            return evaluated_regressor(replace(self, reading=reading), learner, table, progress=progress)
        return self._of_learner(learner, table, None, costs, progress)

    def _is_learner(self) -> bool:
        """A name that no file has; what is neither is looked for as a learner unless it looks like a path."""
        from crake.learners import registry  # noqa: PLC0415

        file = Path(self.subject)
        if file.exists():
            return False
        if self.subject.lower() in (*registry.names(), *registry.regressor_names()):
            return True
        if file.suffix or file.name != self.subject:
            return False
        known = registry.listed_names()
        raise CrakeError(f"there is no model file and no learner {self.subject!r}; learners: {known}")

    def _refuse(self, *, is_learner: bool) -> None:
        if self.plan is not None and self.test is not None:
            raise CrakeError(
                f"--plan {self.plan} and --test {self.test} are both given; a plan tests rows of TABLE itself"
            )
        if is_learner:
            return
        columns = (self.reading.nominal, self.reading.numeric, self.reading.text, self.reading.ignore)
        reasons = {
            "--set": (self.settings, "the parameters are the model's"),
            "--test": (self.test, "a model file is tested on TABLE"),
            "--nominal, --numeric, --text and --ignore": (any(columns), "the model says how columns are read"),
        }
        for option, (is_given, why) in reasons.items():
            if is_given:
                raise CrakeError(f"{self.subject} is a model file: {why}; leave {option} out, or name a learner")

    def _of_model(self, model: Any, costs: CostMatrix | None, output: Output) -> Shown:
        """The model as it is, on the rows of the table."""
        from crake.evaluation.protocol.fitted_model import evaluate_model  # noqa: PLC0415
        from crake.evaluation.report.single_board import board_of_test  # noqa: PLC0415
        from crake.learners.base.scoring import Scoring  # noqa: PLC0415

        say_if_compiling(output, COMPARING_SECONDS)
        table = self._read_for(model)
        scoring = Scoring(model, table)
        chosen = class_called(self.positive, model.schema_.classes)
        evaluation = evaluate_model(model, table, positive=chosen, scoring=scoring)
        notes = (*self.reading.remembered(model), *table.notes, *scoring.notes)
        board = board_of_test(evaluation, warnings=scoring.warnings(), notes=notes, costs=costs, errors=self.errors)
        called = "" if chosen is None else f", positive={chosen!r}"
        python = (
            f"import crake\nmodel = crake.load({json.dumps(self.subject)})\ntable = {read_call(self.reading)}\n"
            f"found = crake.Evaluation.of_model(model, table{called})\nprint(found)"
        )
        lines = (("Command line", self.command_line()), ("Python", python + self._cost_lines()))
        return Shown(evaluation, replace(board, reproduce=lines), None, costs, self.errors, (model, table))

    def _of_learner(self, learner: Any, table: Table, model: Any, costs: CostMatrix | None, progress: bool) -> Shown:
        """The learner, or that of a model file, refitted: on parts of the table, or on all of it for a test table."""
        from sklearn.base import clone  # noqa: PLC0415

        from crake import plans  # noqa: PLC0415
        from crake.evaluation.compare import compare  # noqa: PLC0415
        from crake.evaluation.report.single_board import board_of_test  # noqa: PLC0415
        from crake.learners.registry import title_of  # noqa: PLC0415

        text = self.plan or DEFAULT_PLAN
        plan = plans.from_text(text, self.seed)
        if self.plan is not None:
            refuse_too_many_folds(plan, text, table)
        how = {"plan": plan} if self.test is None else {"test": test_table(self.reading, self.test, table)}
        chosen = class_called(self.positive, table.schema.classes)
        fresh = clone(learner)
        beside = [] if title_of(fresh) == title_of_majority() else ["majority"]
        with reported(wanted=progress) as report:
            found = compare(table, learners=[fresh, *beside], positive=chosen, progress=report, **how)
        evaluation, *others = found.evaluations
        baseline = others[0] if others else None
        notes = (*self.refitted(model, evaluation.name), *found.notes)
        board = board_of_test(
            evaluation, warnings=found.warnings, notes=notes, baseline=baseline, costs=costs, errors=self.errors
        )
        lines = (("Command line", self.command_line()), ("Python", self._python(plan, chosen, model)))
        return Shown(evaluation, replace(board, reproduce=lines), baseline, costs, self.errors)

    def _read_for(self, model: Any) -> Table:
        from crake.table.column_options import Expected  # noqa: PLC0415

        asked = replace(self.reading, target=self.reading.target or model.schema_.target)
        return asked.table(Expected.of_model(model, target=asked.target))

    def refitted(self, model: Any, name: str) -> tuple[str, ...]:
        """A note, where the learner of a model file was refitted."""
        if model is None:
            return ()
        return (
            f"{name}, the learner of {self.subject}, was refitted with its parameters; the model itself is not tested",
        )

    def command_line(self) -> str:
        """The line that gives the same again."""
        words = ["crake", "evaluate", self.subject, *reading_arguments(self.reading)]
        words += given(plan=self.plan, test=self.test)
        words += [word for setting in self.settings for word in ("--set", setting)]
        words += given(positive=self.positive, cost=self.cost, errors=self.errors or None)
        is_drawn = self.reading.sample is not None or self.plan is not None or self._is_learner()
        return shlex.join([*words, *(["--seed", str(self.seed)] if is_drawn else [])])

    def _python(self, plan: Any, positive: Any, model: Any) -> str:
        learner, table = self._learner_in_python(), tables_read(self.reading, self.test)
        if model is not None:
            learner = "clone(model)"
            target = self.reading.target or model.schema_.target
            expected = f"target={json.dumps(target)}, expected=Expected.of_model(model, target={json.dumps(target)}))"
            read = read_call(replace(self.reading, target=None, sample=None)).removesuffix(")")
            drawn, seed = self.reading.sample, self.reading.seed
            sample = "" if drawn is None else f".sample({drawn}, random_state={seed})"
            table = (
                "import crake\nfrom sklearn.base import clone\nfrom crake.table.column_options import Expected\n"
                f"model = crake.load({json.dumps(self.subject)})\ntable = {read}, {expected}{sample}"
            )
        how = f"plan=crake.{plan!r}" if self.test is None else "test=test"
        called = "" if positive is None else f", positive={positive!r}"
        return f"{table}\nfound = crake.evaluate({learner}, table, {how}{called})\nprint(found)" + self._cost_lines()

    def _learner_in_python(self) -> str:
        if not self.settings:
            return json.dumps(self.subject)
        name = type(configured(self.subject, self.settings)).__name__
        return f"crake.{name}({', '.join(f'{key}={value!r}' for key, value in map(parameter, self.settings))})"

    def _cost_lines(self) -> str:
        if self.cost is None:
            return ""
        file = json.dumps(str(self.cost))
        cheapest = "found.with_least_cost(costs).mean_cost(costs)"
        return f"\ncosts = crake.CostMatrix.read({file})\nprint(found.mean_cost(costs), {cheapest})"


def title_of_majority() -> str:
    """What the majority class is called."""
    from crake.learners.majority.learner import MajorityClassifier  # noqa: PLC0415
    from crake.learners.registry import title_of  # noqa: PLC0415

    return title_of(MajorityClassifier())
