"""The layers of a query: a SELECT computes columns of the table, the SELECT around it columns of these, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crake.errors import CrakeError
from crake.export.sql.text import Words, quoted

MOST_COLUMNS = 1500
"""Columns of a query: SQLite takes 2,000 and PostgreSQL 1,664 with those of the table."""
MOST_LAYERS = 60
"""Queries within each other."""
MOST_NESTED = 5
"""Queries within each other in SQLite, which writes each into the one around it, and refuses many; more are named."""


@dataclass(frozen=True)
class Expression:
    """A text of SQL that can stand in the SELECT of this layer, 0 for the innermost."""

    text: str
    layer: int = 0

    @property
    def is_column(self) -> bool:
        """Return True for the name of a column."""
        return self.text.startswith('"') and self.text.endswith('"') and '"' not in self.text[1:-1].replace('""', "")


class Layers:
    """Columns by layer; what was written once is not written again."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.columns: list[list[tuple[str, str]]] = []
        self.working: list[str] = []
        self._known: dict[tuple[int, str], str] = {}

    def define(self, wanted: str, expression: Expression, *, is_answer: bool = False) -> Expression:
        """Compute an expression in its layer and return the column that holds it."""
        key = expression.layer, expression.text
        if is_answer or key not in self._known:
            name = self.words.new_name(wanted)
            while len(self.columns) <= expression.layer:
                self.columns.append([])
            self.columns[expression.layer].append((name, expression.text))
            self._known[key] = name
            if not is_answer:
                self.working.append(name)
        return Expression(self._known[key], expression.layer + 1)

    def columns_of(self, wanted: str, expressions: Sequence[Expression]) -> list[Expression]:
        """Return columns that hold the expressions; those that are columns already stay."""
        several = len(expressions) > 1
        return [
            each if each.is_column else self.define(f"{wanted} {at + 1}" if several else wanted, each)
            for at, each in enumerate(expressions)
        ]

    def select(self, table: str, reads: Sequence[str], kept: Sequence[str] | None, answers: Sequence[str]) -> str:
        """Return the whole query; `kept` names the columns of the table that it returns, None for all of them.

        `reads` are the columns of the table that the model reads.
        """
        source, named = quoted(table), []
        layers = [layer for layer in self.columns if layer]
        self._check_size(layers)
        for depth, layer in enumerate(layers):
            is_last = depth == len(layers) - 1
            listed = ",\n  ".join(f"{text} AS {name}" for name, text in layer)
            head = self._head(kept, answers, {name for name, _ in layer}) if is_last else "*"
            columns = f"{head},\n  {listed}" if head else listed
            guard = "" if depth else self._guard(table, [*reads, *(kept or ())])
            source = f"SELECT {columns}\nFROM {source}{guard}"
            if not is_last and self.words.dialect == "sqlite" and len(layers) > MOST_NESTED:
                named.append(f"{self.words.new_name(f'layer_{depth}')} AS MATERIALIZED (\n{source}\n)")
                source = named[-1].partition(" AS ")[0]
            elif not is_last:
                # PostgreSQL would write each layer into the one around it, which doubles expressions again and again.
                fence = "\nOFFSET 0" if self.words.dialect == "postgres" else ""
                source = f"(\n{source}{fence}\n) AS layer_{depth}"
        separator = ",\n"
        return f"WITH {separator.join(named)}\n{source}" if named else source

    def _guard(self, table: str, names: Sequence[str]) -> str:
        """Return a condition that always holds: SQLite takes the quoted name of an absent column for a text.

        The name with its table's before it is an error.
        """
        if self.words.dialect != "sqlite" or not names:
            return ""
        return f"\nWHERE 1 OR 1 IN ({', '.join(f'{quoted(table)}.{quoted(name)}' for name in dict.fromkeys(names))})"

    def _check_size(self, layers: Sequence[Sequence[object]]) -> None:
        """Raise if the query has more columns, or more nested queries, than engines take."""
        columns = sum(map(len, layers))
        if self.words.dialect != "duckdb" and columns > MOST_COLUMNS:
            raise CrakeError(
                f"the query needs {columns:,} columns on the way, and engines take some {MOST_COLUMNS:,}; take "
                "dialect='duckdb', or fewer members, columns or levels"
            )
        if len(layers) > MOST_LAYERS:
            raise CrakeError(
                f"the query needs {len(layers)} queries within each other, and engines refuse more than {MOST_LAYERS}: "
                "take to_python(), to_c() or to_javascript()"
            )

    def _head(self, kept: Sequence[str] | None, answers: Sequence[str], own: set[str]) -> str:
        """Return the columns that come from the layers below."""
        if kept is not None:
            below = [name for name in answers if name not in own]
            return ", ".join([*map(quoted, kept), *below])
        hidden = [name for name in self.working if name not in own]
        if hidden and self.words.dialect == "duckdb":
            return f"* EXCLUDE ({', '.join(hidden)})"
        return "*"
