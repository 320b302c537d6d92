"""A regressor evaluated: a model file on rows with the true numbers, or a learner under a plan or on a test table."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.output import Output
from crake.cli.progress import reported
from crake.cli.requests.costs import refuse_too_many_folds
from crake.cli.requests.learner import refuse_class_options, warnings_for
from crake.cli.requests.parameters import parameter
from crake.cli.requests.reproduce import DEFAULT_PLAN, read_call, reading_of_test, requoted, tables_read

if TYPE_CHECKING:
    from rich.text import Text

    from crake.cli.requests.evaluation import Asked
    from crake.cli.requests.table import Reading
    from crake.evaluation.result.regression import NumberEvaluation
    from crake.render.report.report import Report
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

    def report(self, *, show_rows: bool = False, with_model: bool = True, with_plots: bool = True) -> Report:
        """The whole report; the model is `fitted`, or else learned from all rows."""
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
        """The report without its model, for a terminal; tables are not broken."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width
        return Text(str(self.report(with_model=False, with_plots=False)))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self.report(with_model=False, with_plots=False).to_dict()


def evaluated_numbers(asked: Asked, model: Any, output: Output, *, progress: bool) -> ShownNumbers:
    """The regressor of a file as it is, or refitted with its parameters on parts of the table."""
    _refuse(asked)
    say_if_compiling(output, COMPARING_SECONDS)
    table = _held(read_numbers(asked.reading, model))
    if asked.plan is None:
        warnings, unused = _new_to(model, table)
        notes = (*asked.reading.remembered(model), *table.notes, *unused)
        return _tested(asked, model, table, warnings, notes, _python_of_model(asked))
    found = _refitted(asked, model, table, progress=progress)
    notes = (*asked.refitted(model, found.name), *table.notes)
    return ShownNumbers(found, (), notes, _lines(asked), asked.errors)


def evaluated_regressor(asked: Asked, learner: Any, table: Table, *, progress: bool) -> ShownNumbers:
    """A learner by its name: on parts of the table, or learned from all of it and tested on another."""
    _refuse(asked)
    _held(table)
    if asked.test is None:
        if asked.plan is not None:
            refuse_too_many_folds(_plan(asked), asked.plan, table)
        found = _refitted(asked, learner, table, progress=progress)
        call = f"found = crake.evaluate({_in_python(asked, learner)}, table, plan=crake.{_plan(asked)!r})"
        python = f"{tables_read(asked.reading)}\n{call}\nprint(found)"
        warnings = warnings_for(learner, table)
        return ShownNumbers(found, warnings, table.notes, _lines(asked, python), asked.errors)
    model = learner.fit(table)
    test = _held(read_numbers(reading_of_test(asked.reading, asked.test), model))
    warnings, unused = _new_to(model, test)
    warnings = (*warnings_for(learner, table), *warnings)
    return _tested(asked, model, test, warnings, (*test.notes, *unused), _python_of_test(asked, learner, test))


def unstratified(plan: Any) -> Any:
    """The plan without the sharing out of classes, which numbers do not have."""
    return replace(plan, stratified=False) if getattr(plan, "stratified", False) else plan


def _refuse(asked: Asked) -> None:
    refuse_class_options(asked.subject, {"--positive": asked.positive, "--cost": asked.cost})


def _held(table: Table) -> Table:
    """Return the table; raise if its rows are not in memory."""
    table.require_memory("testing predicted numbers")
    return table


def read_numbers(reading: Reading, model: Any) -> Table:
    """The table as a regressor expects it, with the true numbers as its target."""
    from crake.table.column_options import Expected  # noqa: PLC0415
    from crake.table.schema import Kind  # noqa: PLC0415

    target: str = reading.target or model.schema_.target
    expected = Expected.of_model(model)
    expected = replace(expected, kinds={**expected.kinds, target: Kind.NUMERIC})
    return replace(reading, target=target, numeric=requoted([target])).table(expected)


def _new_to(model: Any, table: Table) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from crake.evaluation.protocol.fitted_regressor import new_to_model  # noqa: PLC0415

    return new_to_model(model, table)


def _tested(
    asked: Asked, model: Any, table: Table, warnings: tuple[str, ...], notes: tuple[str, ...], python: str
) -> ShownNumbers:
    from crake.evaluation.protocol.fitted_regressor import evaluate_regressor  # noqa: PLC0415

    found = evaluate_regressor(model, table)
    return ShownNumbers(found, warnings, notes, _lines(asked, python), asked.errors, (model, table))


def _refitted(asked: Asked, learner: Any, table: Table, *, progress: bool) -> NumberEvaluation:
    from sklearn.base import clone  # noqa: PLC0415

    from crake.evaluation.evaluate import evaluate  # noqa: PLC0415
    from crake.learners.registry import title_of  # noqa: PLC0415

    with reported(wanted=progress) as report:
        steps = None if report is None else partial(report, title_of(learner))
        found: NumberEvaluation = evaluate(clone(learner), table, plan=_plan(asked), progress=steps)
    return found


def _plan(asked: Asked) -> Any:
    from crake import plans  # noqa: PLC0415

    return unstratified(plans.from_text(asked.plan or DEFAULT_PLAN, asked.seed))


def _lines(asked: Asked, python: str = "") -> tuple[tuple[str, str], ...]:
    return (("Command line", asked.command_line()), *([("Python", python)] if python else []))


def _python_of_model(asked: Asked) -> str:
    return (
        f"import crake\nmodel = crake.load({json.dumps(asked.subject)})\ntable = {read_call(asked.reading)}\n"
        "found = crake.NumberEvaluation.of_model(model, table)\nprint(found)"
    )


def _python_of_test(asked: Asked, learner: Any, test: Table) -> str:
    target = test.schema.target or ""
    reading = replace(reading_of_test(asked.reading, asked.test or "", target), numeric=requoted([target]))
    return (
        f"{tables_read(asked.reading)}\nmodel = {_in_python(asked, learner)}.fit(table)\ntest = {read_call(reading)}\n"
        "found = crake.NumberEvaluation.of_model(model, test)\nprint(found)"
    )


def _in_python(asked: Asked, learner: Any) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in map(parameter, asked.settings))
    return f"crake.{type(learner).__name__}({given})"
