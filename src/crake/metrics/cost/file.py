"""A cost matrix in a CSV file: what was called in the first row, what it is in the first column."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crake.errors import ReadError
from crake.render.sentences import counted
from crake.table.formats.csv.dialect import BLANKS, sniff

MOST_BYTES = 20_000_000
"""More than a thousand classes need; a larger file is some other table."""

Line = tuple[int, list[str]]


def read(path: str | Path) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    r"""The labels, in the order of the lines, and the costs: rows actual, columns called.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "costs.csv").write_text("actual,bad,good\ngood,1,0\nbad,0,5\n")
    ...     read(Path(folder) / "costs.csv")
    (('good', 'bad'), array([[0., 1.],
           [5., 0.]]))
    """
    name = Path(path).name
    header, *lines = _lines(_text(Path(path)), name)
    called = [cell.strip() for cell in header[1][1:]]
    actual = [cells[0].strip() for _, cells in lines]
    for labels, where in ((called, "first row"), (actual, "first column")):
        if twice := next((label for label in labels if labels.count(label) > 1), None):
            raise ReadError(f"the label {twice!r} stands twice in the {where}; expected every class once", file=name)
    _refuse_other_labels(called, actual, name)
    column = {label: position for position, label in enumerate(called)}
    costs = [_costs(line, called, name) for line in lines]
    return tuple(actual), np.array([[line[column[label]] for label in actual] for line in costs])


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ReadError(
                f"{path.stat().st_size} bytes are no cost matrix; expected one line a class", file=path.name
            )
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", file=path.name) from error
    except UnicodeDecodeError as error:
        raise ReadError("is not UTF-8 text; save it as CSV in UTF-8", file=path.name) from error


def _lines(text: str, name: str) -> list[Line]:
    """Lines with something in them, with their numbers."""
    delimiter = sniff(text).delimiter
    delimiter = "," if delimiter == BLANKS else delimiter
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise ReadError(f"is no CSV: {error}", file=name, line=reader.line_num) from error
    if len(lines) < 2 or len(lines[0][1]) < 2:
        raise ReadError(
            "expected a first row of labels (what was called) and a line for each actual class: its label, its costs",
            file=name,
        )
    return lines


def _refuse_other_labels(called: list[str], actual: list[str], name: str) -> None:
    for label in actual:
        if label not in called:
            raise ReadError(
                f"the class {label!r} has a line but no column; expected the classes "
                f"in the first row, got {called}, and in the first cell of each line",
                file=name,
            )
    for label in called:
        if label not in actual:
            raise ReadError(f"the class {label!r} has a column but no line; expected both, lines {actual}", file=name)


def _costs(line: Line, called: list[str], name: str) -> list[float]:
    number, (label, *cells) = line
    if len(cells) != len(called):
        raise ReadError(
            f"{counted(len(cells), 'cost')} for {len(called)} classes; expected one each", file=name, line=number
        )
    return [_cost(cell, number, label, column, name) for cell, column in zip(cells, called, strict=True)]


def _cost(cell: str, number: int, label: str, column: str, name: str) -> float:
    try:
        cost = float(cell)
    except ValueError:
        cost = math.nan
    if not math.isfinite(cost):
        raise ReadError(
            f"the cost of calling a {label!r} a {column!r} is {cell!r}; expected a finite number such as 5 or 0.25",
            file=name,
            line=number,
            column=column,
        )
    return cost
