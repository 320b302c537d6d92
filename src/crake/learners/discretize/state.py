"""The state of a fitted Discretizer in a model file, and the checks when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.base.state.schema import schema_of, schema_state
from crake.table.schema import Kind, Schema


def discretizer_state(schema: Schema, cuts: Mapping[str, Floats], names: Any) -> State:
    """`columns` are the places of the columns that are cut, `widths` how many of `cuts` each has."""
    place = {name: j for j, name in enumerate(schema.names)}
    return {
        "schema": schema_state(schema),
        "columns": np.array([place[name] for name in cuts], np.int64),
        "widths": np.array([len(own) for own in cuts.values()], np.int64),
        "cuts": np.concatenate([np.zeros(0), *cuts.values()]),
        "feature_names": None if names is None else Labels(tuple(map(str, names))),
    }


def discretizer_of(reader: StateReader) -> tuple[Schema, dict[str, Floats], NDArray[Any] | None]:
    """Return the columns, their cuts, and the names X had, if it had any."""
    schema = features_of(reader)
    n = len(schema.columns)
    columns = reader.integers("columns", np.int64, (None,), 0, max(0, n - 1))
    cuts = reader.floats("cuts", (None,))
    widths = reader.integers("widths", np.int64, columns.shape, 0, len(cuts))
    if len(columns) > n or len(set(columns.tolist())) < len(columns):
        raise reader.refusal("columns", "names a column twice", "each column once")
    if any(schema.columns[j].kind is not Kind.NUMERIC for j in columns.tolist()):
        raise reader.refusal("columns", "names a column that is not numeric", "numeric columns")
    # The product cannot overflow: columns and cuts are arrays that are in memory.
    if int(widths.sum()) != len(cuts):
        raise reader.refusal("widths", f"shares out {int(widths.sum())} cuts", str(len(cuts)))
    parts = np.split(cuts, np.cumsum(widths)[:-1]) if len(widths) else []
    if any(np.any(np.diff(own) <= 0) for own in parts):
        raise reader.refusal("cuts", "are not in order", "ascending numbers in each column")
    by_column = {schema.names[j]: own for j, own in zip(columns.tolist(), parts, strict=True)}
    return schema, by_column, feature_names_of(reader, n)


def features_of(reader: StateReader) -> Schema:
    """Return the columns that a transformer was fitted on; there is no target among them."""
    schema = schema_of(reader.part("schema"))
    if schema.target is not None or not schema.columns or len(schema.features) < len(schema.columns):
        raise reader.refusal("schema", "has a target, or a column that cannot be read", "nominal and numeric columns")
    return schema


def feature_names_of(reader: StateReader, expected: int) -> NDArray[Any] | None:
    """Return the names that X had, if it had any."""
    if "feature_names" not in reader:
        return None
    names = np.array(reader.names("feature_names"), dtype=object)
    if names.shape != (expected,):
        raise reader.refusal("feature_names", f"has {len(names)}", str(expected))
    return names
