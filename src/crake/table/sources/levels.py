"""Levels of nominal columns in a scan, which knows all of them only after the last row.

Each value gets its code when it is first met and keeps it; the one order of the levels comes at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crake.arrays import Codes
from crake.errors import DataError, SchemaError
from crake.table import cells, codes
from crake.table.batch import MISSING, UNSEEN
from crake.table.codes import Cells
from crake.table.schema import Column, Label, Schema, sorted_levels
from crake.table.target import MOST_CLASSES, is_class

MOST_LEVELS = 1_000_000
"""Distinct values of one column that a scan keeps in mind; a column with more of them is an identifier."""

_NOT_MET = -3


class Coder:
    """Codes the cells of one column, portion by portion; what a label's code is, its children say."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self._dictionary: pa.Array | None = None
        self._table = np.empty(0, np.int32)

    def codes(self, values: Cells) -> Codes:
        """Return the code of every cell."""
        if isinstance(values, pa.Array) and pa.types.is_string(values.type):
            values = pc.dictionary_encode(values)
        if isinstance(values, pa.Array) and pa.types.is_dictionary(values.type):
            table = self._table_of(values.dictionary)
            places = _places(values)
            if (table == _NOT_MET).any():
                self._meet(_labels(values.dictionary), places, table)
            return table[places]
        coded = codes.distinct(values)
        table = _table(len(coded.labels))
        self._meet(coded.labels, coded.codes, table)
        return table[coded.codes]

    def _table_of(self, dictionary: pa.Array) -> Codes:
        """Return the codes of a dictionary's labels; portions of one row group share it, and it is looked at once."""
        if self._dictionary is None or not self._dictionary.equals(dictionary):
            self._dictionary = dictionary
            self._table = _table(len(dictionary))
        return self._table

    def _meet(self, labels: Sequence[Label | None], places: Codes, table: Codes) -> None:
        """Write the codes of the labels to the table; `places` says which of them the rows have."""
        raise NotImplementedError


def _table(labels: int) -> Codes:
    """Return a code for each label, not known yet; a negative place (missing, unseen) reads the table from its end."""
    table = np.full(labels + 2, _NOT_MET, np.int32)
    table[MISSING], table[UNSEEN] = MISSING, UNSEEN
    return table


def _places(values: pa.DictionaryArray) -> Codes:
    indices = values.indices
    if indices.type != pa.int32():
        indices = pc.cast(indices, pa.int32())
    if indices.null_count:
        indices = pc.fill_null(indices, MISSING)
    places: Codes = indices.to_numpy()
    return places


def _labels(dictionary: pa.Array) -> list[Label | None]:
    return [codes.plain_label(label) for label in dictionary.to_pylist()]


class FixedLevels(Coder):
    """Cells under the levels of a model, matched as they are written; a value that is like none is UNSEEN."""

    def __init__(self, column: Column) -> None:
        super().__init__(column)
        self._position = codes.Positions(column.levels)

    def _meet(self, labels: Sequence[Label | None], places: Codes, table: Codes) -> None:
        del places
        table[: len(labels)] = [self._position.of(label) for label in labels]


