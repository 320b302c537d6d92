"""The table of a request: where it is, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from crake.errors import CrakeError
from crake.workbench.calls import Call, Expression, Name, Script, call, imported, public
from crake.workbench.progress import SILENT, Progress
from crake.workbench.request import Request, argument, changed, options, requoted

if TYPE_CHECKING:
    from crake.table.column_options import Expected
    from crake.table.formats.format import Format
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table
    from crake.table.untrusted.reader import Limits

MAX_MEMORY, MAX_SECONDS = 2048, 60.0
"""Megabytes and seconds that reading an untrusted file may take by default."""
_COLUMNS = ("no target is named", "left out: ", "added of ")
"""Beginnings of notes on the columns that are learned from."""
_NOT_READING = (
    "source",
    "sample",
    "untrusted",
    "max_memory",
    "max_seconds",
    "keep",
    "date_parts",
    "has_date_parts",
    "memory",
)
"""Fields that are not options of the reader."""


@dataclass(frozen=True)
class TableRequest(Request):
    """A table: a file, a folder or pattern of files, an address, - for standard input, or the name of an example.

    The seed of a `sample` is that of the request which the table belongs to. Commands that learn `keep` these columns,
    even if they look like ids, constants or copies of the target. They add parts of dates: of the columns in
    `date_parts`, or by rule if it is None. `has_date_parts` says that the table has got some. With `memory`, a size
    such as 2GB, the rows are scanned and learners keep below it.
    """

    source: str
    target: str | None = None
    format: str | None = None
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    delimiter: str | None = None
    decimal: str = "."
    encoding: str | None = None
    bad_rows: Literal["error", "skip"] = "error"
    header: bool | None = None
    names: tuple[str, ...] = ()
    skip_rows: int = 0
    comment: str | None = None
    quote: str | None = None
    widths: tuple[int, ...] = ()
    dates: str | None = None
    table: str | None = None
    query: str | None = None
    sheet: str | None = None
    member: str | None = None
    sample: int | None = None
    max_bytes: int | None = None
    untrusted: bool = False
    max_memory: int = MAX_MEMORY
    max_seconds: float = MAX_SECONDS
    keep: tuple[str, ...] = ()
    date_parts: tuple[str, ...] | None = None
    has_date_parts: bool = False
    memory: str | None = None

    command: ClassVar[str] = "table"

    def check(self) -> None:
        """Raise an error for limits that are not positive; the reader of the format checks its own options."""
        positive = {"sample": self.sample, "max-bytes": self.max_bytes}
        for name, value in {**positive, "max-memory": self.max_memory, "max-seconds": self.max_seconds}.items():
            if value is not None and value <= 0:
                raise CrakeError(f"--{name} {value}: expected a number above 0")
        self._refuse_idle_limits()
        if "://" in self.source:
            from crake.table.formats.postgres.address import refuse_password  # noqa: PLC0415 (few read a server)

            refuse_password(self.source)
        if self.memory is not None:
            from crake.table.sources.scanned_table import bytes_of  # noqa: PLC0415 (numpy is not needed for --help)

            bytes_of(self.memory)

    def _refuse_idle_limits(self) -> None:
        """Raise for limits of the process of --untrusted where there is none."""
        limits = {
            "max-memory": changed(self.max_memory, MAX_MEMORY),
            "max-seconds": changed(self.max_seconds, MAX_SECONDS),
        }
        for name, value in limits.items():
            if value is not None and not self.untrusted:
                raise CrakeError(
                    f"--{name} {value} limits the process of --untrusted: expected --untrusted beside it, got none. "
                    "Add it, or leave the limit out"
                )

    def run(self, progress: Progress = SILENT, *, seed: int = 1) -> Table:
        """Check the options and read the table."""
        self.check()
        progress.detail(f"reading {self.source}")
        return self.read(seed)

    def read(self, seed: int, expected: Expected | None = None, *, scan: bool = False) -> Table:
        """Read the table, as a model expects it if one is there; with `scan`, row by row where that is possible."""
        from crake.table.read import read_source  # noqa: PLC0415 (Arrow and numpy are not needed for --help)

        options = replace(self.read_options(), expected=expected)
        if self.memory is not None or (scan and self._can_be_scanned()):
            options = replace(options, in_memory=False)
        table = read_source(self.source, options, untrusted=self._limits() or False)
        table = table if self.memory is None else table.with_memory(self.memory)
        return table if self.sample is None else table.sample(self.sample, seed)

    def read_labelled(self, seed: int) -> tuple[TableRequest, Table]:
        """Read the table to learn from; return it with this request, in which the target stands by its name.

        Where no target is named and the source has none, the last column is one if it can be. A note says so.
        """
        table = self.read(seed)
        if table.schema.target is not None:
            return (self if self.target is None else replace(self, target=table.schema.target)), table
        from crake.table.target import default_target  # noqa: PLC0415

        name = default_target(table)
        if name is None:
            return self, table  # the check of the target says what is missing
        request = replace(self, target=name)
        if table.in_memory:
            from crake.table.column_options import ColumnOptions  # noqa: PLC0415
            from crake.table.convert.recode import apply_options, with_classes  # noqa: PLC0415

            table = with_classes(apply_options(table, ColumnOptions(name)), ColumnOptions(numeric=self.numeric))
        else:
            table = request.read(seed)
        note = f"no target is named: predicting the last column, {name!r} (--target names another)"
        return request, replace(table, notes=(note, *table.notes))

    def is_there(self) -> bool:
        """Return True if the source is a file, a folder or an example, and can be read again."""
        from crake.table import examples  # noqa: PLC0415

        return Path(self.source).exists() or self.source in examples.names()

    def read_options(self) -> ReadOptions:
        """Return the options of reading."""
        from crake.table.read_options import ReadOptions  # noqa: PLC0415

        own: Any = {each.name: getattr(self, each.name) for each in fields(TableRequest)}
        reading = {name: value for name, value in own.items() if name not in _NOT_READING}
        return ReadOptions.of(
            **{**reading, "missing": self.missing or None, "names": self.names or None, "widths": self.widths or None}
        )

    def test(self, source: str, target: str | None = None) -> TableRequest:
        """Return the request for another table of the same kind of file, whose columns are those of this one."""
        same = replace(self, source=source, target=target, nominal=(), numeric=(), text=(), ignore=(), keep=())
        return replace(same, table=None, query=None, sample=None, date_parts=None, has_date_parts=False, memory=None)

    def for_model(self) -> TableRequest:
        """Return the request for the same table, read as a model expects it.

        >>> TableRequest("shop.db", "y", table="orders", nominal=("a",)).for_model().words()
        ['shop.db', '--table', 'orders']
        """
        return replace(self.test(self.source), table=self.table, query=self.query)

    def words(self) -> list[str]:
        """Return the table and every option about it that is not a default."""
        columns = {"nominal": self.nominal, "numeric": self.numeric, "text": self.text, "ignore": self.ignore}
        columns["keep"] = self.keep
        limits = {"max_memory": changed(self.max_memory, MAX_MEMORY)}
        limits["max_seconds"] = None if self.max_seconds == MAX_SECONDS else f"{self.max_seconds:g}"
        return [
            argument(self.source),
            *options(table=self.table, query=self.query, sheet=self.sheet, member=self.member),
            *options(target=self.target, format=self.format),
            *options(delimiter=self.delimiter, encoding=self.encoding),
            *options(**{option: requoted(names) for option, names in columns.items()}),
            *options(missing=self.missing, bad_rows=changed(self.bad_rows, "error")),
            *options(header=self.header is True, no_header=self.header is False, names=requoted(self.names)),
            *options(skip_rows=changed(self.skip_rows, 0), comment=self.comment, quote=self.quote),
            *options(widths=",".join(map(str, self.widths)) or None),
            *options(
                dates=self.dates, date_parts=("none",) if self.date_parts == () else requoted(self.date_parts or ())
            ),
            *options(decimal=changed(self.decimal, ".")),
            *options(
                memory=self.memory, sample=self.sample, max_bytes=self.max_bytes, untrusted=self.untrusted, **limits
            ),
        ]

    def read_call(self, seed: int, **more: Any) -> Call:
        """Return the call that reads the table in Python; `more` are further arguments of `crake.read`."""
        read = call(
            public("read"),
            self.source,
            target=self.target,
            format=self.format,
            table=self.table,
            query=self.query,
            sheet=self.sheet,
            member=self.member,
            nominal=self.nominal or None,
            numeric=self.numeric or None,
            text=self.text or None,
            ignore=self.ignore or None,
            missing=self.missing or None,
            delimiter=self.delimiter,
            encoding=self.encoding,
            decimal=changed(self.decimal, "."),
            bad_rows=changed(self.bad_rows, "error"),
            header=self.header,
            names=self.names or None,
            skip_rows=changed(self.skip_rows, 0),
            comment=self.comment,
            quote=self.quote,
            widths=self.widths or None,
            dates=self.dates,
            max_bytes=self.max_bytes,
            untrusted=self._limits_call(),
            in_memory=None if self.memory is None else False,
        ).adding(**more)
        read = read if self.memory is None else read.then("with_memory", self.memory)
        read = read if self.sample is None else read.then("sample", self.sample, random_state=seed)
        columns = () if not self.date_parts else (list(self.date_parts),)
        return read.then("with_date_parts", *columns) if self.has_date_parts else read

    def python(self, *, seed: int = 1) -> str:
        """Return the line that reads the table."""
        return str(Script((("table", self.read_call(seed)),)))

    def remembered(self, model: Any) -> tuple[str, ...]:
        """Return a note on what is read as missing because it was so in training."""
        expected = self._expected_format()
        if model.missing_ is None or self.missing or (expected is not None and "missing" not in expected.options):
            return ()
        return (f"read as missing, as in training: {', '.join(map(repr, model.missing_)) or 'the empty cell only'}",)

    def _can_be_scanned(self) -> bool:
        expected = self._expected_format()
        is_parquet = expected is not None and expected.name == "parquet"
        return is_parquet and not self.untrusted and self.sample is None

    def _expected_format(self) -> Format | None:
        from crake.table.formats.choose import expected_format  # noqa: PLC0415 (numpy is not needed for --help)

        return expected_format(self.source, self.format)

    def _limits(self) -> Limits | None:
        if not self.untrusted:
            return None
        from crake.table.untrusted.reader import Limits  # noqa: PLC0415

        return Limits(self.max_memory * 2**20, self.max_seconds)

    def _limits_call(self) -> Expression | bool | None:
        if not self.untrusted:
            return None
        if (self.max_memory, self.max_seconds) == (MAX_MEMORY, MAX_SECONDS):
            return True
        limits = imported("crake.table.untrusted.reader", "Limits")
        return call(limits, memory=self.max_memory * 2**20, seconds=self.max_seconds)


def notes_on_columns(table: Table) -> list[str]:
    """Return the notes on the first row, the target, columns that are left out and columns that are added."""
    from crake.render.description import FIRST_ROW  # noqa: PLC0415

    return [note for note in table.notes if note.startswith((*FIRST_ROW, *_COLUMNS))]


TABLE, TEST, MODEL, RESULT = Name("table"), Name("test"), Name("model"), Name("result")
"""The variables of the printed Python."""


def read_for_test(request: TableRequest, source: str, training: Table, seed: int) -> Table:
    """Read the table to test on, its columns as those of the training table."""
    from crake.table.column_options import Expected  # noqa: PLC0415

    target = training.schema.target
    expected = Expected.of(training.schema, target=target)
    return replace(request.test(source, target), numeric=_numeric_target(training)).read(seed, expected)


def call_for_test(request: TableRequest, source: str, training: Table, seed: int) -> Call:
    """Return the call that reads the table to test on."""
    target = Name("table.schema.target")
    test = replace(request.test(source), numeric=_numeric_target(training))
    return test.read_call(seed, target=target, expected=TABLE)


def _numeric_target(training: Table) -> tuple[str, ...]:
    """The target, if it is numeric: few whole numbers would otherwise be read as classes."""
    from crake.table.schema import Kind  # noqa: PLC0415

    target = training.schema.target
    return (target,) if target is not None and training.schema[target].kind is Kind.NUMERIC else ()


def call_for_model(request: TableRequest, seed: int, target: str | None = None) -> Call:
    """Return the call that reads a table as the model expects it."""
    return replace(request, target=target).read_call(seed, expected=MODEL)
