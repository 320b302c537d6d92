"""Exporting: a model written for another program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from crake.errors import CrakeError, did_you_mean
from crake.files import check_writable, replace_file
from crake.workbench.calls import Call, Name, Script, printed
from crake.workbench.models import load_call, load_predictor
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, argument, options
from crake.workbench.table import MODEL

TARGETS = ("sql", "python", "c", "javascript", "onnx", "pmml")
BYTES = ("onnx",)
"""Targets that are no text, and go to a file."""


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
    missing: str | None = None

    command: ClassVar[str] = "export"

    def check(self) -> None:
        """Raise an error for an unknown target, or an option of another one."""
        if self.to not in TARGETS:
            raise CrakeError(f"--to {self.to}; expected one of {', '.join(TARGETS)}.{did_you_mean(self.to, TARGETS)}")
        for option, value, target in (
            ("--dialect", self.dialect, "sql"),
            ("--table-name", self.table, "sql"),
            ("--name", self.name, "c"),
            ("--missing-text", self.missing, "onnx"),
        ):
            if value is not None and self.to != target:
                raise CrakeError(f"{option} is an option of --to {target}, got --to {self.to}: leave it out")
        if self.output is not None:
            check_writable(Path(self.output))
        elif self.to in BYTES:
            raise CrakeError(
                f"--to {self.to} writes bytes, which a terminal cannot show: give a file, -o model.{self.to}"
            )

    def run(self, progress: Progress = SILENT) -> bytes:
        """Load the model and return what was written, in `output` if there is one."""
        del progress
        self.check()
        written = self._method(load_predictor(self.model))(**self._arguments())
        data = written if isinstance(written, bytes) else f"{written.rstrip(chr(10))}\n".encode()
        if self.output is not None:
            replace_file(self.output, data)
        return data

    def words(self) -> list[str]:
        """Return the arguments and options of the command line."""
        more = options(
            to=self.to,
            dialect=self.dialect,
            table_name=self.table,
            name=self.name,
            missing_text=self.missing,
            output=self.output,
        )
        return [argument(self.model), *more]

    def python(self) -> str:
        """Return the lines that export in Python.

        >>> print(ExportRequest("m.crake", "c").python())
        import crake
        model = crake.load("m.crake")
        print(model.to_c())
        """
        made = MODEL.then(f"to_{self.to}", **self._arguments())
        file = Call(Name("Path", "from pathlib import Path"), (self.output or f"model.{self.to}",))
        last = file.then("write_bytes", made) if self.to in BYTES else printed(made)
        return str(Script((("model", load_call(self.model)), ("", last))))

    def _method(self, model: Any) -> Callable[..., str | bytes]:
        method: Callable[..., str | bytes] = getattr(model, f"to_{self.to}")
        return method

    def _arguments(self) -> dict[str, str]:
        given = {"table": self.table, "dialect": self.dialect, "name": self.name, "missing_text": self.missing}
        return {key: value for key, value in given.items() if value is not None}
