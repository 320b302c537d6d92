"""Data frames of Spark, classic and Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.table.formats.format import Format
from crake.table.lazy_frames import is_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: DataFrame, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.spark.reader import open_spark  # noqa: PLC0415  # each format loads only what it needs

    return open_spark(source, name, options)


FORMAT = Format(
    "spark",
    "a Spark data frame",
    _open,
    accepts=is_spark,
    can_scan=True,
)
