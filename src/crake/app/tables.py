"""The tables of a project: opened by reference, read in threads when they are needed, described once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crake.app.index import TableEntry
from crake.app.paths import below
from crake.app.project import Project
from crake.app.readings import Reading, Readings, Tell
from crake.app.stored import checked_table
from crake.app.threads import Threads
from crake.errors import CrakeError
from crake.evaluation.columns.describe import describe_table
from crake.render.page import description_parts
from crake.server.problems import Problem
from crake.table import examples
from crake.table.describe.rows import rows_between
from crake.table.describe.useless_columns import useless_columns
from crake.table.formats.contents import tables_inside
from crake.table.schema import Kind
from crake.table.table import Table
from crake.workbench.describe import DescribedTable
from crake.workbench.explain import expected_to_explain
from crake.workbench.table import TableRequest

KEPT = 6
"""Tables, descriptions, drawings and predictions that are kept in memory."""
UPLOADS = "uploads/"
PREVIEWED = 100
MOST_CLASSES = 50


@dataclass(frozen=True)
class ColumnShown:
    """A column of the preview: its name and its kind."""

    name: str
    kind: str


class Tables:
    """Tables by id, with their rows and descriptions while they are looked at."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.threads = Threads()
        self.readings = Readings(KEPT, self.threads)

    def request_for(self, source: str, **options: Any) -> TableRequest:
        """Return the request for a source that a browser names: a file below the start folder, or an example."""
        if source in examples.names() and not (self._project.start / source).exists():
            return TableRequest(source, **options)
        if source.startswith(UPLOADS):
            path = self.upload(source.removeprefix(UPLOADS))
            # A stranger's file is parsed in a process with limits on its memory and time.
            return TableRequest(self._project.relative(path), untrusted=True, **options)
        path = below(self._project.start, source)
        return TableRequest(path.relative_to(self._project.start).as_posix(), **options)

    def upload(self, name: str) -> Any:
        """Return the file of an upload, by the name that the server gave it."""
        folder = self._project.folder / "uploads"
        for path in folder.iterdir():
            if path.name == name:
                return path
        raise Problem(404, "no_file", "there is no such upload")

    def dropped(self) -> list[str]:
        """Return the files that were dropped, as a browser names them, the latest first."""
        files = [path for path in (self._project.folder / "uploads").iterdir() if path.is_file()]
        return [f"{UPLOADS}{path.name}" for path in sorted(files, key=lambda path: -path.stat().st_mtime)]

    def add(self, request: TableRequest) -> str:
        """Add a table to the project; return its id."""
        return self._project.index.add_table(request.to_dict(), self._project.fingerprint(request.source))

    def entry(self, id: str) -> TableEntry:  # noqa: A002 (the word of the index)
        """Return the table of an id; raise if there is none."""
        entry = self._project.index.table(id)
        if entry is None:
            raise Problem(404, "no_table", "there is no such table in this project")
        return entry

    def latest(self) -> TableEntry | None:
        """Return the table that was opened last, one whose file is there if there is such a one."""
        tables = self._project.index.tables()
        return next(filter(self._is_there, tables), next(iter(tables), None))

    def _is_there(self, entry: TableEntry) -> bool:
        try:
            self.request(entry)
        except (Problem, CrakeError):
            return False
        return True

    def request(self, entry: TableEntry) -> TableRequest:
        """Return the request of a table."""
        return checked_table(entry.request, self._project.start, self._project.uploads)

    def check(self, request: TableRequest) -> None:
        """Raise for a table that may not be read, or that is not there."""
        checked_table(request.to_dict(), self._project.start, self._project.uploads)

    def inside(self, request: TableRequest) -> list[str]:
        """Return the names of the tables inside a file that may hold several; none for any other source."""
        path = self._project.start / request.source
        return tables_inside(path, apart=request.untrusted) if path.is_file() else []

    def read(self, request: TableRequest) -> Table:
        """Return the rows of a table; read again where the file has changed."""
        table: Table = self.reading(request).value()
        return table

    def reading(self, request: TableRequest) -> Reading:
        """Return the reading of a table's rows."""
        return self._read("table", request, f"reading {self._shown(request)}", lambda _: request.run())

    def read_to_explain(self, request: TableRequest, model: Any, path: str) -> Table:
        """Return the rows of a table as a model of this file expects them, to be explained."""
        table: Table = self._read(
            path, request, f"reading {self._shown(request)}", lambda _: request.read(1, expected_to_explain(model))
        ).value()
        return table

    def describing(self, request: TableRequest) -> Reading:
        """Return the reading whose result is the description of a table and the parts of its page."""

        def make(tell: Tell) -> tuple[DescribedTable, dict[str, Any]]:
            table = self.read(request)
            watched = table if table.in_memory else table.with_progress(lambda rows, total, *_: tell(rows, total))
            described = DescribedTable(describe_table(watched))
            useless = useless_columns(table).names if table.in_memory else ()
            return described, {**description_parts(described.description), "useless": useless}

        return self._read("description", request, f"looking through {self._shown(request)}", make)

    def making(self, request: TableRequest, what: str, words: str, make: Callable[[Tell], Any]) -> Reading:
        """Return the reading whose result is what `make` makes of a table; `what` names all else that it depends on."""
        return self._read(what, request, words, make)

    def has_changed(self, entry: TableEntry) -> bool:
        """Return True if the file is not the one that was opened."""
        return self._project.fingerprint(self.request(entry).source) != entry.fingerprint

    def preview(self, table: Table) -> tuple[list[ColumnShown], list[list[str]]]:
        """Return the columns of a table and the cells of its first rows."""
        columns = [ColumnShown(column.name, str(column.kind)) for column in table.schema.columns]
        return columns, rows_between(table, 0, PREVIEWED, table.schema.columns)

    def classes(self, request: TableRequest) -> list[str]:
        """Return the classes of the target, where it has some."""
        table = self.read(request)
        target = table.schema.target
        if target is None or table.schema[target].kind is not Kind.NOMINAL:
            return []
        return [str(label) for label in table.schema.classes[:MOST_CLASSES]]

    def _shown(self, request: TableRequest) -> str:
        return self._project.shown_source(request.source)

    def _read(self, what: str, request: TableRequest, words: str, make: Callable[[Tell], Any]) -> Reading:
        self.check(request)

        def make_or_refuse(tell: Tell) -> Any:
            try:
                return make(tell)
            except OSError as error:
                raise CrakeError(f"{request.source}: {error.strerror or error}") from None

        try:
            key = (what, f"{request} {self._project.fingerprint(request.source)}")
        except OSError as error:
            raise CrakeError(f"{request.source}: {error.strerror or error}") from None
        return self.readings.get(key, words, make_or_refuse)
