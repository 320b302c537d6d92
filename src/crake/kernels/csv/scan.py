"""Scan of a delimited text for the ends of its fields: one pass over its bytes, quotes as in RFC 4180."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.kernels.interpreted import interpreted

FINE, RAGGED, AFTER_QUOTE, UNCLOSED, TOO_LONG = range(5)
"""Faults of a row; only RAGGED and AFTER_QUOTE rows can be skipped."""

ROWS, CONSUMED, LINES, BAD, FAULT, FAULT_LINE, FOUND = range(7)
"""The fields of `report`: what a scan did, and the fault it stopped at."""

LONGEST_FIELD = 10_000_000
"""Bytes; a longer field is nearly always a quote that was never closed."""

BLANKS = -1
"""The delimiter of a text whose fields stand apart by runs of spaces and tabs."""
NO_COMMENT = -1

_SPACE, _TAB, _RETURN = 32, 9, 13


class Marks(NamedTuple):
    """The bytes that cut a text: between fields (or BLANKS), at line ends, around fields, before a comment line."""

    delimiter: int
    end: int
    quote: int
    comment: int


@interpreted(lambda data, *_: data.size)
def scan(
    data: NDArray[np.uint8],
    marks: Marks,
    final: bool,
    skip: bool,
    starts: NDArray[np.int32],
    lengths: NDArray[np.int32],
    lines: NDArray[np.int32],
    faults: NDArray[np.int64],
    report: NDArray[np.int64],
) -> None:
    """Find the fields of every complete row of `data`, which begins at the start of a row.

    `starts` and `lengths` have shape (columns, rows that fit): field c of row r is the `length` bytes at
    `start`, without its quotes or, if it has none, without the spaces around it. A length is stored as
    −1 − length where the field holds doubled quotes. `lines` gets the line of each row, counted from 0.

    Rows that are only spaces are passed over, and so are lines that begin with the comment sign. The scan
    stops before a row that is not complete (unless the data are `final`), when no more rows fit, or at a
    fault; with `skip`, rows of the wrong number of fields are left out, counted in report[BAD], and the
    first are told in `faults` as (line, fields found, fault).
    """
    delimiter, end, quote, comment = marks.delimiter, marks.end, marks.quote, marks.comment
    blanks = delimiter == BLANKS
    n = data.size
    columns, room = starts.shape
    position = line = row = bad = 0
    report[FAULT] = FINE
    while position < n and row < room:
        row_line, field, fault, fault_line = line, 0, FINE, line
        complete, blank, i = False, True, position
        if comment != NO_COMMENT:
            while i < n and (data[i] == _SPACE or data[i] == _TAB):
                i += 1
            if i < n and data[i] == comment:
                while i < n and data[i] != end:
                    i += 1
                if i >= n and not final:
                    break
                position = min(i + 1, n)
                line += i < n
                continue
            i = position
        while True:
            while i < n and (data[i] == _SPACE or data[i] == _TAB) and data[i] != delimiter:
                i += 1
            start, stop, escaped = i, i, False
            if i < n and data[i] == quote:
                opened, closed, blank = line, False, False
                i += 1
                start = i
                while i < n:
                    byte = data[i]
                    if byte == quote:
                        if i + 1 == n or data[i + 1] != quote:
                            closed = True
                            break
                        escaped = True
                        i += 1
                    elif byte == end:
                        line += 1
                    i += 1
                stop = min(i, n)
                if not closed:
                    if stop - start > LONGEST_FIELD:
                        fault, fault_line = TOO_LONG, opened
                    elif final:
                        fault, fault_line = UNCLOSED, opened
                    break
                i += 1
                while i < n and data[i] != delimiter and data[i] != end:
                    byte = data[i]
                    if blanks and byte in (_SPACE, _TAB, _RETURN):
                        break
                    if fault == FINE and byte not in (_SPACE, _TAB, _RETURN):
                        fault, fault_line = AFTER_QUOTE, opened
                    i += 1
            else:
                if blanks:
                    while i < n and data[i] != end and data[i] not in (_SPACE, _TAB, _RETURN):
                        i += 1
                else:
                    while i < n and data[i] != delimiter and data[i] != end:
                        i += 1
                stop = i
                while stop > start:
                    byte = data[stop - 1]
                    if byte not in (_SPACE, _TAB, _RETURN):
                        break
                    stop -= 1
                blank = blank and stop == start
            if stop - start > LONGEST_FIELD:
                fault, fault_line = TOO_LONG, line
                break
            while blanks and i < n and data[i] in (_SPACE, _TAB, _RETURN):
                i += 1
            if i >= n and not final:
                break
            if field < columns:
                starts[field, row] = start
                lengths[field, row] = -1 - (stop - start) if escaped else stop - start
            field += 1
            if i >= n or data[i] == end:
                complete = True
                break
            i += not blanks
        if not complete and fault < UNCLOSED:
            line = row_line
            break
        if fault == FINE and field != columns and not (blank and field == 1):
            fault = RAGGED
        if fault >= UNCLOSED or (fault != FINE and not skip):
            report[FAULT], report[FAULT_LINE], report[FOUND] = fault, fault_line, field
            break
        if fault != FINE:
            if bad < faults.shape[0]:
                faults[bad, 0], faults[bad, 1], faults[bad, 2] = fault_line, field, fault
            bad += 1
        elif not (blank and field == 1):
            lines[row] = row_line
            row += 1
        position = min(i + 1, n)
        if i < n:
            line += 1
    report[ROWS], report[CONSUMED], report[LINES], report[BAD] = row, position, line, bad