class OpenLevels(Coder):
    """The levels of one column in the order they were met: level i of `labels` has the code i."""

    def __init__(self, column: Column) -> None:
        super().__init__(column)
        self.labels: list[Label] = []
        self._known: pa.Array | None = None
        self._code_of: dict[tuple[bool, Label], int] = {}

    def __len__(self) -> int:
        return len(self.labels)

    def levels(self) -> tuple[Label, ...]:
        """Return the levels in their one order: as declared, or sorted."""
        return tuple(self.labels) if self.column.declared else sorted_levels(self.labels)

    def _table_of(self, dictionary: pa.Array) -> Codes:
        """Return the codes of a dictionary's labels; Arrow looks up those of earlier dictionaries, all at once."""
        is_new = self._dictionary is None or not self._dictionary.equals(dictionary)
        table = super()._table_of(dictionary)
        if is_new and self.labels and pa.types.is_string(dictionary.type):
            if self._known is None or len(self._known) < len(self.labels):
                self._known = pa.array(self.labels, pa.string())
            positions = pc.index_in(dictionary, self._known)
            table[: len(dictionary)] = pc.fill_null(positions, _NOT_MET).to_numpy()
            if dictionary.null_count:
                table[np.flatnonzero(dictionary.is_null().to_numpy(zero_copy_only=False))] = MISSING
        return table

    def ordered(self, codes_of_scan: Codes) -> Codes:
        """Return codes under `levels` for codes in the order of the scan."""
        table = np.empty(len(self.labels) + 2, np.int32)
        position = codes.Positions(self.levels())
        table[: len(self.labels)] = [position.of(label) for label in self.labels]
        table[MISSING], table[UNSEEN] = MISSING, UNSEEN
        return table[codes_of_scan]

    def _meet(self, labels: Sequence[Label | None], places: Codes, table: Codes) -> None:
        """Give new labels their codes: declared levels even if no row has them, others if a row has them."""
        new = table[: len(labels)] == _NOT_MET
        if not self.column.declared:
            used = np.zeros(len(labels) + 2, bool)
            used[places] = True
            new &= used[: len(labels)]
        for place in np.flatnonzero(new).tolist():
            table[place] = self._code(labels[place])

    def _code(self, label: Label | None) -> int:
        if label is None:
            return MISSING
        key = (isinstance(label, bool), label)
        code = self._code_of.setdefault(key, len(self.labels))
        if code == len(self.labels):
            self.labels.append(label)
            self._refuse_identifier()
        return code

    def _refuse_identifier(self) -> None:
        refuse_many_levels(self.column.name, len(self.labels))


def refuse_many_levels(name: str, number: int) -> None:
    """Raise for a column with too many distinct values, which bound the memory of a scan."""
    if number > MOST_LEVELS:
        raise DataError(
            f"column {name!r} has more than {MOST_LEVELS:,} distinct values, as an identifier or a text has; "
            f"leave it out: ignore=[{name!r}] or --ignore {name}"
        )


class WholeNumbers(OpenLevels):
    """A numeric target: its few whole numbers are the classes."""

    def codes(self, values: Cells) -> Codes:
        """Return the code of every cell, its number being the label."""
        coded = codes.distinct(cells.numbers(values, self.column.name))
        if not all(label is None or is_class(float(label)) for label in coded.labels):
            self._refuse("fractions, or numbers beyond 2^53")
        whole = [None if label is None else int(label) for label in coded.labels]
        return super().codes(replace(coded, labels=whole, ordered=False))

    def _refuse_identifier(self) -> None:
        refuse_many_numbers(self.column.name, len(self.labels))

    def _refuse(self, reason: str) -> NoReturn:
        raise _no_classes(self.column.name, reason)


def refuse_many_numbers(target: str, number: int) -> None:
    """Raise for a numeric target with more different numbers than there may be classes."""
    if number > MOST_CLASSES:
        raise _no_classes(target, f"more than {MOST_CLASSES} different numbers")


def _no_classes(target: str, reason: str) -> SchemaError:
    return SchemaError(
        f"the target {target!r} is numeric: it holds {reason}; a classifier needs classes: read it with "
        f"nominal=[{target!r}] or --nominal {target}"
    )


@dataclass(frozen=True)
class ScanLevels:
    """Levels that a scan has met so far: of the nominal features, in table order, and of the target."""

    nominal: tuple[OpenLevels, ...]
    target: OpenLevels | None

    def schema(self, schema: Schema) -> Schema:
        """Return the schema with these levels, in their one order."""
        coders = [*self.nominal, *([] if self.target is None else [self.target])]
        return schema.with_columns(replace(coder.column, levels=coder.levels()) for coder in coders)
