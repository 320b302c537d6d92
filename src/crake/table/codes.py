"""Nominal values and their codes: each distinct value is looked at once, whatever the number of rows."""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.table.batch import MISSING, UNSEEN
from crake.table.schema import Label, sorted_levels


@dataclass(frozen=True)
class Coded:
    """A column as its distinct labels (None = missing) and, for every row, the position of its label.

    `declared` says that the labels and their order come with the column (a categorical type); `ordered`
    that they are the levels already: each is used, and they stand in their one order.
    """

    labels: Sequence[Label | None]
    codes: Codes
    declared: bool = False
    ordered: bool = False

    def __len__(self) -> int:
        return len(self.codes)


Cells: TypeAlias = NDArray[Any] | pa.Array | pa.ChunkedArray | Coded
"""One column, from wherever it came."""


def observe(values: Cells) -> tuple[tuple[Label, ...], Codes]:
    """Return the levels that occur, in their one order, and the code of every row.

    >>> levels, codes = observe(np.array(["b", "a", None, "b"], dtype=object))
    >>> levels, codes.tolist()
    (('a', 'b'), [1, 0, -1, 1])
    """
    column = distinct(values)
    if column.ordered:
        return cast("tuple[Label, ...]", tuple(column.labels)), column.codes
    levels = sorted_levels(used_labels(column))
    return levels, _recode(column, levels)


def encode(values: Cells, levels: Sequence[Label]) -> Codes:
    """Return the code of every row under these levels: MISSING for no value, UNSEEN for one not among them.

    Values match as they are equal in Python (1 and 1.0). A value that is no level matches the one that a file would
    write the same but for blanks at the ends: some formats keep blanks, or read numbers as text, and some do not.

    >>> encode(np.array([1.0, 7.0, np.nan]), (1, 2)).tolist()
    [0, -2, -1]
    >>> encode(np.array(["b ", "b", "c"]), ("a", "b")).tolist()
    [1, 1, -2]
    >>> encode(np.array([1, 2]), ("1 ", "x")).tolist()
    [0, -2]
    """
    return _recode(distinct(values), levels)


def is_missing(values: Cells) -> NDArray[np.bool_]:
    """Return a mask of the rows without a value: None, NaN, NaT, a null.

    >>> is_missing(np.array(["a", None, float("nan")], dtype=object)).tolist()
    [False, True, True]
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuUS":
        return np.zeros(len(values), bool)
    if isinstance(values, np.ndarray) and values.dtype.kind in "fM":
        return np.asarray(values != values)  # noqa: PLR0124  # NaN and NaT are not equal to themselves
    return np.equal(encode(values, ()), MISSING)


def each_once(labels: Iterable[Label | None]) -> tuple[Label, ...]:
    """Return labels in the order given, each once, missing ones left out; True is not 1."""
    known = {(isinstance(label, bool), label): label for label in labels if label is not None}
    return tuple(known.values())


def used_labels(column: Coded) -> list[Label]:
    """Return the labels that at least one row has."""
    used = np.zeros(len(column.labels) + 1, bool)
    used[np.maximum(column.codes, -1)] = True
    return [label for label, is_used in zip(column.labels, used, strict=False) if is_used and label is not None]


def distinct(values: Cells) -> Coded:
    """Return the distinct values of a column, each once, in no particular order."""
    if isinstance(values, Coded):
        return values
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "T":  # NumPy's strings of any length, unknown to Arrow
            return distinct(values.astype(object))
        if values.dtype.kind != "O":
            return _distinct_arrow(arrow_of(values))
        settled = settle(values)
        return _distinct_one_by_one(values) if settled is values else distinct(settled)
    return _distinct_arrow(values)


def _recode(column: Coded, levels: Sequence[Label]) -> Codes:
    """Return codes by position in the levels for codes by position in the column's labels."""
    position = Positions(levels)
    table = np.empty(len(column.labels) + 2, np.int32)
    table[: len(column.labels)] = [position.of(label) for label in column.labels]
    table[MISSING], table[UNSEEN] = MISSING, UNSEEN  # a negative code reads the table from its end
    return table[column.codes]


class Positions:
    """Positions of the levels. True is not 1 where a column holds both truth values and numbers.

    >>> position = Positions(("a", " b", "b ", "c", "c ", "1"))
    >>> [position.of(label) for label in ("b", "c", "c ", " c", "d", 1.0)]  # the level without blanks, or the first
    [1, 3, 4, 3, -2, 5]
    """

    def __init__(self, levels: Sequence[Label]) -> None:
        truths = sum(isinstance(level, bool) for level in levels)
        numbers = sum(isinstance(level, int | float) for level in levels) - truths
        self._apart = truths > 0 and numbers > 0
        self._levels = levels
        self._codes = {self._key(level): code for code, level in enumerate(levels)}
        self._written: dict[str, int] | None = None

    def of(self, label: Label | None) -> int:
        """Return the code of a label: that of the equal level, else of the one written the same but for blanks."""
        if label is None:
            return MISSING
        code = self._codes.get(self._key(label))
        return self._as_written(label) if code is None else code

    def _as_written(self, label: Label) -> int:
        """Return the code of the level written like the label: best without blanks, then a text, then the first."""
        if self._written is None:
            self._written = {}
            texts = [(text_of(level), isinstance(level, str), code) for code, level in enumerate(self._levels)]
            for text, _, code in sorted(texts, key=lambda each: (each[0] != each[0].strip(), not each[1])):
                self._written.setdefault(text.strip(), code)
        return self._written.get(text_of(label).strip(), UNSEEN) if self._written else UNSEEN

    def _key(self, label: Label) -> object:
        return ("truth", label) if self._apart and isinstance(label, bool) else label


