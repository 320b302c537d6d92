"""`crake train`: a learner on all rows of a table, written to a model file, with an honest estimate beside it."""

from __future__ import annotations

import json
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crake.cli import options as o
from crake.cli.first_run import COMPARING_SECONDS, say_if_compiling
from crake.cli.output import Output, refuse_unwritable
from crake.cli.progress import Report, reported
from crake.cli.requests import cutoff as c
from crake.cli.requests.costs import refuse_too_many_folds
from crake.cli.requests.learner import Chosen, refuse_class_options, warnings_for
from crake.cli.requests.model import is_regressor
from crake.cli.requests.regression_evaluation import unstratified
from crake.cli.requests.reproduce import DEFAULT_PLAN, given, reading_arguments
from crake.cli.requests.table import Reading
from crake.cli.requests.training_scan import fitted_in_scans
from crake.cli.table_options import reads_table
from crake.render.plain_text import visible

if TYPE_CHECKING:
    from rich.text import Text

    from crake.cli.requests.estimate import Estimated
    from crake.cli.requests.training_scan import Fitted
    from crake.table.table import Table

LINES_SHOWN = 24
"""Lines of the model that are printed; `print(crake.load(…))` shows all."""

LearnerOption = Annotated[
    str,
    typer.Option(
        "--learner",
        "-l",
        metavar="NAME",
        help="Which learner: a name of crake compare; for a target of numbers linear, knn or cart.",
        rich_help_panel=o.RUNNING,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner.", rich_help_panel=o.RUNNING),
]
ModelOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes.", rich_help_panel=o.SHOWING)
]
NoEstimateOption = Annotated[
    bool, typer.Option("--no-estimate", help="Only train; no cross-validation.", rich_help_panel=o.RUNNING)
]


@dataclass(frozen=True)
class Trained:
    """A model, where it was written, and what it is worth as far as the training table tells."""

    model: Any
    table: Table
    file: Path
    size: int
    estimate: Estimated | None
    command: str
    why_not: str = ""

    def lines(self) -> list[str]:
        """The model in short, and one line on what to expect of it."""
        return [*shortened(str(self.model), self.file), "", self.sentence()]

    def sentence(self) -> str:
        """The measures on rows not seen, how they were estimated, and what answering always the same gives."""
        if self.estimate is not None:
            return self.estimate.sentence()
        why = f" ({self.why_not})" if self.why_not else ""
        what = "errors" if is_regressor(self.model) else "accuracy"
        return f"no estimate of its {what}{why}: crake evaluate {shlex.quote(str(self.file))} TEST-TABLE gives one"

    def estimate_notes(self) -> tuple[str, ...]:
        """What the estimate says of itself: where the plan gave way, which rows were left out."""
        return () if self.estimate is None else self.estimate.notes

    def to_dict(self) -> dict[str, Any]:
        """For JSON, under the schema "crake-train/1"; `classes` is null where a number is predicted."""
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
            "reproduce": {"Command line": self.command},
        }


