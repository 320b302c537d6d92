"""The way out: a Table as an Arrow table, and as the X and y that scikit-learn's searches slice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.errors import SchemaError
from crake.render.date_text import date_text
from crake.table.batch import UNSEEN
from crake.table.moments import moments
from crake.table.schema import Column, Kind, Label
from crake.table.table import Table


def to_xy(table: Table) -> tuple[pa.Table, NDArray[Any]]:
    """Return the features as an Arrow table and the labels as an array, without rows whose target is unknown.

    scikit-learn slices an Arrow table by rows and knows its column names; dictionary columns carry all
    levels, so that every fold is fitted under the same schema. Dates are numbers of days, which every learner
    reads. A numeric target gives float64.

    >>> from crake.table.convert.frames import from_frame
    >>> X, y = to_xy(from_frame(pa.table({"outlook": ["sunny", "rainy"], "play": ["no", "yes"]}), target="play"))
    >>> X.column_names, y.tolist()
    (['outlook'], ['no', 'yes'])
    """
    target = table.schema.target
    if target is not None and table.schema[target].kind is Kind.NUMERIC:
        y: NDArray[Any] = table.column(target)
        known = np.flatnonzero(~np.isnan(y))
        rows = table if len(known) == len(table) else table.take(known)
        y = np.ascontiguousarray(rows.column(target))
    else:
        rows = table.known()
        y = label_array(rows.schema.classes)[rows.target]
    return _arrow(rows.select([column.name for column in rows.schema.features]), _array), y


def to_arrow(table: Table) -> pa.Table:
    """Return dictionaries for nominal columns, doubles for numeric ones, points in time for dates, strings for text.

    Ignored columns are left out.

    >>> from crake.table.convert.frames import from_frame
    >>> to_arrow(from_frame(pa.table({"wind": ["weak", None]}))).column("wind").to_pylist()
    ['weak', None]
    """
    return _arrow(table, lambda column, values: moments(values) if column.is_date else _array(column, values))


def to_rows(table: Table) -> list[dict[str, Any]]:
    """Return each row as the values of its columns by name, None where missing; dates are texts.

    >>> from crake.table.convert.frames import from_frame
    >>> to_rows(from_frame(pa.table({"day": pa.array([19783], pa.date32()), "wind": ["weak"]})))
    [{'day': '2024-03-01', 'wind': 'weak'}]
    """
    rows: list[dict[str, Any]] = _arrow(table, _array).to_pylist()
    for name in [column.name for column in table.schema.columns if column.is_date]:
        for row in rows:
            row[name] = None if row[name] is None else date_text(row[name])
    return rows


def _arrow(table: Table, array_of: Callable[[Column, NDArray[Any]], pa.Array]) -> pa.Table:
    columns = [column for column in table.schema.columns if column.kind is not Kind.IGNORED]
    arrays = [array_of(column, table.column(column.name)) for column in columns]
    if not arrays:  # a table without columns still has its rows
        return pa.table({"": pa.nulls(len(table))}).select([])
    return pa.Table.from_arrays(arrays, names=[column.name for column in columns])


def label_array(labels: Sequence[Label]) -> NDArray[Any]:
    """Return labels as an array of their own type; of objects where types are mixed.

    >>> label_array(("no", "yes")).dtype.kind, label_array((1, "a")).dtype.kind
    ('U', 'O')
    """
    kinds = {type(label) for label in labels}
    if len(kinds) != 1:
        return np.array(labels, dtype=object)
    array = np.array(labels)
    if kinds == {int} and array.dtype.kind == "f":  # NumPy's type for 7 beside 2^63, which loses digits
        return np.array(labels, dtype=np.uint64 if array.min() >= 0 else object)
    return array


def _array(column: Column, values: NDArray[Any]) -> pa.Array:
    if column.kind is Kind.NOMINAL:
        return _dictionary_array(column, values)
    if column.kind is Kind.NUMERIC:
        return pa.array(np.ascontiguousarray(values), from_pandas=True)
    return pa.array(values, pa.string())


def _dictionary_array(column: Column, codes: Codes) -> pa.Array:
    if np.any(codes == UNSEEN):
        raise SchemaError(
            f"column {column.name!r} holds values that are not among its levels and are no longer known; "
            f"convert the table it came from"
        )
    indices = pa.array(np.ascontiguousarray(codes), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, _level_array(column))


def _level_array(column: Column) -> pa.Array:
    """Return the levels as one Arrow type: as they are if of one type, as float64 if numbers, otherwise as text."""
    kinds = {type(level) for level in column.levels}
    if kinds == {int, float}:
        return pa.array([float(level) for level in column.levels])
    if len(kinds) == 1:
        return pa.array(column.levels)
    texts = [str(level) for level in column.levels]
    if len(set(texts)) < len(texts):
        raise SchemaError(
            f"column {column.name!r} has levels of several types that are written the same ({', '.join(texts)}); "
            f"Arrow cannot hold them apart: give the column one type"
        )
    return pa.array(texts, pa.string())