def text_of(label: Label) -> str:
    """Return the label as a file would write it.

    >>> text_of(2.0), text_of(2.5), text_of(True), text_of("a")
    ('2', '2.5', 'True', 'a')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def arrow_of(values: NDArray[Any]) -> pa.Array:
    """Return a NumPy array of one plain type as an Arrow array, nulls for NaN and NaT."""
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype.kind == "S":
        return pc.cast(pa.array(values), pa.string())
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    if values.dtype.kind == "M":
        values = values.astype(f"M8[{_time_unit(values.dtype)}]")
    return pa.array(np.ascontiguousarray(values), from_pandas=True)


def _time_unit(dtype: np.dtype[Any]) -> str:
    """Return the unit of Arrow that holds the times of this type; below nanoseconds they are cut off."""
    unit = np.datetime_data(dtype)[0]
    coarse, fine = dict.fromkeys(("Y", "M", "W"), "D"), dict.fromkeys(("ps", "fs", "as"), "ns")
    known = {unit: unit for unit in ("D", "s", "ms", "us", "ns")}
    return {**coarse, **fine, **known}.get(unit, "s")


def _distinct_arrow(values: pa.Array | pa.ChunkedArray) -> Coded:
    if pa.types.is_dictionary(values.type):
        labels, codes = _dictionary_parts(values)
        return Coded([plain_label(label) for label in labels.to_pylist()], codes, declared=True)
    if pa.types.is_null(values.type):
        return Coded([], np.full(len(values), MISSING, np.int32), ordered=True)
    if pa.types.is_float16(values.type):  # Arrow cannot add those
        values = pc.cast(values, pa.float32())
    if pa.types.is_floating(values.type):
        zero = pa.scalar(0, values.type)  # −0.0 + 0.0 is 0.0: two zeros would be two levels
        values = pc.if_else(pc.is_nan(values), None, pc.add(values, zero))
    if pa.types.is_string_view(values.type):
        values = pc.cast(values, pa.large_string())
    return _in_order(*_dictionary_parts(pc.dictionary_encode(values)))


def _in_order(labels: pa.Array, codes: Codes) -> Coded:
    """Return distinct values of one Arrow type, sorted; Arrow orders text by its bytes, which is Python's order."""
    order = pc.array_sort_indices(labels)
    rank = np.empty(len(labels) + 1, np.int32)
    rank[order.to_numpy()] = np.arange(len(labels), dtype=np.int32)
    rank[MISSING] = MISSING
    return Coded([plain_label(label) for label in labels.take(order).to_pylist()], rank[codes], ordered=True)


def _dictionary_parts(values: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, Codes]:
    """Return the values of a dictionary array, and the position of every row's value (MISSING for a null)."""
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries().combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # pyarrow keeps the wrapper around an empty column
            values = pa.concat_arrays(values.chunks) if values.chunks else pa.array([], values.type)
    codes = pc.fill_null(pc.cast(values.indices, pa.int32()), MISSING).to_numpy(zero_copy_only=False)
    return values.dictionary, np.ascontiguousarray(codes)


def settle(values: NDArray[Any]) -> Cells:
    """Return Python objects as an Arrow array if all are of one type, as labels and codes if types are mixed.

    Real numbers stay the array they are: Arrow would turn 1 beside 2.5 into 1.0.
    """
    try:
        arrow = pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, UnicodeEncodeError):
        return _distinct_one_by_one(values)
    if pa.types.is_binary(arrow.type):
        return _distinct_one_by_one(values)
    return values if pa.types.is_floating(arrow.type) else arrow


def _distinct_one_by_one(values: NDArray[Any]) -> Coded:
    """Return the labels told apart by type as well as by value, so that True and 1 stay two."""
    labels: dict[tuple[type, Label], int] = {}
    codes = np.empty(len(values), np.int32)
    for row, cell in enumerate(values):
        label = plain_label(cell)
        codes[row] = MISSING if label is None else labels.setdefault((type(label), label), len(labels))
    return Coded([label for _, label in labels], codes)


def plain_label(cell: object) -> Label | None:
    """Return a Python object as a label: text, truth values and numbers as they are, anything else as its text.

    None, NaN and pandas' NA are missing; an interval or a date becomes its text.

    >>> plain_label(np.float64(2.5)), plain_label(float("nan")), plain_label(True)
    (2.5, None, True)
    """
    if isinstance(cell, np.generic) and not isinstance(cell, np.datetime64 | np.timedelta64):
        cell = cell.item()
    if isinstance(cell, bool | int):
        return cell
    if isinstance(cell, float | decimal.Decimal):
        return None if math.isnan(cell) else float(cell)
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):  # known by name: pandas is not imported
        return None
    return str(cell)
