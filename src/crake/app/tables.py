"""The tables of a project: opened by reference, read when they are needed, described once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crake.app.index import TableEntry
from crake.app.paths import below
from crake.app.project import Project
from crake.app.recent import Recent
from crake.errors import CrakeError
from crake.server.problems import Problem
from crake.table import examples
from crake.table.describe.preview import cells_of
from crake.table.schema import Kind
from crake.table.table import Table
from crake.workbench.describe import DescribeRequest
from crake.workbench.explain import expected_to_explain
from crake.workbench.table import TableRequest

KEPT = 4
"""Tables and descriptions that are kept in memory."""
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
        self._kept = Recent[Any](KEPT)

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
        """Return the table that was opened last."""
        return next(iter(self._project.index.tables()), None)

    def request(self, entry: TableEntry) -> TableRequest:
        """Return the request of a table."""
        return TableRequest.from_dict(entry.request)

    def read(self, request: TableRequest) -> Table:
        """Return the rows of a table; read again where the file has changed."""
        table: Table = self._remembered("table", request, request.run)
        return table

    def read_to_explain(self, request: TableRequest, model: Any, path: str) -> Table:
        """Return the rows of a table as a model of this file expects them, to be explained."""
        table: Table = self._remembered(path, request, lambda: request.read(1, expected_to_explain(model)))
        return table

    def described(self, request: TableRequest) -> Any:
        """Return the description of a table."""
        return self._remembered("description", request, lambda: DescribeRequest(request).run())

    def has_changed(self, entry: TableEntry) -> bool:
        """Return True if the file is not the one that was opened."""
        return self._project.fingerprint(self.request(entry).source) != entry.fingerprint

    def preview(self, table: Table) -> tuple[list[ColumnShown], list[list[str]]]:
        """Return the columns of a table and the cells of its first rows; a scanned table gives no cells."""
        columns = [ColumnShown(column.name, str(column.kind)) for column in table.schema.columns]
        if not table.in_memory:
            return columns, []
        first = table.head(PREVIEWED)
        cells = [cells_of(first, column) for column in table.schema.columns]
        return columns, [list(row) for row in zip(*cells, strict=True)]

    def classes(self, request: TableRequest) -> list[str]:
        """Return the classes of the target, where it has some."""
        table = self.read(request)
        target = table.schema.target
        if target is None or table.schema[target].kind is not Kind.NOMINAL:
            return []
        return [str(label) for label in table.schema.classes[:MOST_CLASSES]]

    def _remembered(self, what: str, request: TableRequest, make: Any) -> Any:
        try:
            return self._kept.get((what, f"{request} {self._project.fingerprint(request.source)}"), make)
        except OSError as error:
            raise CrakeError(f"{request.source}: {error.strerror or error}") from None
