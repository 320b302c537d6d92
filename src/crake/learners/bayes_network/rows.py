"""The rows that a network is learned from: every column as a variable with levels, the class in its place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes
from crake.learners.semi_naive.counted import CutColumns, cut_codes, cuts_of
from crake.learners.structure.families import CodedRows
from crake.statistics import DistinctRows
from crake.table.schema import Column, Schema


@dataclass(frozen=True, eq=False)
class Variables:
    """The variables of a network: the columns that are read and have levels, and the class, in the order of the table.

    `target` is the place of the class among `columns`. `of_read[i]` is, for the i-th variable, the place of its column
    among those that are read, −1 for the class.
    """

    read: CutColumns
    columns: tuple[Column, ...]
    target: int
    of_read: tuple[int, ...]

    @classmethod
    def of(cls, read: CutColumns) -> Variables:
        """Return the variables of columns that are cut."""
        place = {column.name: j for j, column in enumerate(read.columns)}
        target = str(read.schema.target)
        columns = tuple(c for c in read.schema.columns if c.name == target or (c.name in place and c.levels))
        names = [column.name for column in columns]
        return cls(read, columns, names.index(target), tuple(place.get(name, -1) for name in names))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(column.name for column in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each variable."""
        return tuple(len(column.levels) for column in self.columns)

    def codes_of(self, codes: Codes) -> Codes:
        """Return codes[row, variable] from those of the columns that are read; that of the class is −1."""
        found = np.full((len(codes), len(self.columns)), -1, np.int32)
        for at, j in enumerate(self.of_read):
            if j >= 0:
                found[:, at] = codes[:, j]
        return found


def coded_rows(schema: Schema, rows: DistinctRows) -> tuple[Variables, CodedRows]:
    """Return the variables, and the rows as codes of them; numbers are cut by MDL, by these rows alone."""
    cuts = cuts_of(schema, rows)
    variables = Variables.of(CutColumns.of(schema, cuts))
    read = cut_codes(schema, rows, cuts)
    codes = np.empty((len(variables.columns), len(read)), np.int32)
    for at, j in enumerate(variables.of_read):
        codes[at] = rows.class_ if j < 0 else read[:, j]
    return variables, CodedRows(variables.names, variables.sizes, codes, rows.count)


def modes(rows: CodedRows) -> Codes:
    """Return the most frequent level of each variable, the first of equals."""
    found = []
    for codes, size in zip(rows.codes, rows.sizes, strict=True):
        # Missing is counted first, at 0.
        found.append(int(np.argmax(np.bincount(codes + 1, rows.weights, minlength=size + 1)[1:])))
    return np.array(found, np.int32)


def filled(rows: CodedRows, mode: Codes) -> CodedRows:
    """Return the rows with the most frequent level in place of a missing one."""
    if (rows.codes >= 0).all():
        return rows
    codes = np.where(rows.codes < 0, mode[:, None], rows.codes).astype(np.int32)
    return CodedRows(rows.names, rows.sizes, codes, rows.weights)
