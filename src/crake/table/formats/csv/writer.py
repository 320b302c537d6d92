r"""Tables and predictions as CSV (RFC 4180): numbers exact, missing cells empty, formulas of spreadsheets guarded.

Spreadsheets take a cell that begins with = + - or @ for a formula, also behind spaces, a tab or a line end; a
stranger's table can so make them fetch an address or start a program. Such a cell, or name of a column, gets an
apostrophe before it: `'=HYPERLINK(…)`. Numbers are never changed, nor is text that is a number, such as -5.
`raw=True` writes all text as it is; only then does reading the file give every cell back.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.errors import DataError, SchemaError
from crake.files import replacing
from crake.kernels import readable
from crake.kernels.csv.write import LONGEST, write_predictions
from crake.table.batch import MISSING
from crake.table.column_names import unique_names
from crake.table.dates import are_calendar_days
from crake.table.moments import moment_texts, moments
from crake.table.schema import Column, Kind, Label, Schema
from crake.table.table import Table

ROWS = 1 << 16
"""Rows written at a time."""

_FORMULA = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_QUOTED = re.compile(r'[",;|\t\r\n]|^[\s\ufeff]|\s$|^$')
_EXACT = 2.0**53


def write_csv(table: Table, path: str | Path, *, raw: bool = False) -> None:
    """Write the table to a file, compressed if its name ends in .gz; ignored columns hold no cells and are left out.

    The file is written beside its place and then renamed: a failed write costs no older file and leaves no half one.

    >>> import tempfile
    >>> from crake.table.examples import load
    >>> file = Path(tempfile.mkdtemp()) / "golf.csv"
    >>> write_csv(load("golf"), file)
    >>> file.read_text().splitlines()[:2]
    ['outlook,temp,humidity,windy,play', 'Rainy,Hot,High,False,No']
    """
    place = Path(path)
    with replacing(place) as file:
        packed: Any = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if place.suffix == ".gz" else nullcontext(file)
        with packed as open_file:
            _write(open_file, table, raw=raw)


def _write(file: IO[bytes], table: Table, *, raw: bool) -> None:
    for piece in csv_pieces(table, raw=raw):
        file.write(piece)


def csv_pieces(table: Table, *, raw: bool = False) -> Iterator[bytes | pa.Buffer]:
    """Yield the header, then the rows, many at a time."""
    columns = [column for column in table.schema.columns if column.kind is not Kind.IGNORED]
    if not columns:
        raise SchemaError(f"every column of {table.name} is ignored; nothing to write")
    yield header([column.name for column in columns], raw=raw)
    lines = Lines(Schema(tuple(columns)), raw=raw)
    arrays = [table.column(column.name) for column in columns]
    for start in range(0, len(table), ROWS):
        yield lines.of([array[start : start + ROWS] for array in arrays]).buffers()[2]


def header(names: Sequence[str], *, raw: bool = False) -> bytes:
    """Return the first line.

    >>> print(header(["a", "b, c", "=d"]).decode().strip())
    a,"b, c",'=d
    """
    return (",".join(cell(name, raw=raw) for name in names) + "\n").encode("utf-8", "surrogatepass")


def cell(label: Label, *, raw: bool = False) -> str:
    """Return one cell: quoted where it must be, guarded unless raw.

    >>> print(cell('say "hi", twice'), cell("=1+1"), cell("-5"), cell(-5), cell("-5 km"))
    "say ""hi"", twice" '=1+1 -5 -5 '-5 km
    """
    if not isinstance(label, str):
        return number_text(label) if isinstance(label, float) else str(label)
    if not raw and is_formula(label):
        label = f"'{label}"
    return '"' + label.replace('"', '""') + '"' if _QUOTED.search(label) else label


def is_formula(text: str) -> bool:
    """Return True if a spreadsheet might run the text.

    >>> is_formula("=1+1"), is_formula(" @x"), is_formula("-1"), is_formula("a=b")
    (True, True, False, False)
    """
    return _FORMULA.match(text) is not None and _NUMBER.fullmatch(text) is None


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number.

    >>> number_text(5.0), number_text(0.1)
    ('5', '0.1')
    """
    return str(int(value)) if value.is_integer() and abs(value) <= _EXACT else repr(value)


