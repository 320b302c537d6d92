"""DuckDB database files and queries."""
