"""A Spark data frame as a table: scanned, or loaded if that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.table.formats.database import all_rows, loaded, refuse_no_rows
from crake.table.formats.spark.scan import SparkRows
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def open_spark(frame: DataFrame, name: str, options: ReadOptions) -> Table:
    """Return a table over the data frame; its rows come to the driver only if `in_memory=True` asks for it."""
    rows = SparkRows(frame, name)
    columns = options.for_columns([column.name for column in rows.columns]).columns
    refuse_no_rows(rows.rows, name)
    if options.in_memory is not True:
        return scanned(rows, columns, notes=rows.notes)
    held = all_rows(rows, columns.ignore)
    assert held is not None  # noqa: S101 (no limit was given)
    return loaded(held, name, columns, rows.notes)
