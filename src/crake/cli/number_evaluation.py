"""A regressor evaluated: a model file on rows with the true numbers, or its learner refitted under a plan."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.output import Output
from crake.cli.progress import reported
from crake.cli.reproduce import read_call
from crake.errors import CrakeError

if TYPE_CHECKING:
    from rich.text import Text

    from crake.cli.one_evaluation import Asked
    from crake.evaluation.numbers import NumberEvaluation
    from crake.render.number_report.summary import NumberReport
    from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class ShownNumbers:
    """An evaluation of numbers and what is shown of it."""

    evaluation: NumberEvaluation
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    reproduce: tuple[tuple[str, str], ...]
    errors: int
    fitted: tuple[Any, Table] | None = None

    def report(self, *, show_rows: bool = False, with_model: bool = True) -> NumberReport:
        """The whole report; the model is `fitted`, or else learned from all rows."""
        from crake.evaluation.number_report import number_report  # noqa: PLC0415 (numpy only when there is work)

        return number_report(
            self.evaluation,
            fitted=self.fitted,
            with_model=with_model,
            show_rows=show_rows,
            errors=self.errors,
            warnings=self.warnings,
            notes=self.notes,
            reproduce=self.reproduce,
        )

    def text(self, width: int) -> Text:
        """The report without its model, for a terminal; tables are not broken."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width
        return Text(str(replace(self.report(with_model=False), plots=())))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return replace(self.report(with_model=False), plots=()).to_dict()


def evaluated_numbers(asked: Asked, model: Any, output: Output, *, progress: bool) -> ShownNumbers:
    """The regressor as it is, or refitted with its parameters on parts of the table."""
    _refuse(asked)
    say_if_compiling(output, COMPARING_SECONDS)
    table = _read_for(asked, model)
    if asked.plan is None:
        return _of_model(asked, model, table)
    return _of_learner(asked, model, table, progress=progress)


def _refuse(asked: Asked) -> None:
    """Options that speak of classes."""
    for option, given in (("--positive", asked.positive), ("--cost", asked.cost)):
        if given is not None:
            raise CrakeError(f"{asked.subject} predicts a number: {option} speaks of classes; leave it out")


def _read_for(asked: Asked, model: Any) -> Table:
    from crake.table.overrides import Expected  # noqa: PLC0415
    from crake.table.schema import Kind  # noqa: PLC0415

    target: str = asked.reading.target or model.schema_.target
    expected = Expected.of_model(model)
    expected = replace(expected, kinds={**expected.kinds, target: Kind.NUMERIC})
    return replace(asked.reading, target=target).table(expected)


def _of_model(asked: Asked, model: Any, table: Table) -> ShownNumbers:
    from crake.evaluation.tested_numbers import evaluate_regressor, new_to_model  # noqa: PLC0415

    evaluation = evaluate_regressor(model, table)
    warnings, unused = new_to_model(model, table)
    notes = (*asked.reading.remembered(model), *table.notes, *unused)
    python = (
        f"import crake\nmodel = crake.load({json.dumps(asked.subject)})\ntable = {read_call(asked.reading)}\n"
        "found = crake.NumberEvaluation.of_model(model, table)\nprint(found)"
    )
    lines = (("Command line", asked.command_line()), ("Python", python))
    return ShownNumbers(evaluation, warnings, notes, lines, asked.errors, (model, table))


def _of_learner(asked: Asked, model: Any, table: Table, *, progress: bool) -> ShownNumbers:
    from sklearn.base import clone  # noqa: PLC0415

    from crake import plans  # noqa: PLC0415
    from crake.evaluation.evaluate import evaluate  # noqa: PLC0415

    plan = plans.from_text(asked.plan or "", asked.seed)
    if getattr(plan, "stratified", False):
        plan = replace(plan, stratified=False)  # type: ignore[type-var]  # numbers have no classes to share out
    with reported(wanted=progress) as report:
        steps = None if report is None else partial(report, type(model).__name__)
        evaluation: Any = evaluate(clone(model), table, plan=plan, progress=steps)
    note = f"{evaluation.name} of {asked.subject} was refitted with its parameters; the model itself is not tested"
    lines = (("Command line", asked.command_line()),)
    return ShownNumbers(evaluation, (), (note, *table.notes), lines, asked.errors)
