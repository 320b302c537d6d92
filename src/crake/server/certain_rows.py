"""JSON records whose cells can be read in one way only, coded at once.

Files are read by rules about whole columns: what is a number, which texts mean missing, how dates are written. Most
cells need none of them: a plain number, a level as it is written, or nothing. Records of such cells alone are coded
here, within microseconds. For any other record `table` returns None, and the reader of JSON files decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.table.batch import MISSING
from crake.table.codes import Positions, text_of
from crake.table.inference import DEFAULT_MISSING, labels
from crake.table.matching import left_over
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
"""Numbers that fit a double, and whole ones that are exact in it."""


class CertainRows:
    """The columns of a model, with the code of every cell that is beyond doubt."""

    def __init__(self, model: Any, schema: Schema) -> None:
        self._all: Schema = model.schema_
        self.schema = schema
        tokens = DEFAULT_MISSING if model.missing_ is None else ("", *model.missing_)
        self._missing = frozenset(token for token in tokens if _is_plain(token) or not token)
        self._never = frozenset(tokens) - self._missing
        self._nominal = [(column.name, self._codes(column)) for column in schema.nominal]
        self._numeric = [column.name for column in schema.numeric]
        self._names = tuple(name for name, _ in self._nominal), tuple(self._numeric)
        self._folded = frozenset(name.casefold() for name in schema.names)

    @classmethod
    def of(cls, model: Any) -> Self | None:
        """Return the columns of a model; None where a column is running text, a date, or written with signs."""
        schema = model.schema_.select(model._read_names())  # noqa: SLF001 (a hook of the base)
        has_rules = any(column.notation or column.kind is Kind.TEXT for column in schema.columns)
        is_plain = all(_is_plain(column.name) for column in schema.columns)
        return None if has_rules or not is_plain or not schema.features else cls(model, schema)

    def made_up(self, rows: int) -> Table:
        """Return rows to try a model on: by turns of first levels and zeros, and without any value."""
        codes, values = np.zeros((rows, len(self._nominal)), np.int32), np.zeros((rows, len(self._numeric)))
        codes[1::2], values[1::2] = MISSING, math.nan
        return self._table(codes, values)

    def table(self, records: Sequence[Any]) -> tuple[Table, tuple[str, ...]] | None:
        """Return the rows, coded, and a note on columns that are not used; None where a cell needs the rules of files.

        Numbers of the records are the texts that stood in the JSON.
        """
        codes: list[list[int]] = []
        values: list[list[float]] = []
        extra: dict[str, str] = {}
        for record in records:
            if type(record) is not dict or (len(record) > len(self.schema.columns) and not self._passes(record, extra)):
                return None
            try:
                coded = [known[record[name]] for name, known in self._nominal]
                read = [self._number(record[name]) for name in self._numeric]
            except (KeyError, TypeError):
                return None
            codes.append(coded)
            values.append(read)
        if not records:
            return None
        return self._table(codes, values), left_over(self._all, list(extra.values()))

    def _codes(self, column: Column) -> dict[str | None, int]:
        """Return the codes of the texts that are this column's levels, or missing, whatever else the column holds."""
        position = Positions(column.levels)
        known: dict[str | None, int] = {None: MISSING, **dict.fromkeys(self._missing, MISSING)}
        for code, level in enumerate(column.levels):
            text = text_of(level)
            as_number = labels([text])[0] if text else text
            if _is_plain(text) and text not in self._never and position.of(text) == position.of(as_number) == code:
                known.setdefault(text, code)
        return known

    def _number(self, cell: Any) -> float:
        if cell is None or cell in self._missing:
            return math.nan
        if type(cell) is not str or cell in self._never or not _PLAIN.fullmatch(cell):
            raise TypeError
        return float(cell)

    def _passes(self, record: dict[str, Any], extra: dict[str, str]) -> bool:
        """Collect the keys that the model does not read; return False if one of them needs the rules of files."""
        for key, cell in record.items():
            if key in self.schema:
                continue
            # Keys that differ by blanks or by case are a matter of the reader, as are lists and objects.
            is_text = cell is None or isinstance(cell, str | bool)
            if not is_text or not _is_plain(key) or extra.setdefault(key.casefold(), key) != key:
                return False
        return self._folded.isdisjoint(extra)

    def _table(self, codes: ArrayLike, values: ArrayLike) -> Table:
        of_names, of_numbers = np.asarray(codes, np.int32), np.asarray(values, np.float64)
        matrices: dict[tuple[str, ...], NDArray[Any]] = {self._names[0]: of_names, self._names[1]: of_numbers}
        source = MemorySource.of_matrices({names: each for names, each in matrices.items() if names}, len(of_names))
        return Table(self.schema, source, "request")


def _is_plain(text: str) -> bool:
    return bool(text) and text == text.strip() and text.isprintable()
