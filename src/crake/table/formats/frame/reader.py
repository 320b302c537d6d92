"""Data in memory as a table."""

from __future__ import annotations

import numpy as np

from crake.table.convert.frames import from_xy, table_of_frame
from crake.table.convert.recode import apply_options, with_classes
from crake.table.read_options import ReadOptions
from crake.table.table import Table


def open_frame(source: object, name: str, options: ReadOptions) -> Table:
    """Return the table of a data frame, of a two-dimensional array, or of a table with other options."""
    if isinstance(source, Table):
        return apply_options(source, options.columns)
    if isinstance(source, np.ndarray):
        return with_classes(apply_options(from_xy(source), options.columns), options.columns)
    return with_classes(table_of_frame(source, name, options.columns), options.columns)
