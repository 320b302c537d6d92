"""From data in memory to a Table: a data frame, X and y, or new rows under a fitted schema."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import ColumnNotFound, SchemaError
from crake.table import cells, codes, matrices
from crake.table.batch import Values
from crake.table.codes import Cells
from crake.table.columns import array_names, columns_of, columns_of_array, labels_of
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

Nominal = str | Sequence[str | int]
"""Which columns of X are nominal: "auto" (by their types), "all", or a list of names and positions."""


def from_frame(
    frame: object,
    *,
    name: str = "table",
    target: str | None = None,
    nominal: Iterable[str] = (),
    numeric: Iterable[str] = (),
    text: Iterable[str] = (),
    ignore: Iterable[str] = (),
) -> Table:
    """A Table of a pandas, polars, Arrow or other data frame; kinds by its types unless asked otherwise.

    >>> import pyarrow as pa
    >>> frame = pa.table({"outlook": ["sunny", "rainy", None], "temp": [25, 11, 19], "play": [False, True, True]})
    >>> table = from_frame(frame, target="play")
    >>> [(column.name, column.kind.value, column.levels) for column in table.schema.columns]
    [('outlook', 'nominal', ('rainy', 'sunny')), ('temp', 'numeric', ()), ('play', 'nominal', (False, True))]
    """
    names, columns, notes = columns_of(frame)
    wishes = {Kind.NOMINAL: nominal, Kind.NUMERIC: numeric, Kind.TEXT: text, Kind.IGNORED: ignore}
    asked = _asked(names, wishes)
    kinds = [asked.get(n) or cells.kind_of(values, n) for n, values in zip(names, columns, strict=True)]
    table = _build(names, columns, kinds)
    schema = table.schema.with_target(target)
    return Table(schema, table.source, name, notes=(*notes, *table.notes))


def from_xy(
    X: object,
    y: object = None,
    *,
    nominal: Nominal = "auto",
    sample_weight: ArrayLike | None = None,
    target_name: str = "target",
) -> Table:
    """A Table of features and labels; a row-major float64 array is read in place.

    >>> table = from_xy(np.array([[0, 7], [1, 7]]), ["no", "yes"], nominal="all")
    >>> [column.levels for column in table.schema.columns]
    [(0, 1), (7,), ('no', 'yes')]
    """
    table = _features(X, nominal)
    if sample_weight is not None:
        table = replace(table, weights=_weights(sample_weight, len(table)))
    return table if y is None else _with_labels(table, y, target_name)


def encode(X: object, schema: Schema, *, by_name: bool = False) -> Table:
    """New rows under the kinds and levels of a fitted schema.

    A value that is not among the levels becomes UNSEEN. Columns are taken by position, in the order of
    `schema.features`; by name if asked, and always if X is a Table.

    >>> fitted = from_xy(np.array([["a"], ["b"]])).schema
    >>> encode(np.array([["b"], ["c"]]), fitted).source.column("x0").tolist()
    [1, -2]
    """
    if isinstance(X, Table):
        return _encode_table(X, schema)
    if by_name and not isinstance(X, np.ndarray | list | tuple):
        return _encode_named(X, schema)
    if not _is_frame(X):
        matrix = _matrix(X)
        _check_width(matrix.shape[1], schema)
        coded = matrices.encode(matrix, schema.features)
        columns = columns_of_array(matrix) if coded is None else []
        return coded if coded is not None else _encode_columns(columns, schema.features)
    _, columns, _ = columns_of(X)
    _check_width(len(columns), schema)
    return _encode_columns(columns, schema.features)


def _features(X: object, nominal: Nominal) -> Table:
    notes: tuple[str, ...] = ()
    if _is_frame(X):
        names, columns, notes = columns_of(X)
    else:
        matrix = _matrix(X)
        names = array_names(matrix.shape[1])
        asked = _positions(names, nominal)
        whole = matrices.observe(matrix, names, all_nominal=len(asked) == len(names), any_nominal=bool(asked))
        if whole is not None:
            return whole
        columns = columns_of_array(matrix)
    asked = _positions(names, nominal)
    kinds = [Kind.NOMINAL if j in asked else cells.kind_of(values, names[j]) for j, values in enumerate(columns)]
    table = _build(names, columns, kinds)
    return replace(table, notes=(*notes, *table.notes))


def _build(names: Sequence[str], columns: Sequence[Cells], kinds: Sequence[Kind]) -> Table:
    """A Table of columns whose kinds are settled."""
    described: list[Column] = []
    arrays: dict[str, NDArray[Any]] = {}
    notes: list[str] = []
    for name, values, kind in zip(names, columns, kinds, strict=True):
        column, array = _column(name, values, kind)
        described.append(column)
        if array is not None:
            arrays[name] = array
        if kind is Kind.NUMERIC and cells.is_time(values):
            notes.append(f"column {name!r} holds dates: read as milliseconds since 1970")
    rows = len(columns[0]) if columns else 0
    return Table(Schema(tuple(described)), MemorySource(arrays, rows), notes=tuple(notes))


def _column(name: str, values: Cells, kind: Kind) -> tuple[Column, NDArray[Any] | None]:
    if kind is Kind.NUMERIC:
        return Column(name, kind), cells.numbers(values, name)
    if kind is Kind.TEXT:
        return Column(name, kind), cells.texts(values)
    if kind is Kind.IGNORED:
        return Column(name, kind), None
    coded = codes.distinct(values)
    if not coded.declared:
        levels, observed = codes.observe(coded)
        return Column(name, kind, levels), observed
    levels = tuple(dict.fromkeys(label for label in coded.labels if label is not None))
    return Column(name, kind, levels, declared=True), codes.encode(coded, levels)


def _encode_columns(columns: Sequence[Cells], described: Sequence[Column]) -> Table:
    arrays = {c.name: _encoded(c, values) for c, values in zip(described, columns, strict=True)}
    rows = len(columns[0]) if columns else 0
    return Table(Schema(tuple(described)), MemorySource(arrays, rows))


def _encoded(column: Column, values: Cells) -> NDArray[Any]:
    if column.kind is Kind.NUMERIC:
        return cells.numbers(values, column.name)
    return codes.encode(values, column.levels)


def _encode_named(frame: object, schema: Schema) -> Table:
    """The features, and the target where the frame has it, found by their names."""
    names, columns, notes = columns_of(frame)
    place = {name: j for j, name in enumerate(names)}
    wanted = _wanted(schema, names)
    table = _encode_columns([columns[place[c.name]] for c in wanted], wanted)
    target = schema.target if any(c.name == schema.target for c in wanted) else None
    return replace(table, schema=table.schema.with_target(target), notes=(*notes, *_left_over(schema, names)))


def _encode_table(table: Table, schema: Schema) -> Table:
    wanted = _wanted(schema, table.schema.names)
    columns = [_cells_of(table, column) for column in wanted]
    encoded = _encode_columns(columns, wanted)
    target = schema.target if any(c.name == schema.target for c in wanted) else None
    return replace(
        table,
        schema=encoded.schema.with_target(target),
        source=encoded.source,
        notes=(*table.notes, *_left_over(schema, table.schema.names)),
    )


def _cells_of(table: Table, wanted: Column) -> Cells:
    """A column of a table as cells; numbers are written out where the levels are text ("1" for 1.0)."""
    column = table.schema[wanted.name]
    if column.kind is Kind.IGNORED:
        raise SchemaError(f"column {column.name!r} is needed but was ignored when {table.name} was read")
    array = table.source.column(column.name)
    if column.kind is Kind.NOMINAL:
        return codes.Coded(column.levels, array)
    if wanted.kind is Kind.NUMERIC or not all(isinstance(level, str) for level in wanted.levels):
        return array
    return codes.written(codes.distinct(array))


def _wanted(schema: Schema, names: Sequence[str]) -> list[Column]:
    """The columns of the schema to look for: all features, and the target if it is there."""
    absent = [column.name for column in schema.features if column.name not in names]
    if len(absent) == 1:
        raise ColumnNotFound(absent[0], names)
    if absent:
        raise SchemaError(f"columns are missing: {', '.join(absent)}. Columns found: {', '.join(names)}")
    return [
        column
        for column in schema.columns
        if column in schema.features or (column.name == schema.target and column.name in names)
    ]


def _left_over(schema: Schema, names: Sequence[str]) -> tuple[str, ...]:
    extra = [name for name in names if name not in schema]
    return (f"columns the model does not know, not used: {', '.join(extra)}",) if extra else ()


def _with_labels(table: Table, y: object, target_name: str) -> Table:
    labels = labels_of(y)
    if len(labels) != len(table):
        raise SchemaError(f"X has {len(table)} rows, y has {len(labels)} labels; expected one label a row")
    levels, target = codes.observe(labels)
    name = target_name
    while name in table.schema:
        name = f"_{name}"
    schema = Schema((*table.schema.columns, Column(name, Kind.NOMINAL, levels)), name)
    return replace(table, schema=schema, source=table.source.with_columns({name: target}))


def _weights(sample_weight: ArrayLike, rows: int) -> Values:
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (rows,):
        raise SchemaError(f"sample_weight has shape {weights.shape}; expected one weight a row: ({rows},)")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise SchemaError("sample_weight holds a negative or non-finite weight; expected 0 or more")
    return weights


def _is_frame(X: object) -> bool:
    return not isinstance(X, np.ndarray | list | tuple) and not hasattr(X, "__array_interface__")


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
    """The positions of the columns asked for as nominal."""
    if isinstance(nominal, str):
        if nominal not in ("auto", "all"):
            raise SchemaError(f"nominal={nominal!r}; expected 'auto', 'all' or a list of columns: [{nominal!r}]")
        return set(range(len(names))) if nominal == "all" else set()
    return {_position(names, wanted) for wanted in nominal}


def _position(names: Sequence[str], wanted: str | int) -> int:
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted)
    if not isinstance(wanted, str) and -len(names) <= wanted < len(names):
        return int(wanted) % len(names)
    raise ColumnNotFound(wanted, names)


def _asked(names: Sequence[str], wishes: dict[Kind, Iterable[str]]) -> dict[str, Kind]:
    """The kinds that the caller named, column by column."""
    asked: dict[str, Kind] = {}
    for kind, columns in wishes.items():
        for name in columns:
            if name not in names:
                raise ColumnNotFound(name, names)
            if asked.setdefault(name, kind) is not kind:
                raise SchemaError(f"column {name!r} is asked for as {asked[name]} and as {kind}; name it once")
    return asked
