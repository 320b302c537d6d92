"""Exporting: a model written for another program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from crake.errors import CrakeError, did_you_mean
from crake.files import check_writable, replace_file
from crake.workbench.calls import Script, printed
from crake.workbench.models import load_call, load_predictor
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, argument, options
from crake.workbench.table import MODEL

TARGETS = ("sql", "python", "c", "javascript")


@dataclass(frozen=True)
class ExportRequest(Request):
    """A model file and the language to write it in; of SQL a dialect and the name of the table.

    >>> ExportRequest("m.crake", "sql", dialect="duckdb", table="orders").command_line()
    'crake export m.crake --to sql --dialect duckdb --table-name orders'
    """

    model: str
    to: str
    output: str | None = None
    dialect: str | None = None
    table: str | None = None
    name: str | None = None

    command: ClassVar[str] = "export"

    def check(self) -> None:
        """Raise an error for an unknown target, or an option of another one."""
        if self.to not in TARGETS:
            raise CrakeError(f"--to {self.to}; expected one of {', '.join(TARGETS)}.{did_you_mean(self.to, TARGETS)}")
        for option, value, target in (
            ("--dialect", self.dialect, "sql"),
            ("--table-name", self.table, "sql"),
            ("--name", self.name, "c"),
        ):
            if value is not None and self.to != target:
                raise CrakeError(f"{option} is an option of --to {target}, got --to {self.to}: leave it away")
        if self.output is not None:
            check_writable(Path(self.output))

    def run(self, progress: Progress = SILENT) -> str:
        """Load the model and return its text, written to `output` if there is one."""
        del progress
        self.check()
        text = str(self._method(load_predictor(self.model))(**self._arguments()))
        if not text.endswith("\n"):
            text += "\n"
        if self.output is not None:
            replace_file(self.output, text.encode())
        return text

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        more = options(to=self.to, dialect=self.dialect, table_name=self.table, name=self.name, output=self.output)
        return [argument(self.model), *more]

    def python(self) -> str:
        """Return the lines that export in Python.

        >>> print(ExportRequest("m.crake", "c").python())
        import crake
        model = crake.load("m.crake")
        print(model.to_c())
        """
        lines = (("model", load_call(self.model)), ("", printed(MODEL.then(f"to_{self.to}", **self._arguments()))))
        return str(Script(lines))

    def _method(self, model: Any) -> Callable[..., str]:
        method: Callable[..., str] = getattr(model, f"to_{self.to}")
        return method

    def _arguments(self) -> dict[str, str]:
        given = {"table": self.table, "dialect": self.dialect, "name": self.name}
        return {key: value for key, value in given.items() if value is not None}
