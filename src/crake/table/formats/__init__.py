"""Formats of tables, one folder each; a new format is a folder and one line of FORMATS.

The `__init__` of a folder describes its format in a `Format` and loads no library; `open` imports the reader.
Where several formats would do, the first one wins.
"""

from crake.table.formats.arff import FORMAT as ARFF
from crake.table.formats.csv import FORMAT as CSV
from crake.table.formats.duckdb import FORMAT as DUCKDB
from crake.table.formats.format import Format
from crake.table.formats.frame import FORMAT as FRAME
from crake.table.formats.parquet import FORMAT as PARQUET
from crake.table.formats.polars import FORMAT as POLARS

FORMATS: tuple[Format, ...] = (
    CSV,
    ARFF,
    PARQUET,
    DUCKDB,
    POLARS,
    FRAME,  # accepts any object
)
