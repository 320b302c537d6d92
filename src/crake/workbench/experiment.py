"""Experiments: tables × learners × repeats as a TOML file says, resumable."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crake.errors import CrakeError
from crake.files import check_writable
from crake.workbench.calls import Expression, Script, call, instance, printed, public
from crake.workbench.documents import from_document
from crake.workbench.first_run import note_compiling
from crake.workbench.models import Learner, has_numeric_target
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, argument, changed, options
from crake.workbench.table import RESULT, TableRequest, notes_on_columns

if TYPE_CHECKING:
    from rich.text import Text

    from crake.evaluation.experiment import Experiment, ExperimentResult
    from crake.render.experiment.board import ExperimentBoard
    from crake.table.table import Table

ReadTables = Mapping[str, tuple[TableRequest, "Table"]]
"""Tables by name, each with the request that reads it so again."""
_KEYS = (
    'in a grid these options are keys of the table: { source = "t.csv", target = "y", keep = ["id"], date_parts = [] }'
)
_EXAMPLES = {"tables": 'tables = ["iris"]', "learners": 'learners = ["1r", "c4.5"]'}


@dataclass(frozen=True)
class ExperimentRequest(Request):
    """A grid file, and what takes the place of its output, measure and baseline; `jobs` cells run at a time.

    >>> ExperimentRequest("grid.toml", measure="auc").command_line()
    'crake experiment grid.toml --measure auc'
    """

    grid: str
    output: str | None = None
    measure: str | None = None
    baseline: str | None = None
    jobs: int = 1
    csv: str | None = None

    command: ClassVar[str] = "experiment"

    def check(self) -> None:
        """Raise an error for a grid with unknown keys or learners, and for files that cannot be written."""
        if self.csv is not None:
            check_writable(Path(self.csv))
        self._grid().check_learners(Path(self.grid))

    def run(self, progress: Progress = SILENT) -> ExperimentRun:
        """Read the tables and work on the cells that the file of results does not have yet."""
        self.check()
        note_compiling(progress)
        tables, output = self._grid().tables_to_learn(Path(self.grid)), self.results_file()
        notes = [f"{name}: {note}" for name, (_, table) in tables.items() for note in notes_on_columns(table)]
        progress.notes([*notes, *([_KEYS] if notes else [])])
        experiment = self._grid().experiment(Path(self.grid), tables)
        learners, repeats = len(experiment.learners), experiment.repeats
        cells = len(tables) * learners * repeats
        progress.detail(f"{len(tables)} tables, {learners} learners, {repeats} repeats: {cells} cells")
        result = experiment.run(output, progress=progress.steps, n_jobs=self.jobs if self.jobs > 1 else None)
        progress.note(f"results: {output}")
        if self.csv is not None:
            result.to_csv(self.csv)
            progress.note(f"written: {self.csv}")
        lines = (("Command line", self.command_line()), ("Python", self.python(tables)))
        return ExperimentRun(result, lines)

    def experiment(self) -> Experiment:
        """Return the experiment, its tables read and its learners made."""
        grid, file = self._grid(), Path(self.grid)
        return grid.experiment(file, grid.tables_to_learn(file))

    def results_file(self) -> Path:
        """Return the file of results: the request's, the grid's, or one beside the grid."""
        file = Path(self.grid)
        return (
            Path(self.output)
            if self.output is not None
            else file.parent / (self._grid().output or f"{file.stem}.duckdb")
        )

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        more = options(output=self.output, measure=self.measure, baseline=self.baseline, csv=self.csv)
        return [argument(self.grid), *more, *options(jobs=changed(self.jobs, 1))]

    def python(self, tables: ReadTables | None = None) -> str:
        """Return the lines that run the experiment in Python; the tables are read where they are not given."""
        grid, file = self._grid(), Path(self.grid)
        tables = grid.tables_to_learn(file) if tables is None else tables
        is_numeric = _is_numeric(tables)
        experiment = call(
            public("Experiment"),
            {name: request.read_call(grid.seed) for name, (request, _) in tables.items()},
            grid.learner_calls(file, is_numeric=is_numeric),
            plan=instance(grid.plan(is_numeric=is_numeric)),
            repeats=grid.repeats,
            measure=grid.measure,
            baseline=grid.baseline,
        )
        run = experiment.then("run", str(self.results_file()))
        return str(Script((("result", run), ("", printed(RESULT)))))

    def _grid(self) -> Grid:
        grid = read_grid(Path(self.grid))
        return replace(grid, measure=self.measure or grid.measure, baseline=self.baseline or grid.baseline)


@dataclass(frozen=True)
class TableEntry(TableRequest):
    """A table of a grid, with the name that the result shows."""

    name: str | None = None

    command: ClassVar[str] = "table"

    def beside(self, file: Path) -> TableEntry:
        """Return the entry with its path, which is relative to the grid file."""
        path = file.parent / self.source
        return replace(self, source=str(path)) if path.exists() or Path(self.source).suffix else self


@dataclass(frozen=True)
class LearnerEntry:
    """A learner of a grid, with its parameters and the name that the result shows."""

    learner: str
    name: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def request(self) -> Learner:
        """Return the learner by name and parameters."""
        return Learner(self.learner, self.parameters)


@dataclass(frozen=True)
class Grid:
    """The content of a grid file; paths are relative to it."""

    tables: tuple[TableEntry, ...]
    learners: tuple[LearnerEntry, ...]
    folds: int = 10
    stratified: bool = True
    repeats: int = 10
    seed: int = 1
    measure: str | None = None
    baseline: str | None = None
    output: str | None = None

    def plan(self, *, is_numeric: bool) -> Any:
        """Return the plan of the first repeat; the folds of a numeric target have no classes to share out."""
        from crake.plans import CrossValidation  # noqa: PLC0415 (numpy only when there is work)

        return CrossValidation(self.folds, stratified=self.stratified and not is_numeric, random_state=self.seed)

    def experiment(self, file: Path, tables: ReadTables) -> Experiment:
        """Return the experiment on tables that were read, its learners made."""
        from crake.evaluation.experiment import Experiment  # noqa: PLC0415 (numba and numpy only when there is work)

        is_numeric = _is_numeric(tables)
        return Experiment(
            {name: table for name, (_, table) in tables.items()},
            self.named_learners(file, is_numeric=is_numeric),
            plan=self.plan(is_numeric=is_numeric),
            repeats=self.repeats,
            measure=self.measure,
            baseline=0 if self.baseline is None else self.baseline,
        )

    def tables_to_learn(self, file: Path) -> ReadTables:
        """Read the tables, by name; as in `compare`, columns that say nothing are left out and parts of dates added."""
        from crake.workbench.learners.columns import without_useless  # noqa: PLC0415

        tables = []
        for number, entry in enumerate(self.tables, 1):
            request, table = without_useless(*entry.beside(file).read_labelled(self.seed))
            if table.schema.target is None:
                columns = ", ".join(table.schema.names[:20])
                raise CrakeError(
                    f'{file}, table {number}: {table.name} has no target; expected target = "...". Columns: {columns}'
                )
            tables.append((entry.name or table.name, (request, table)))
        return _distinct(tables, "table", file)

    def check_learners(self, file: Path) -> None:
        """Raise an error for unknown learners, parameters and folds, before any table is read."""
        try:
            for entry in self.learners:
                entry.request().check()
        except CrakeError as error:
            raise CrakeError(f"{file}: {error}") from None
        self.plan(is_numeric=False)

    def named_learners(self, file: Path, *, is_numeric: bool) -> dict[str, Any]:
        """Return the learners by name, for tables with a numeric target or with classes."""
        from crake.learners.registry import title_of  # noqa: PLC0415

        learners = [(entry, entry.request().configured(is_numeric=is_numeric)) for entry in self.learners]
        return _distinct(((entry.name or title_of(learner), learner) for entry, learner in learners), "learner", file)

    def learner_calls(self, file: Path, *, is_numeric: bool) -> dict[str, Expression]:
        """Return the calls that make the learners, by name."""
        learners = self.named_learners(file, is_numeric=is_numeric).items()
        entries = zip(learners, self.learners, strict=True)
        return {name: entry.request().python(learner) for (name, learner), entry in entries}


@dataclass(frozen=True, eq=False)
class ExperimentRun:
    """The result of an experiment, and the lines that give it again."""

    result: ExperimentResult
    reproduce: tuple[tuple[str, str], ...]

    def board(self) -> ExperimentBoard:
        """Return the result as data for showing."""
        from crake.evaluation.experiment.summary import board_of  # noqa: PLC0415

        return board_of(self.result, self.reproduce)

    def text(self, width: int) -> Text:
        """Return the result for a terminal."""
        from crake.render.experiment.board import board_text  # noqa: PLC0415

        return board_text(self.board(), width)

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the schema "crake-experiment/1"."""
        from crake.evaluation.experiment.summary import document  # noqa: PLC0415

        return {**document(self.result), "reproduce": dict(self.reproduce)}

    def page(self) -> str:
        """Return the result as one HTML page."""
        from crake.render.experiment.page import experiment_page  # noqa: PLC0415

        return experiment_page(self.board())


def read_grid(file: Path) -> Grid:
    """Read a grid file and check every key; its tables and learners are looked at later."""
    try:
        document = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise CrakeError(f"{file}: there is no such file") from None
    except OSError as error:
        raise CrakeError(f"{file}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CrakeError(f"{file}: this is not TOML: {error}") from None
    for part, example in _EXAMPLES.items():
        if not document.get(part):
            raise CrakeError(f"{file}: there are no {part}; expected {part} = [...], such as {example}")
    return from_document(Grid, document, str(file))


def _is_numeric(tables: ReadTables) -> bool:
    return any(has_numeric_target(table) for _, table in tables.values())


def _distinct(pairs: Iterable[tuple[str, Any]], kind: str, file: Path) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, value in pairs:
        if name in named:
            raise CrakeError(f'{file}: two {kind}s are called {name!r}; give one of them a name = "..." of its own')
        named[name] = value
    return named
