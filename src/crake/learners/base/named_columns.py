"""Columns of new rows matched to those of a fitted model by their names, as the command line matches those of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crake.errors import ColumnNotFound, SchemaError


def frame_of_mapping(columns: Mapping[Any, Any], fitted: Sequence[str] | None) -> Any:
    """Return the Arrow table of a mapping from names to columns, or to the cells of one row.

    Of one row, cells that are not there are missing where the `fitted` columns are known, as in `explain`.

    >>> frame_of_mapping({"outlook": ["Sunny", "Rainy"], "degrees": [20, 11]}, None).num_rows
    2
    >>> frame_of_mapping({"outlook": "Sunny"}, ["outlook", "degrees"]).to_pylist()
    [{'outlook': 'Sunny', 'degrees': None}]
    """
    named = {str(name): values for name, values in columns.items()}
    is_column = {name: _is_column(values) for name, values in named.items()}
    if not named or any(is_column.values()) != all(is_column.values()):
        odd = next((name for name in named if not is_column[name]), None)
        what = "an empty mapping" if odd is None else f"one value for {odd!r} and a column for others"
        raise SchemaError(f"expected a mapping of columns, or of the cells of one row, got {what}")
    if not any(is_column.values()):
        named = {name: [value] for name, value in _whole_row(named, fitted).items()}
    return _arrow_table(named)


def in_fitted_order(X: Any, fitted: Sequence[str]) -> Any:
    """Return the fitted columns of a frame, in their order; others are left out.

    A frame without some of them is returned as it is, for scikit-learn to name those. Of pandas, other orders are an
    error: scikit-learn's own checks ask for it.
    """
    import narwhals as nw  # noqa: PLC0415 (only for frames)

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return X
    names = list(frame.columns)
    if names == list(fitted) or not set(fitted) <= set(names):
        return X
    known = set(fitted)
    if type(X).__module__.split(".")[0] == "pandas" and [name for name in names if name in known] != list(fitted):
        raise SchemaError(
            "The feature names should match those that were passed during fit.\n"
            "Feature names must be in the same order as they were in fit.\n"
            "Write X[model.feature_names_in_], or crake.read(X): the columns of a Table are matched by name."
        )
    return frame.select(list(fitted)).to_native()


def _is_column(values: Any) -> bool:
    if isinstance(values, str | bytes | Mapping):
        return False
    return isinstance(values, Sequence | np.ndarray) or hasattr(values, "__arrow_c_array__") or hasattr(values, "shape")


def _whole_row(cells: Mapping[str, Any], fitted: Sequence[str] | None) -> Mapping[str, Any]:
    if fitted is None:
        return cells
    for name in cells:
        if name not in fitted:
            raise ColumnNotFound(name, list(fitted))
    return {name: cells.get(name) for name in fitted}


def _arrow_table(columns: Mapping[str, Any]) -> Any:
    import pyarrow as pa  # noqa: PLC0415 (only for mappings)

    arrays = {}
    for name, values in columns.items():
        try:
            arrays[name] = pa.array(values, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
            raise SchemaError(
                f"column {name!r} of the mapping cannot be read ({str(error)[:100]}); expected values of one type"
            ) from None
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {rows}" for name, rows in list(lengths.items())[:6])
        raise SchemaError(
            f"the columns of the mapping have different lengths: {shown}; expected as many values in each"
        )
    return pa.table(arrays)
