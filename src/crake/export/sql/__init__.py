"""Models as SQL: a SELECT that adds the prediction to the rows of a table."""

from crake.export.sql.query import DIALECTS, to_sql

__all__ = ["DIALECTS", "to_sql"]
