"""A Spark data frame as a table: scanned, or loaded if that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.table.formats.database import scanned_unless_asked
from crake.table.formats.spark.scan import SparkRows
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def open_spark(frame: DataFrame, name: str, options: ReadOptions) -> Table:
    """Return a table over the data frame; its rows come to the driver only if `in_memory=True` asks for it.

    They are not counted here: that they are none is said by the first who goes through them.
    """
    rows = SparkRows(frame, name)
    if options.in_memory:
        return scanned_unless_asked(rows, options)
    return scanned(rows, options.for_columns([column.name for column in rows.columns]).columns, notes=rows.notes)
