"""Training: a learner on all rows of a table, written to a model file, with an honest estimate beside it."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crake.errors import CrakeError
from crake.files import check_writable
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.workbench.calls import Expression, Script, call, instance, printed, public
from crake.workbench.cutoff import Cutoff
from crake.workbench.first_run import note_compiling
from crake.workbench.fitting import Fit, fit
from crake.workbench.learners.balance import balanced_call, balanced_learner, check_balance
from crake.workbench.learners.best import BEST, comparison_for, fit_best
from crake.workbench.learners.columns import check_select, without_useless
from crake.workbench.learners.import_path import refuse_in_model_file
from crake.workbench.models import Learner, check_class_options, is_regressor, warnings_for
from crake.workbench.plans import check_folds, plan_named
from crake.workbench.progress import SILENT, Progress, Scans, also_watched, peak_of_process
from crake.workbench.request import DEFAULT_PLAN, Request, options, settings
from crake.workbench.table import MODEL, RESULT, TABLE, TableRequest

if TYPE_CHECKING:
    from rich.text import Text

    from crake.table.table import Table
    from crake.workbench.estimate import Estimate

MANY_NODES = 100_000
"""Nodes from which a tree is a good part of what a process holds."""

LINES_SHOWN = 24
"""Lines of the model that are printed; `print(crake.load(…))` shows all."""


@dataclass(frozen=True)
class TrainRequest(Request):
    """A learner to train on a table, and the file of the model; the learner `best` is the winner of a comparison.

    >>> TrainRequest(TableRequest("golf"), "naive-bayes", "golf.crake", {"alpha": 0}).command_line()
    'crake train golf --learner naive-bayes --set alpha=0 --seed 1 --output golf.crake'
    """

    table: TableRequest
    learner: str
    output: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cutoff: str | None = None
    cost: str | None = None
    positive: str | None = None
    estimate: bool = True
    plan: str = DEFAULT_PLAN
    seed: int = 1
    measure: str | None = None
    select: str | None = None
    balance: str | None = None

    command: ClassVar[str] = "train"

    def check(self) -> None:
        """Raise an error for a file that cannot be written, and for names, parameters and plans that do not exist."""
        self.table.check()
        check_writable(Path(self.output))
        if self._is_best():
            comparison_for(self).check()
        elif self.measure is not None:
            raise CrakeError(
                f"--measure {self.measure} chooses among learners: expected -l best, got -l {self.learner}"
            )
        else:
            for name in self._learner().names():
                refuse_in_model_file(name)
            self._learner().check()
        plan_named(self.plan, self.seed)
        check_select(self.select)
        check_balance(self.balance)
        self._cutoff().check()

    def run(self, progress: Progress = SILENT) -> TrainResult:
        """Read, train and estimate; write the file last, when nothing can fail any more."""
        self.check()
        note_compiling(progress)
        request, table = self._read()
        return replace(self, table=request)._train(table, progress)  # noqa: SLF001

    def _train(self, table: Table, progress: Progress) -> TrainResult:
        from crake.modelfile import save  # noqa: PLC0415 (numba and numpy only when there is work)

        progress.notes(table.notes)
        begin, scans = time.perf_counter(), Scans()
        if not table.in_memory:
            progress.notes(self._of_first_rows(table), "warning")
            table = also_watched(table, scans)
        fitted = fit_best(self, table, progress) if self._is_best() else self._fit(table, progress)
        progress.detail(f"trained on {len(table):,} rows in {time.perf_counter() - begin:.2f} s, estimate and all")
        file = Path(self.output)
        save(fitted.model, file)
        lines = {"Command line": self.command_line(), "Python": self.python(table)}
        result = TrainResult(fitted.model, table, file, file.stat().st_size, fitted.estimate, lines, fitted.reason)
        progress.notes(result.estimate_notes())
        if self.table.memory is not None and scans.number:
            _note_scans(progress, result, scans, self.table.memory)
        progress.note(f"written: {file} ({result.size:,} bytes)")
        return result

    def _of_first_rows(self, table: Table) -> tuple[str, ...]:
        """Return the warning of columns that look like ids: of rows in memory they would have been left out."""
        from crake.table.describe.warnings import warnings_of_first_rows  # noqa: PLC0415
        from crake.table.sources.scanned_table import first_rows  # noqa: PLC0415

        asked = self.table
        return warnings_of_first_rows(first_rows(table), {*asked.keep, *asked.nominal, *asked.numeric, *asked.text})

    def _fit(self, table: Table, progress: Progress) -> Fit:
        learner = self._for_table(table, progress)
        return fit(learner, table, self._plan(learner, table), progress)

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        plan = None if self.plan == DEFAULT_PLAN else self.plan
        return [
            *self.table.words(),
            *options(learner=self.learner, set=settings(self.parameters), cutoff=self.cutoff, cost=self.cost),
            *options(positive=self.positive, no_estimate=not self.estimate, plan=plan),
            *options(measure=self.measure, select=self.select, balance=self.balance, seed=self.seed),
            *options(output=self.output),
        ]

    def python(self, table: Table | None = None) -> str:
        """Return the lines that train and estimate in Python; `table` is read where it is not given."""
        request, table = self._read() if table is None else (self.table, table)
        if self._is_best():
            return comparison_for(replace(self, table=request)).python(table)
        model = self._learner().for_table(table)
        named: Expression = balanced_call(self._learner().python(model), self.balance, self.seed)
        if self.select is not None:
            named = call(public("SelectedRegressor" if is_regressor(model) else "Selected"), named, self.select)
        learner = self._cutoff().python(named, table.schema.classes)
        lines: list[tuple[str, Any]] = [("table", request.read_call(self.seed))]
        if self.estimate and table.in_memory:
            plan = instance(self._plan(model, table))
            lines += [("result", call(public("evaluate"), learner, TABLE, plan=plan)), ("", printed(RESULT))]
        lines += [("model", learner.then("fit", TABLE)), ("", call(public("save"), MODEL, self.output))]
        return str(Script(tuple(lines)))

    def _is_best(self) -> bool:
        return self.learner.lower() == BEST

    def _read(self) -> tuple[TableRequest, Table]:
        """Read the table to learn from, without columns from which nothing can be learned."""
        read = self.table.read_labelled(self.seed) if self._is_best() else self._learner().read(self.table, self.seed)
        return without_useless(*read, plan_named(self.plan, self.seed))

    def _learner(self) -> Learner:
        return Learner(self.learner, self.parameters)

    def _cutoff(self) -> Cutoff:
        return Cutoff(self.cutoff, self.cost, self.positive)

    def _plan(self, learner: Any, table: Table) -> Any:
        if not self.estimate:
            return None
        plan = plan_named(self.plan, self.seed, is_numeric=is_regressor(learner))
        if self.plan != DEFAULT_PLAN:
            check_folds(plan, self.plan, table)
        return plan

    def _for_table(self, table: Table, progress: Progress) -> Any:
        """Return the learner to fit; raise for what cannot be learned, note what is odd."""
        learner = self._learner().for_table(table)
        if is_regressor(learner):
            check_class_options(self.learner, {**self._cutoff().options(), "--balance": self.balance})
        elif table.in_memory:
            from crake.evaluation.protocol.arguments import check_tested_target  # noqa: PLC0415
            from crake.table.target import check_target  # noqa: PLC0415

            (check_tested_target if self.estimate else check_target)(table)
        progress.notes(warnings_for(learner, table), "warning")
        chosen = self._selecting(balanced_learner(learner, self.balance, self.seed))
        return chosen if is_regressor(learner) else self._cutoff().around(chosen, table.schema.classes)

    def _selecting(self, learner: Any) -> Any:
        if self.select is None:
            return learner
        from crake.evaluation.protocol.wrapped import selecting  # noqa: PLC0415

        return selecting(learner, self.select)


@dataclass(frozen=True, eq=False)
class TrainResult:
    """A model, its file, and its estimate."""

    model: Any
    table: Table
    file: Path
    size: int
    estimate: Estimate | None
    reproduce: Mapping[str, str]
    reason: str = ""

    def sentence(self) -> str:
        """Return the estimate in one sentence, or how to get one."""
        if self.estimate is not None:
            return self.estimate.sentence()
        reason = f" ({self.reason})" if self.reason else ""
        errors = "errors" if is_regressor(self.model) else "accuracy"
        return f"no estimate of its {errors}{reason}: crake evaluate {shlex.quote(str(self.file))} TEST-TABLE gives one"

    def estimate_notes(self) -> tuple[str, ...]:
        """Return where the plan gave way, and which rows were left out."""
        return () if self.estimate is None else self.estimate.notes

    def text(self, width: int) -> Text:
        """Return the model in short, and what to expect of it; lines of tables are not broken."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width
        model = "\n".join([*shortened(str(self.model), self.file), ""])
        return Text("\n").join([Text(model), Text(self.sentence(), style="bold")])

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the schema "crake-train/1"; `classes` is null for a regressor."""
        from crake.learners.registry import title_of  # noqa: PLC0415

        classes = None if is_regressor(self.model) else [str(label) for label in self.model.classes_]
        return {
            "schema": "crake-train/1",
            "table": self.table.name,
            "rows": len(self.table),
            "rows_left_out": int(self.model.left_out_),
            "target": self.table.schema.target,
            "classes": classes,
            "learner": title_of(self.model),
            "parameters": json.loads(json.dumps(self.model.get_params(deep=False), default=str)),
            **({"cutoff": self.model.cutoff_dict()} if hasattr(self.model, "cutoff_dict") else {}),
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
            "model": {"file": str(self.file), "bytes": self.size},
            "notes": [*self.table.notes, *self.estimate_notes()],
            "reproduce": dict(self.reproduce),
        }

    def page(self) -> str:
        """Return one HTML page, with the model drawn."""
        from crake.modelfile import describe  # noqa: PLC0415
        from crake.workbench.describe import DescribedModel  # noqa: PLC0415

        return DescribedModel(self.file, self.model, describe(self.file)).page()


def _note_scans(progress: Progress, result: TrainResult, scans: Scans, limit: str) -> None:
    """Say how often the table was scanned, and the memory that all took; warn where that is more than the limit."""
    from crake.table.sources.scanned_table import bytes_of  # noqa: PLC0415

    peak, times = peak_of_process(), "once" if scans.number == 1 else f"{scans.number} times"
    taken = "" if peak is None else f"; the process took at most {peak // 1_000_000:,} MB"
    progress.note(f"{result.table.name} was scanned {times} under --memory {limit}{taken}")
    if peak is not None and peak > bytes_of(limit):
        progress.notes([f"that is more than --memory {limit}: {_beyond_the_limit(result)}"], "warning")


def _beyond_the_limit(result: TrainResult) -> str:
    """Return what takes memory beside the rows, and what makes it less."""
    nodes = len(getattr(result.model, "tree_", ()))
    if nodes > MANY_NODES:
        return (
            f"the tree itself has {nodes:,} nodes; --set max_depth=10, --set min_samples_leaf=100 "
            "or pruning makes it smaller"
        )
    base = "Python and its libraries take some 300 MB, and compiled code up to 150 more"
    return base if result.estimate is None else f"{base}; --no-estimate takes less"


def shortened(text: str, file: Path) -> list[str]:
    r"""Return the first lines of a model and how to see the others; its notes are always among them.

    >>> shortened("a\nb", Path("m.crake"))
    ['a', 'b']
    >>> shortened("a\n" * 30 + "note: not converged", Path("m.crake"))[-1]
    'note: not converged'
    """
    lines = [visible(line) for line in text.splitlines()]
    if len(lines) <= LINES_SHOWN:
        return lines
    # Cut between two tables of the model where that loses little.
    last = next((k for k in range(LINES_SHOWN, LINES_SHOWN // 2, -1) if not lines[k]), LINES_SHOWN)
    printing = f"python -c 'import crake; print(crake.load({json.dumps(str(file))}))'"
    more = f"… {counted(len(lines) - last, 'more line')}: {printing}"
    return [*lines[:last], more, *(line for line in lines[last:] if line.startswith("note: "))]
