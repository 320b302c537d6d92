"""Lazy data frames, whose rows are not computed yet: crake scans them or raises, and never collects one unasked."""

from __future__ import annotations

import sys
from typing import NoReturn

from crake.errors import SchemaError

LAZY_CLASSES = (
    "polars.LazyFrame",
    "duckdb.DuckDBPyRelation",
    "narwhals.LazyFrame",
    "narwhals.stable.v1.LazyFrame",
    "dask.dataframe.DataFrame",
    "ibis.expr.types.Table",
    "pyspark.sql.DataFrame",
    "pyspark.sql.connect.dataframe.DataFrame",
)


def is_instance_of(source: object, *names: str) -> bool:
    """Return True if the object is an instance of one of these classes, without importing their libraries.

    >>> import decimal
    >>> is_instance_of(decimal.Decimal(1), "decimal.Decimal"), is_instance_of(1, "polars.LazyFrame")
    (True, False)
    """
    for name in names:
        library, _, kind = name.rpartition(".")
        known = getattr(sys.modules.get(library), kind, None)  # an object of a library that is not loaded cannot exist
        if isinstance(known, type) and isinstance(source, known):
            return True
    return False


def is_spark(source: object) -> bool:
    """Return True for a data frame of Spark.

    >>> is_spark([[1, 2]])
    False
    """
    return is_instance_of(source, "pyspark.sql.DataFrame")


def native_frame(source: object) -> object:
    """Return the lazy frame inside a wrapper of narwhals, and any other object as it is."""
    if is_instance_of(source, "narwhals.LazyFrame", "narwhals.stable.v1.LazyFrame"):
        return source.to_native()  # type: ignore[attr-defined]
    return source


def refuse_lazy(frame: object) -> None:
    """Raise if the frame is lazy: only its owner decides when its rows are computed."""
    if type(frame).__name__ != "ndarray" and is_instance_of(frame, *LAZY_CLASSES):  # an array is told at once
        raise_lazy(frame)


def raise_lazy(frame: object) -> NoReturn:
    """Raise the error of a lazy frame where rows in memory are needed."""
    raise SchemaError(
        f"expected rows in memory, got a lazy {type(frame).__name__}; scan it, crake.read(frame, target=…) of a polars "
        "LazyFrame, a DuckDB relation, an Ibis table or a Spark data frame, or compute its rows first, as with "
        "frame.collect()"
    )
