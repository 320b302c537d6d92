"""The design: which terms a table's columns have, and how a row's numbers and levels become them.

No column of zeros and ones is made: a row is its standardised numbers and, for each nominal column, the place of its
level's coefficient (see `kernels/encoding.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.errors import ColumnNotFound
from crake.kernels import readable, threads
from crake.kernels.linear.encoding import FARTHEST, NO_PLACE, Encoding, encode_block, fill_matrix, scores
from crake.learners.encoding.missing import refuse_missing_rows
from crake.learners.encoding.terms import Term
from crake.render.short_repr import short_repr
from crake.table.batch import MISSING, UNSEEN, Batch
from crake.table.schema import Label, Schema
from crake.table.table import Table

ROWS = 1024
"""Rows encoded at a time: 20 numbers of them stay in the first two caches."""


@dataclass(frozen=True, eq=False)
class Design:
    """The terms of a schema's features, numbers first, then the intercept, then levels and "is missing".

    A number x is used as ((x·2^−exponent − centre) − rest) / spread; spread 0 marks a constant column, which has no
    influence. `reference` holds for each nominal column the code of the level the others are measured against (−1:
    none, every level has a coefficient). `has_level` and `has_missing` say which levels and gaps have a coefficient.
    `likeliest` is the code that stands for a gap where gaps have none.
    """

    schema: Schema
    missing: str
    exponent: NDArray[np.int32]
    centre: Floats
    rest: Floats
    spread: Floats
    reference: NDArray[np.int64]
    likeliest: NDArray[np.int64]
    has_level: tuple[NDArray[np.bool_], ...]
    has_missing: NDArray[np.bool_]

    __repr__ = short_repr

    @cached_property
    def numbers(self) -> int:
        """Numeric columns; the intercept's place."""
        return len(self.spread)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the coefficients."""
        terms = [Term(column.name) for column in self.schema.numeric] + [Term("")]
        for j, column in enumerate(self.schema.nominal):
            terms += [Term(column.name, level) for code, level in enumerate(column.levels) if self.has_level[j][code]]
            terms += [Term(column.name, missing=True)] if self.has_missing[j] else []
        nominal = len(self.schema.nominal)
        terms += [
            Term(c.name, missing=True) for j, c in enumerate(self.schema.numeric) if self.has_missing[nominal + j]
        ]
        return tuple(terms)

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The terms in the order a person reads them: the intercept, then column by column of the table."""
        place = {column.name: at for at, column in enumerate(self.schema.features)}
        keys = [(-1 if term.is_intercept else place[term.column], at) for at, term in enumerate(self.terms)]
        return np.array([at for _, at in sorted(keys)], np.intp)

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """True for terms that are constant in training: their coefficients are left out."""
        constant = np.zeros(len(self), bool)
        constant[: self.numbers] = self.spread == 0
        return constant

    def reference_level(self, column: str) -> Label | None:
        """Return the level that the others of a nominal column are measured against."""
        names = [c.name for c in self.schema.nominal]
        if column not in names:
            raise ColumnNotFound(column, names)
        code = int(self.reference[names.index(column)])
        return self.schema.nominal[names.index(column)].levels[code] if code >= 0 else None

    def stand_in(self, column: str, code: int) -> int:
        """Return the level whose coefficient a cell has, −1 for none: its own, or that of a gap or a new value.

        New values are taken for the reference level (for the most frequent one if there is none).
        """
        if code >= 0:
            return code
        j = [c.name for c in self.schema.nominal].index(column)
        return -1 if code == UNSEEN and self.reference[j] >= 0 else int(self.likeliest[j])

    @cached_property
    def arrays(self) -> Encoding:
        """The arrays by which kernels turn columns into terms."""
        nominal = self.schema.nominal
        widths = [len(column.levels) + 2 for column in nominal]
        offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        places = np.full(int(offsets[-1]), NO_PLACE, np.int32)
        at = self.numbers + 1
        for j, column in enumerate(nominal):
            own = places[offsets[j] + 2 : offsets[j + 1]]
            count = int(self.has_level[j].sum())
            own[self.has_level[j]] = np.arange(at, at + count)
            at += count
            for code in (UNSEEN, MISSING):
                level = self.stand_in(column.name, code)
                places[offsets[j] + 2 + code] = own[level] if level >= 0 else NO_PLACE
            if self.has_missing[j]:
                places[offsets[j] + 2 + MISSING] = at
            at += int(self.has_missing[j])
        gaps = np.flatnonzero(self.has_missing[len(nominal) :])
        missing = np.stack([gaps, at + np.arange(len(gaps))]).astype(np.int32)
        with np.errstate(over="ignore", divide="ignore"):
            scale = np.where(self.spread > 0, 1.0 / self.spread, 0.0)
        unit: Floats = np.ldexp(1.0, -self.exponent)
        return Encoding(offsets, places, unit, self.centre, self.rest, scale, missing)

    def encoded(self, codes: Ints, values: Floats, start: int, stop: int) -> tuple[Floats, Ints]:
        """Return the rows start … stop − 1: standardised numbers and a 1 for the intercept; places of coefficients."""
        dense = np.empty((stop - start, self.numbers + 1))
        place = np.empty((codes.shape[1] + self.arrays.missing.shape[1], stop - start), np.int32)
        encode_block(readable(codes), readable(values), start, stop, self.arrays, dense, place)
        return dense, place

    def matrix(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the terms written out, one column each, numbers standardised: for learners that need a matrix."""
        codes, values = self.arrays_of(table, rows)
        matrix = np.empty((len(codes), len(self)))
        for start in range(0, len(codes), ROWS):
            stop = min(start + ROWS, len(codes))
            fill_matrix(*self.encoded(codes, values, start, stop), matrix[start:stop])
        return np.clip(matrix, -FARTHEST, FARTHEST, out=matrix)

    def arrays_of(self, table: Table, rows: NDArray[np.intp] | None = None) -> tuple[Ints, Floats]:
        """Codes and values of a table in memory that is coded under this schema, or of some of its rows."""
        codes: Ints = table.matrix([column.name for column in self.schema.nominal], np.int32)
        values: Floats = table.matrix([column.name for column in self.schema.numeric], np.float64)
        if rows is not None:
            codes, values = codes[rows], values[rows]
        if self.missing == "error":
            none = np.zeros(len(codes), np.int32)
            refuse_missing_rows(Batch(0, codes, values, none, none.astype(np.float64)), self.schema)
        return codes, values

    def scores(self, table: Table, coefficient: Floats, rows: NDArray[np.intp] | None = None) -> Floats:
        """Σ terms × coefficient (terms, outputs) of each row; coefficients of standardised numbers."""
        codes, values = self.arrays_of(table)
        if rows is not None and self.missing == "error":
            self.arrays_of(table, rows)
        chosen = np.arange(len(codes)) if rows is None else np.ascontiguousarray(rows, np.int64)
        out = np.empty((len(chosen), coefficient.shape[1]))
        codes, values, coefficient = readable(codes), readable(values), np.ascontiguousarray(coefficient)

        def work(span: tuple[int, int]) -> None:
            scores(codes, values, chosen, span[0], span[1], self.arrays, coefficient, out)

        threads.each(work, threads.spans(len(chosen), threads.count()), out.size * (len(codes[:1].T) + self.numbers))
        return out

    def unseen(self, table: Table) -> dict[str, int]:
        """Return the number of unseen values of each nominal column; they count as the reference level."""
        counts = {c.name: int(np.sum(table.column(c.name) == UNSEEN)) for c in self.schema.nominal}
        return {name: count for name, count in counts.items() if count}

    def in_users_units(self, coefficient: Floats) -> Floats:
        """Return coefficients (terms, outputs) in the table's units, in place of standardised ones.

        Those of values below about 1e-308 are infinite: no float is as large.
        """
        users = coefficient.copy()
        shift = self._shift[:, None] * coefficient[: self.numbers]
        with np.errstate(over="ignore"):
            users[: self.numbers] = np.ldexp(
                coefficient[: self.numbers] * self._scale[:, None], -self.exponent[:, None]
            )
        users[self.numbers] = coefficient[self.numbers] - shift.sum(axis=0)
        return users

    def units(self, j: int) -> tuple[float, float]:
        """Return where the 0 of number j lies in the column's own units, and how long its 1 is."""
        centre, spread = np.ldexp([self.centre[j], self.spread[j]], self.exponent[j]).tolist()
        return centre, spread

    def range(self, j: int) -> tuple[float, float] | None:
        """Return two standard deviations about the mean of number j; None if it is constant."""
        mean, deviation = self.units(j)
        return (mean - 2 * deviation, mean + 2 * deviation) if deviation > 0 else None

    def users_errors(self, covariance: Floats) -> Floats:
        """Standard errors in the users' units, from the covariance (terms, terms) of standardised coefficients.

        One beyond all floats is the largest of them, for files hold finite numbers; its coefficient is infinite.
        """
        error = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
        intercept = np.zeros(len(self))
        intercept[: self.numbers] = -self._shift
        intercept[self.numbers] = 1.0
        with np.errstate(over="ignore"):
            users = np.ldexp(error[: self.numbers] * self._scale, -self.exponent)
        error[: self.numbers] = np.minimum(users, np.finfo(float).max)
        error[self.numbers] = np.sqrt(max(0.0, float(intercept @ covariance @ intercept)))
        return error

    @property
    def _scale(self) -> Floats:
        return self.arrays.scale

    @property
    def _shift(self) -> Floats:
        shift: Floats = (self.centre + self.rest) * self._scale
        return shift
