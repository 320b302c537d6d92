"""One column, wherever it comes from: its kind, and its cells as float64 numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.errors import CellError
from crake.table.batch import Values
from crake.table.codes import Cells, Coded, arrow_of, distinct, settle
from crake.table.dates import DAY
from crake.table.inference import DEFAULT_MISSING
from crake.table.notation import notation_title, values_of
from crake.table.schema import DATES, Kind, Label

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
EXACT = 2**53
"""Whole numbers up to here are exact in float64."""


def kind_of(values: Cells, name: str) -> Kind:
    """Return the kind: nominal for names, truth values and objects, numeric for numbers, dates and times.

    >>> kind_of(np.array([1, 2]), "age"), kind_of(np.array(["a"]), "sex")
    (<Kind.NUMERIC: 'numeric'>, <Kind.NOMINAL: 'nominal'>)
    """
    if isinstance(values, Coded):
        only_numbers = not values.declared and all(_is_number(label) for label in values.labels)
        return Kind.NUMERIC if only_numbers else Kind.NOMINAL
    if isinstance(values, np.ndarray):
        return _kind_of_array(values, name)
    return kind_of_type(values.type, name)


def check_readable(values: Cells, name: str) -> None:
    """Raise if the cells are neither names nor numbers (lists, structs, bytes)."""
    if not isinstance(values, Coded):
        kind_of(values, name)


def is_time(values: Cells) -> bool:
    """Return True if the cells are dates or points in time."""
    if isinstance(values, Coded):
        return False
    if isinstance(values, np.ndarray):
        return values.dtype.kind == "M"
    return is_time_type(values.type)


def is_time_type(kind: pa.DataType) -> bool:
    """Return True if cells of this Arrow type are dates or points in time."""
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def numbers(values: Cells, name: str, first_row: int = 0, notation: str = "") -> Values:
    """Return the cells as float64, NaN where missing; text is read by the rule of files, or in a notation.

    Dates and times are days since 1970 under a notation of dates, and otherwise milliseconds.
    Messages count rows from `first_row` on.

    >>> numbers(np.array(["1.5", None], dtype=object), "age").tolist()
    [1.5, nan]
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        settled = settle(values)
        values = pa.array(values, pa.float64(), from_pandas=True) if settled is values else settled
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        values = arrow_of(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub":
        result = _from_array(values, name)
    elif not isinstance(values, np.ndarray | Coded) and _is_direct(values.type):
        result = _from_arrow(values, name)
        result = result / DAY if notation in DATES and is_time_type(values.type) else result
    else:
        result = _from_labels(distinct(values), name, notation)
    refuse_infinite(result, name, first_row)
    return result


def texts(values: Cells) -> NDArray[Any]:
    """Return the cells as Python strings, None where missing."""
    column = distinct(values)
    labels = np.array([*(None if t is None else str(t) for t in column.labels), None], dtype=object)
    return labels[column.codes]


def refuse_infinite(values: Values, name: str, first_row: int = 0) -> None:
    """Raise if a value is infinite."""
    with np.errstate(all="ignore"):
        total = values.sum()  # one pass without a temporary array settles the usual case
    if np.isfinite(total):
        return
    rows = np.flatnonzero(np.isinf(values))
    if len(rows):
        raise CellError(
            f"column {name!r} holds infinity ({values[rows[0]]} in row {first_row + rows[0]})",
            "; expected finite numbers: replace it, or use NaN for missing",
        )


def _kind_of_array(values: NDArray[Any], name: str) -> Kind:
    if values.dtype.kind in "iufMO":  # an array of objects that is left as it is holds real numbers only
        return Kind.NUMERIC
    if values.dtype.kind in "bUST":
        return Kind.NOMINAL
    raise _unreadable(name, values.dtype)


def kind_of_type(kind: pa.DataType, name: str) -> Kind:
    """Return the kind of a column of this Arrow type."""
    types = pa.types
    if types.is_dictionary(kind) or types.is_boolean(kind) or _is_string(kind):
        return Kind.NOMINAL
    if _is_direct(kind):
        return Kind.NUMERIC
    raise _unreadable(name, kind)


def _unreadable(name: str, kind: object) -> CellError:
    what = "Complex data not supported: " if "complex" in str(kind) else ""
    return CellError(
        f"{what}column {name!r} is of type {kind}",
        f"; expected text, truth values, numbers or dates: convert it, or leave it out with ignore=[{name!r}]",
    )


def _is_string(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_direct(kind: pa.DataType) -> bool:
    """Return True for types whose cells are numbers already."""
    types = pa.types
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return bool(is_number or types.is_null(kind) or is_time_type(kind))


def _is_number(label: Label | None) -> bool:
    return label is None or (isinstance(label, int | float) and not isinstance(label, bool))


def _from_array(values: NDArray[Any], name: str) -> Values:
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size:
        refuse_inexact(int(values.min()), int(values.max()), name)
    return values.astype(np.float64, copy=False)


def _from_arrow(values: pa.Array | pa.ChunkedArray, name: str) -> Values:
    if is_time_type(values.type):
        values = pc.cast(pc.cast(values, pa.timestamp("ms"), safe=False), pa.int64())
    if pa.types.is_integer(values.type) and len(values) > values.null_count:
        ends = pc.min_max(values).as_py()
        refuse_inexact(ends["min"], ends["max"], name)
    numbers = pc.cast(values, pa.float64())
    result: Values = numbers.to_numpy(zero_copy_only=False) if isinstance(numbers, pa.Array) else numbers.to_numpy()
    return result


def refuse_inexact(lowest: int, highest: int, name: str) -> None:
    """Raise if a whole number is too large to be exact as float64."""
    if max(-lowest, highest) > EXACT:
        raise CellError(
            f"column {name!r} holds {highest if highest > EXACT else lowest}; whole numbers beyond 2^53 are not exact "
            "as numbers",
            f": keep them as names with nominal=[{name!r}], or leave the column out",
        )


def _from_labels(column: Coded, name: str, notation: str) -> Values:
    table = np.empty(len(column.labels) + 2)
    table[: len(column.labels)] = [_number(label, name, notation) for label in column.labels]
    table[-2:] = np.nan
    result: Values = table[column.codes]
    return result


def _number(label: Label | None, name: str, notation: str) -> float:
    if label is None:
        return np.nan
    if isinstance(label, int):
        refuse_inexact(label, label, name)
    if not isinstance(label, str):
        return float(label)
    text = label.strip(" ")
    if text in DEFAULT_MISSING:
        return np.nan
    if notation:
        value = values_of([text], notation)
        if value is not None:
            return float(value[0])
        if notation in DATES:
            raise CellError(
                f"column {name!r} holds {label!r}",
                f"; expected {notation_title(notation)}, as in training: mend the value",
            )
    # Python reads more than the rule of files: 1_000, digits of other scripts, nan, infinity.
    if not _DECIMAL.fullmatch(text):
        raise CellError(
            f"column {name!r} holds {label!r}, which is not a number",
            f"; expected numbers: mend the value, or let the column be names from training on, with nominal=[{name!r}]",
        )
    return float(text)