@reads_table()
def train(
    reading: Reading,
    output: ModelOption,
    learner: LearnerOption,
    settings: SetOption = None,
    cutoff: c.CutoffOption = None,
    cost: c.CostOption = None,
    positive: c.PositiveOption = None,
    no_estimate: NoEstimateOption = False,
    plan: o.PlanOption = DEFAULT_PLAN,
    seed: o.SeedOption = 1,
    threads: o.ThreadsOption = None,
    as_json: o.JsonOption = False,
    quiet: o.QuietOption = False,
    verbose: o.VerboseOption = False,
    no_progress: o.NoProgressOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Train a learner on all rows of a table and write the model to a file that is safe to share."""
    show = Output(as_json=as_json, html=None, quiet=quiet, verbose=verbose)
    refuse_unwritable(output)
    words = [*reading_arguments(reading), "--learner", learner]
    words += [word for setting in settings or () for word in ("--set", setting)]
    by_cutoff = c.AskedCutoff(cutoff, cost, positive)
    words += by_cutoff.words()
    words += ["--no-estimate"] if no_estimate else given(plan=None if plan == DEFAULT_PLAN else plan)
    command = shlex.join(["crake", "train", *words, "--seed", str(seed), "-o", str(output)])
    estimated_by = None if no_estimate else plan
    asked = Asked(reading, learner, tuple(settings or ()), by_cutoff, estimated_by, seed, threads, output)
    trained = asked.trained(show, command, progress=not quiet and not no_progress)
    show.show(lambda width: _text(trained, width), trained.to_dict, str)
    for note in trained.estimate_notes():
        show.note(f"note: {note}")
    show.note(f"written: {output} ({trained.size:,} bytes)")


@dataclass(frozen=True)
class Asked:
    """What was asked for; `plan` None for no estimate."""

    reading: Reading
    learner: str
    settings: tuple[str, ...]
    cutoff: c.AskedCutoff
    plan: str | None
    seed: int
    threads: int | None
    file: Path

    def trained(self, show: Output, command: str, *, progress: bool) -> Trained:
        """Read, train, estimate; the file is written last, when nothing can fail any more."""
        from crake import plans  # noqa: PLC0415 (numba and numpy only when there is work)
        from crake.kernels.threads import limited  # noqa: PLC0415
        from crake.modelfile import save  # noqa: PLC0415

        chosen = Chosen(self.learner, self.settings)
        chosen.check()
        plan = None if self.plan is None else plans.from_text(self.plan, self.seed)
        say_if_compiling(show, COMPARING_SECONDS)
        with limited(self.threads), reported(wanted=progress) as report:
            _, table = chosen.read(self.reading)
            learner = self._learner(chosen, table, show)
            if self.plan not in (None, DEFAULT_PLAN):
                refuse_too_many_folds(plan, str(self.plan), table)
            begin = time.perf_counter()
            fitted = _fitted_in_memory if table.in_memory else fitted_in_scans
            model, estimate, why_not = fitted(learner, table, plan, report)
            show.detail(f"trained on {len(table):,} rows in {time.perf_counter() - begin:.2f} s, estimate and all")
        save(model, self.file)
        return Trained(model, table, self.file, self.file.stat().st_size, estimate, command, why_not)

    def _learner(self, chosen: Chosen, table: Table, show: Output) -> Any:
        """What is to be fitted; what cannot be learned is refused, what is odd is said."""
        for note in table.notes:
            show.note(f"note: {note}")
        learner = chosen.of(table)
        if is_regressor(learner):
            refuse_class_options(self.learner, self.cutoff.options())
        elif table.in_memory:
            from crake.table.target import check_target  # noqa: PLC0415

            check_target(table)
        for warning in warnings_for(learner, table):
            show.note(f"warning: {warning}")
        return learner if is_regressor(learner) else self.cutoff.around(learner, table.schema.classes)


def _fitted_in_memory(learner: Any, table: Table, plan: Any, report: Report | None) -> Fitted:
    """The model; cross-validation of the learner and, of classes, of the majority class on the same folds."""
    if plan is None:
        return learner.fit(table), None, ""
    from sklearn.base import clone  # noqa: PLC0415

    from crake.cli.requests.estimate import ClassEstimate, NumberEstimate  # noqa: PLC0415
    from crake.evaluation.evaluate import evaluate  # noqa: PLC0415
    from crake.evaluation.protocol.plan_columns import with_its_column  # noqa: PLC0415

    # What is estimated is what is trained: a column that groups the rows is learned from by neither.
    model = learner.fit(with_its_column(plan, table)[1])

    def folds(done: int, total: int) -> None:
        if report is not None:
            report("folds", done, total)

    if is_regressor(learner):
        numbers: Any = evaluate(clone(learner), table, plan=unstratified(plan), progress=folds)
        return model, NumberEstimate(numbers), ""
    found = evaluate(clone(learner), table, plan=plan, progress=folds)
    return model, ClassEstimate(found, evaluate("majority", table, plan=plan)), ""


def shortened(text: str, file: Path) -> list[str]:
    r"""The first lines of a model, how to see the others, and its notes, which are never among those left out.

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
    more = f"… {len(lines) - last} more lines: python -c 'import crake; print(crake.load({json.dumps(str(file))}))'"
    return [*lines[:last], more, *(line for line in lines[last:] if line.startswith("note: "))]


def _text(trained: Trained, width: int) -> Text:
    from rich.text import Text  # noqa: PLC0415

    del width  # lines of tables are not broken
    *model, sentence = trained.lines()
    return Text("\n").join([Text("\n".join(model)), Text(sentence, style="bold")])
