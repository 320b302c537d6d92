# The public names of tables; `__init__.py` reads this list. `crake.read` makes a table.

from crake.table.schema import Column as Column
from crake.table.schema import Kind as Kind
from crake.table.schema import Schema as Schema
from crake.table.table import Table as Table
from crake.table.untrusted.reader import Limits as Limits
