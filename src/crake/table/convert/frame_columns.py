"""The names and columns of a data frame of any library, or of an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.errors import SchemaError
from crake.table.codes import Cells, Coded, distinct, plain_label, settle
from crake.table.column_names import unique_names
from crake.table.lazy_frames import raise_lazy, refuse_lazy


def columns_of(frame: object) -> tuple[list[str], list[Cells], tuple[str, ...]]:
    """Return the names and columns of a data frame, and notes on names that had to be changed."""
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return _named(frame.schema.names, [frame.column(i) for i in range(frame.num_columns)])
    refuse_lazy(frame)
    import narwhals as nw  # noqa: PLC0415  # only data frames of other libraries need it

    if nw.dependencies.is_pandas_dataframe(frame):
        return _named(list(frame.columns), [_of_pandas(frame.iloc[:, i]) for i in range(frame.shape[1])])
    eager = nw.from_native(frame, pass_through=True)
    if isinstance(eager, nw.LazyFrame):
        raise_lazy(frame)
    if isinstance(eager, nw.DataFrame):
        return _named(eager.columns, [_of_narwhals(eager[name]) for name in eager.columns])
    if hasattr(frame, "__arrow_c_stream__"):
        return columns_of(pa.table(frame))
    raise SchemaError(
        f"found a {type(frame).__name__}; expected a data frame (pandas, polars, pyarrow or another that "
        f"speaks Arrow) or a two-dimensional array"
    )


def _named(names: Sequence[object], columns: list[Cells]) -> tuple[list[str], list[Cells], tuple[str, ...]]:
    unique, notes = unique_names([str(name) for name in names])
    return unique, columns, tuple(notes)


def _of_pandas(series: Any) -> Cells:
    if isinstance(series.dtype, np.dtype):
        values = series.to_numpy()
        return settle(values) if values.dtype.kind == "O" else values
    if series.dtype.name == "category":
        labels = [plain_label(label) for label in series.cat.categories]
        return Coded(labels, series.cat.codes.to_numpy().astype(np.int32), declared=True)
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, NotImplementedError):  # types of extensions that Arrow does not know
        return settle(series.to_numpy(dtype=object))


def _of_narwhals(series: Any) -> Cells:
    import narwhals as nw  # noqa: PLC0415  # loaded already

    if series.dtype == nw.Object:
        return settle(series.to_numpy())
    try:
        values = series.to_arrow()
    except (pa.ArrowException, NotImplementedError):  # types that only the library itself knows, such as Int128
        raise SchemaError(
            f"column {series.name!r} is of type {series.dtype}, which Arrow does not know; convert it, as to Int64 or "
            "Float64, or drop it"
        ) from None
    if series.dtype == nw.Categorical and series.implementation.is_polars():
        # polars keeps the categories of all columns in one pool, in the order first seen: nothing is declared.
        coded = distinct(values)
        return Coded(coded.labels, coded.codes)
    return values


def columns_of_array(matrix: NDArray[Any]) -> list[Cells]:
    """Return the columns of a two-dimensional array, objects settled."""
    are_objects = matrix.dtype.kind == "O"
    return [settle(column) if are_objects else column for column in matrix.T]


def array_names(width: int) -> list[str]:
    """Return the names of an array's columns, as scikit-learn names them.

    >>> array_names(3)
    ['x0', 'x1', 'x2']
    """
    return [f"x{j}" for j in range(width)]


def labels_of(y: Any) -> Cells:
    """Return class labels from a list, an array, or a series of any library."""
    if isinstance(y, pa.Array | pa.ChunkedArray):
        return y
    if hasattr(y, "iloc") and y.ndim == 1:
        return _of_pandas(y)
    labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if labels.dtype.kind in "US" and not isinstance(y, np.ndarray):  # NumPy writes numbers beside text as text
        labels = np.asarray(y, dtype=object)
    if labels.ndim != 1:
        raise SchemaError(f"y has {labels.ndim} dimensions; expected one label a row: y.ravel()")
    return settle(labels) if labels.dtype.kind == "O" else labels