class Lines:
    """Turns arrays of cells into lines, the same way for any number of rows."""

    def __init__(self, schema: Schema, *, raw: bool, end: str = "\n") -> None:
        self.columns, self.raw = schema.columns, raw
        # A line without any character would be no row: a single missing cell is a pair of quotes.
        self._missing = '""' if len(self.columns) == 1 else ""
        self._ends = [""] * (len(self.columns) - 1) + [end]
        self._levels = [self._level_cells(column) for column in self.columns]

    def of(self, arrays: Sequence[NDArray[Any]]) -> pa.Array:
        """Return one string per row, its line end included; they lie one after the other in the array's data."""
        cells = [self._cells(k, array) for k, array in enumerate(arrays)]
        cells[-1] = pc.binary_join_element_wise(cells[-1], self._ends[-1], "")
        return pc.binary_join_element_wise(*cells, ",") if len(cells) > 1 else cells[0]

    def _cells(self, k: int, array: NDArray[Any]) -> pa.Array:
        if self.columns[k].is_date and are_calendar_days(array):
            return pc.fill_null(moment_texts(moments(array)), self._missing)
        if self.columns[k].kind is Kind.NUMERIC:
            return pc.fill_null(number_texts(array), self._missing)
        if self.columns[k].kind is Kind.TEXT:
            return pa.array(
                [self._missing if t is None else cell(t, raw=self.raw) for t in array.tolist()], pa.string()
            )
        if len(array) and array.min() < MISSING:
            raise DataError(f"column {self.columns[k].name!r} holds values that are not among its levels")
        return self._levels[k].take(pa.array(np.where(array < 0, len(self._levels[k]) - 1, array)))

    def _level_cells(self, column: Column) -> pa.Array:
        """Return the levels as cells, and the missing one last."""
        return pa.array([*(cell(level, raw=self.raw) for level in column.levels), self._missing], pa.string())


def number_texts(values: NDArray[np.float64]) -> pa.Array:
    """Return shortest texts of many numbers, null for NaN.

    >>> number_texts(np.array([5.0, 0.1, 2.0**53, 1e16, np.nan])).to_pylist()
    ['5', '0.1', '9007199254740992', '1e+16', None]
    """
    is_nan = np.isnan(values)
    with np.errstate(invalid="ignore"):
        # The sign of −0 is a part of the number, which a whole number would lose.
        whole = (values == np.floor(values)) & (np.abs(values) <= _EXACT) & ~(np.signbit(values) & (values == 0))
        integers = np.where(whole, values, 0).astype(np.int64)
    if (whole | is_nan).all():
        return pc.cast(pa.array(integers, mask=is_nan), pa.string())
    texts = pc.cast(pa.array(values, from_pandas=True), pa.string())
    return pc.if_else(pa.array(whole), pc.cast(pa.array(integers), pa.string()), texts) if whole.any() else texts


def prediction_names(classes: Sequence[Label], columns: Sequence[str] = ()) -> list[str]:
    """Return the names of the output, all different: `columns`, then p(class) for each class, then predicted.

    >>> prediction_names(["no", "yes"], ["age", "predicted"])
    ['age', 'predicted', 'p(no)', 'p(yes)', 'predicted_2']
    """
    return unique_names([*columns, *(f"p({label})" for label in classes), "predicted"])[0]


class PredictionLines:
    """Lines of predictions: the probability of each class with six digits, then the predicted class.

    Six significant digits are what `{p:.6g}` shows; a compiled loop writes them, six times as fast as exact doubles.
    """

    def __init__(self, classes: Sequence[Label], *, raw: bool = False) -> None:
        names = [f"{cell(label, raw=raw)}\n".encode("utf-8", "surrogatepass") for label in classes]
        self._names = np.frombuffer(bytearray(b"".join(names)), np.uint8)
        self._starts = np.cumsum([0, *map(len, names)], dtype=np.int64)
        self._longest = LONGEST * len(names) + max(map(len, names))

    def of(
        self, probabilities: NDArray[np.float64], answers: NDArray[np.integer[Any]], before: pa.Array | None = None
    ) -> memoryview:
        r"""Return one line per row; `answers` are codes, `before` the beginning of each line, its comma included.

        >>> lines = PredictionLines(["no", "yes"])
        >>> bytes(lines.of(np.array([[0.25, 0.75], [2 / 3, 1 / 3]]), np.array([1, 0]), pa.array(["a,", "b,"])))
        b'a,0.25,0.75,yes\nb,0.666667,0.333333,no\n'
        """
        rows = len(probabilities)
        data, starts = _text(before) if before is not None else (np.empty(0, np.uint8), np.zeros(rows + 1, np.int32))
        out = np.empty(rows * self._longest + int(starts[-1] - starts[0]), np.uint8)
        matrix = readable(np.ascontiguousarray(probabilities))
        codes = readable(np.ascontiguousarray(answers, np.int32))
        size = write_predictions(data, starts, matrix, codes, self._names, self._starts, out)
        return out[:size].data


def _text(strings: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bytes of an array of strings without nulls, and where each begins and ends."""
    _, offsets, data = strings.buffers()
    starts = np.frombuffer(offsets, np.int32, len(strings) + 1, 4 * strings.offset)
    return readable(np.frombuffer(data or b"", np.uint8)), readable(starts)
