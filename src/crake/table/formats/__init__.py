"""Formats of tables, one folder each; a new format is a folder and one line of FORMATS.

The `__init__` of a folder describes its format in a `Format` and loads no library; `open` imports the reader.
Where several formats would do, the first one wins.
"""

from crake.table.formats.arff import FORMAT as ARFF
from crake.table.formats.arrow import FORMAT as ARROW
from crake.table.formats.csv import FORMAT as CSV
from crake.table.formats.duckdb import FORMAT as DUCKDB
from crake.table.formats.format import Format
from crake.table.formats.frame import FORMAT as FRAME
from crake.table.formats.ibis import FORMAT as IBIS
from crake.table.formats.json import FORMAT as JSON
from crake.table.formats.ods import FORMAT as ODS
from crake.table.formats.parquet import FORMAT as PARQUET
from crake.table.formats.polars import FORMAT as POLARS
from crake.table.formats.postgres import FORMAT as POSTGRES
from crake.table.formats.spark import FORMAT as SPARK
from crake.table.formats.sqlite import FORMAT as SQLITE
from crake.table.formats.xlsx import FORMAT as XLSX

FORMATS: tuple[Format, ...] = (
    CSV,
    ARFF,
    PARQUET,
    XLSX,
    ODS,
    JSON,
    ARROW,
    SQLITE,
    DUCKDB,
    POSTGRES,
    POLARS,
    IBIS,
    SPARK,
    FRAME,  # accepts any object
)
