"""Rows in the form in which they were given: arrays, pandas, polars and Arrow, with made-up rows at the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.arrays import Rows
from crake.slow_modules import sklearn_utils
from crake.table.convert.export import label_array, to_arrow
from crake.table.convert.frames import is_frame
from crake.table.schema import Kind
from crake.table.sources.memory import stacked
from crake.table.table import Table


def resampled(X: Any, y: Any, rows: Rows, made: Table | None) -> tuple[Any, Any]:
    """Return these rows of X and y, then the made-up ones, in the forms of X and y."""
    if made is None or not len(made):
        return _some(X, rows), _some(y, rows)
    # Rows are copied once where all of them stay: when the new ones are appended.
    is_whole = np.array_equal(rows, np.arange(len(y)))
    kept, labels = (X, y) if is_whole else (_some(X, rows), _some(y, rows))
    more = label_array(made.schema.classes)[made.target]
    features = made.select([column.name for column in made.schema.columns if column.name != made.schema.target])
    return _with_rows(kept, features), _with_labels(labels, more)


def in_one_dimension(y: Any, labels: NDArray[Any]) -> Any:
    """Return y as it was given if it is a row of labels, and the labels of it if it is a table of one column.

    >>> in_one_dimension([[1], [0]], np.array([1, 0])), in_one_dimension([1, 0], np.array([1, 0]))
    (array([1, 0]), [1, 0])
    """
    dimensions = len(y.shape) if hasattr(y, "shape") else np.ndim(y)
    return labels if dimensions > 1 else y


def _some(values: Any, rows: Rows) -> Any:
    # It knows every form that scikit-learn takes.
    return sklearn_utils._safe_indexing(values, rows)  # noqa: SLF001


def _with_labels(labels: Any, more: NDArray[Any]) -> Any:
    if isinstance(labels, list | tuple):
        return [*labels, *more.tolist()]
    if isinstance(labels, np.ndarray):
        return np.concatenate([labels, more.astype(labels.dtype)])
    if hasattr(labels, "iloc"):
        import pandas as pd  # noqa: PLC0415 (the labels are its own)

        added = pd.Series(more, dtype=labels.dtype, name=labels.name)
        return pd.concat([labels, added], ignore_index=True)
    if isinstance(labels, pa.Array | pa.ChunkedArray):
        return pa.chunked_array([*_chunks(labels), pa.array(more.tolist(), labels.type)])
    return type(labels)(labels.name, [*labels.to_list(), *more.tolist()], dtype=labels.dtype)  # a series of polars


def _with_rows(kept: Any, made: Table) -> Any:
    if not is_frame(kept):
        return _with_array_rows(np.asarray(kept), made)
    added = to_arrow(made)
    if isinstance(kept, pa.Table):
        columns = [_arrow_column(added, name, kept.schema.field(name).type, len(made)) for name in kept.column_names]
        return pa.concat_tables([kept, pa.table(columns, kept.column_names)], promote_options="permissive")
    return _with_pandas_rows(kept, added) if hasattr(kept, "iloc") else _with_polars_rows(kept, added)


def _with_array_rows(kept: NDArray[Any], made: Table) -> NDArray[Any]:
    if kept.dtype.kind in "fiub":
        numbers = made.require_memory().existing_matrix(made.schema.names)
        if numbers is None or numbers.dtype != np.float64:
            numbers = stacked([_cells(made, name) for name in made.schema.names], len(made), np.float64)
        is_kept = kept.dtype.kind == "f" or bool(np.all(numbers == np.floor(numbers)))
        return np.concatenate([kept, numbers], dtype=kept.dtype if is_kept else np.float64, casting="unsafe")
    cells = np.empty((len(made), len(made.schema.names)), object)
    for j, name in enumerate(made.schema.names):
        cells[:, j] = _cells(made, name)
    return np.concatenate([kept.astype(object), cells])


def _cells(made: Table, name: str) -> NDArray[Any]:
    """Return the cells of a column: numbers, or levels with None where missing."""
    column, values = made.schema[name], made.column(name)
    if column.kind is not Kind.NOMINAL:
        return np.asarray(values)
    cells: NDArray[Any] = np.array([*column.levels, None], object)[values]
    return cells


def _arrow_column(added: pa.Table, name: str, kind: pa.DataType, rows: int) -> Any:
    if name not in added.column_names:
        return pa.nulls(rows, kind)
    column = added.column(name)
    if pa.types.is_dictionary(column.type):
        return pa.array(column.to_pylist(), kind.value_type if pa.types.is_dictionary(kind) else kind).cast(kind)
    return column


def _with_pandas_rows(kept: Any, added: pa.Table) -> Any:
    import pandas as pd  # noqa: PLC0415 (the frame is its own)

    columns = {}
    for place, name in enumerate(kept.columns):
        kind = kept.dtypes.iloc[place]
        if str(name) not in added.column_names:
            columns[name] = pd.Series([None] * added.num_rows, dtype=object)
            continue
        own = added.column(str(name))
        is_named = pa.types.is_dictionary(own.type)
        columns[name] = pd.Series(own.to_pylist(), dtype=kind) if is_named else _as_whole(own.to_pandas(), kind)
    return pd.concat([kept, pd.DataFrame(columns)], ignore_index=True)


def _as_whole(numbers: Any, kind: Any) -> Any:
    """Return a column of whole numbers as the type of the frame's; fractions stay as they are."""
    is_whole = getattr(kind, "kind", "") in "iu" and bool((numbers == numbers.round()).all())
    return numbers.astype(kind) if is_whole else numbers


def _with_polars_rows(kept: Any, added: pa.Table) -> Any:
    import polars as pl  # noqa: PLC0415 (the frame is its own)

    columns = []
    for name, kind in kept.schema.items():
        if name not in added.column_names:
            columns.append(pl.Series(name, [None] * added.num_rows, dtype=kind))
            continue
        own = added.column(name)
        is_named = pa.types.is_dictionary(own.type)
        columns.append(
            pl.Series(name, own.to_pylist(), dtype=kind) if is_named else _polars_numbers(pl, name, own, kind)
        )
    return pl.concat([kept, pl.DataFrame(columns)], how="vertical_relaxed")


def _polars_numbers(pl: Any, name: str, own: Any, kind: Any) -> Any:
    numbers = pl.Series(name, own.to_pylist())
    is_whole = kind.is_integer() and bool((numbers == numbers.round()).all())
    return numbers.cast(kind) if is_whole or kind.is_temporal() else numbers


def _chunks(labels: Any) -> list[Any]:
    return list(labels.chunks) if isinstance(labels, pa.ChunkedArray) else [labels]
