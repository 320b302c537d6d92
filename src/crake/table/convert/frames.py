"""From data in memory to a Table: a data frame, X and y, or new rows under a fitted schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import ColumnNotFound, SchemaError
from crake.table import cells, codes
from crake.table.batch import Values
from crake.table.codes import Cells
from crake.table.column_options import ColumnKeywords, ColumnOptions
from crake.table.convert import known_schema as fitted
from crake.table.convert import matrices
from crake.table.convert.frame_columns import array_names, columns_of, columns_of_array, labels_of
from crake.table.dates import TYPED
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource, code_type
from crake.table.table import Table

Nominal = str | Sequence[str | int]
"""The nominal columns of X: "auto" (by their types), "all", or a list of names and positions."""


def from_frame(frame: object, *, name: str = "table", **keywords: Unpack[ColumnKeywords]) -> Table:
    """Return the table of a pandas, polars, Arrow or other data frame; kinds by its types unless asked otherwise.

    >>> import pyarrow as pa
    >>> frame = pa.table({"outlook": ["sunny", "rainy", None], "temp": [25, 11, 19], "play": [False, True, True]})
    >>> table = from_frame(frame, target="play")
    >>> [(column.name, column.kind.value, column.levels) for column in table.schema.columns]
    [('outlook', 'nominal', ('rainy', 'sunny')), ('temp', 'numeric', ()), ('play', 'nominal', (False, True))]
    """
    return table_of_frame(frame, name, ColumnOptions.of(**keywords))


def table_of_frame(frame: object, name: str, options: ColumnOptions) -> Table:
    """Return the table of a data frame under options on its columns."""
    names, columns, notes = columns_of(frame)
    options = options.resolved(names, name)
    requested = options.kinds(names, name)
    kinds = [requested.get(n) or cells.kind_of(values, n) for n, values in zip(names, columns, strict=True)]
    table = _build(names, columns, kinds)
    schema = table.schema.with_target(options.target)
    return Table(schema, table.source, name, notes=(*notes, *table.notes))


def from_xy(
    X: object,
    y: object = None,
    *,
    nominal: Nominal = "auto",
    sample_weight: ArrayLike | None = None,
    target_name: str = "target",
    narrow: bool = False,
) -> Table:
    """Return a Table of features and labels; a row-major float64 array is read in place.

    narrow : codes of features in as few bytes as their levels need, for learners that read them a few rows at a time.

    >>> table = from_xy(np.array([[0, 7], [1, 7]]), ["no", "yes"], nominal="all")
    >>> [column.levels for column in table.schema.columns]
    [(0, 1), (7,), ('no', 'yes')]
    """
    table = _features(X, nominal, narrow=narrow)
    if sample_weight is not None:
        table = replace(table, weights=_weights(sample_weight, len(table)))
    return table if y is None else with_labels(table, y, target_name)


def encode(X: object, schema: Schema, *, by_name: bool = False) -> Table:
    """Return new rows under the kinds and levels of a fitted schema.

    A value that is not among the levels becomes UNSEEN. Columns are taken by position, in the order of
    `schema.features`; by name if asked, and always if X is a Table.

    >>> fitted = from_xy(np.array([["a"], ["b"]])).schema
    >>> encode(np.array([["b"], ["c"]]), fitted).column("x0").tolist()
    [1, -2]
    """
    if isinstance(X, Table):
        return fitted.encode_table(X, schema)
    if not is_frame(X):
        return _encode_matrix(_matrix(X), schema)
    if by_name:
        return fitted.encode_named(X, schema)
    _, columns, _ = columns_of(X)
    _check_width(len(columns), schema)
    return fitted.encode_columns(columns, schema.features)


def is_frame(X: object) -> bool:
    """Return True if X is a data frame, with columns of their own types, and not an array or a list."""
    if isinstance(X, np.ndarray | list | tuple) or hasattr(X, "__array_interface__"):
        return False
    if any(hasattr(X, protocol) for protocol in ("__arrow_c_stream__", "__dataframe__")):
        return True
    import narwhals as nw  # noqa: PLC0415  # lazy frames and rarer libraries

    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame | nw.LazyFrame)


def _encode_matrix(matrix: NDArray[Any], schema: Schema) -> Table:
    _check_width(matrix.shape[1], schema)
    whole = matrices.encode(matrix, schema.features)
    if whole is not None:
        return whole
    return fitted.encode_columns(columns_of_array(matrix), schema.features)


def _features(X: object, nominal: Nominal, *, narrow: bool) -> Table:
    if is_frame(X):
        names, columns, notes = columns_of(X)
        table = _by_column(names, columns, _positions(names, nominal), narrow=narrow)
        return replace(table, notes=(*notes, *table.notes))
    matrix = _matrix(X)
    names = array_names(matrix.shape[1])
    requested = _positions(names, nominal)
    whole = matrices.observe(matrix, names, requested, narrow=narrow)
    return whole if whole is not None else _by_column(names, columns_of_array(matrix), requested, narrow=narrow)


def _by_column(names: Sequence[str], columns: Sequence[Cells], nominal: set[int], *, narrow: bool) -> Table:
    kinds = [Kind.NOMINAL if j in nominal else cells.kind_of(values, names[j]) for j, values in enumerate(columns)]
    return _build(names, columns, kinds, narrow=narrow)


def _build(names: Sequence[str], columns: Sequence[Cells], kinds: Sequence[Kind], *, narrow: bool = False) -> Table:
    """Return a Table of columns whose kinds are settled."""
    described: list[Column] = []
    arrays: dict[str, NDArray[Any]] = {}
    notes: list[str] = []
    for name, values, kind in zip(names, columns, kinds, strict=True):
        column, array = _column(name, values, kind)
        described.append(column)
        if array is not None:
            is_code = narrow and kind is Kind.NOMINAL
            arrays[name] = array.astype(code_type(len(column.levels)), copy=False) if is_code else array
        if column.is_date:
            notes.append(f"column {name!r} holds dates: learners see days since 1970")
    rows = len(columns[0]) if columns else 0
    return Table(Schema(tuple(described)), MemorySource(arrays, rows), notes=tuple(notes))


def _column(name: str, values: Cells, kind: Kind) -> tuple[Column, NDArray[Any] | None]:
    if kind is Kind.IGNORED:
        return Column(name, kind), None
    cells.check_readable(values, name)
    if kind is Kind.NUMERIC:
        notation = TYPED if cells.is_time(values) else ""
        return Column(name, kind, notation=notation), cells.numbers(values, name, notation=notation)
    if kind is Kind.TEXT:
        return Column(name, kind), cells.texts(values)
    if isinstance(values, np.ndarray):
        return _observed(name, values)
    coded = codes.distinct(values)
    if not coded.declared:
        return _observed(name, coded)
    levels = codes.each_once(coded.labels)
    return Column(name, kind, levels, declared=True), codes.encode(coded, levels)


def _observed(name: str, values: Cells) -> tuple[Column, NDArray[Any]]:
    levels, coded = matrices.observe_labels(values)
    return Column(name, Kind.NOMINAL, levels), coded


def with_labels(table: Table, y: object, target_name: str = "target") -> Table:
    """Return the table with these labels as its target."""
    labels = labels_of(y)
    if len(labels) != len(table):
        raise SchemaError(f"X has {len(table)} rows, y has {len(labels)} labels; expected one label a row")
    levels, target = matrices.observe_labels(labels)
    name = target_name
    while name in table.schema:
        name = f"_{name}"
    schema = Schema((*table.schema.columns, Column(name, Kind.NOMINAL, levels)), name)
    return replace(table, schema=schema, source=table.require_memory().with_columns({name: target}))


def _weights(sample_weight: ArrayLike, rows: int) -> Values:
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (rows,):
        raise SchemaError(f"sample_weight has shape {weights.shape}; expected one weight a row: ({rows},)")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise SchemaError("sample_weight holds a negative or non-finite weight; expected 0 or more")
    return weights


def _matrix(X: Any) -> NDArray[Any]:
    matrix = np.asarray(X)
    if matrix.dtype.kind in "US" and not isinstance(X, np.ndarray):  # NumPy writes numbers beside text as text
        matrix = np.asarray(X, dtype=object)
    if matrix.ndim != 2:
        raise SchemaError(f"X has {matrix.ndim} dimensions; expected a table of rows and columns: X.reshape(-1, 1)")
    return matrix


def _check_width(width: int, schema: Schema) -> None:
    expected = len(schema.features)
    if width != expected:
        raise SchemaError(f"X has {width} columns; the model was fitted with {expected}")


def _positions(names: Sequence[str], nominal: Nominal) -> set[int]:
    """Return the positions of the columns asked for as nominal."""
    if isinstance(nominal, str):
        if nominal not in ("auto", "all"):
            raise SchemaError(f"nominal={nominal!r}; expected 'auto', 'all' or a list of columns: [{nominal!r}]")
        return set(range(len(names))) if nominal == "all" else set()
    return {_position(names, column) for column in nominal}


def _position(names: Sequence[str], column: str | int) -> int:
    if isinstance(column, str) and column in names:
        return names.index(column)
    if not isinstance(column, str) and -len(names) <= column < len(names):
        return int(column) % len(names)
    raise ColumnNotFound(column, names)
