"""Columns while they are read: numbers, or codes of distinct texts, filled chunk by chunk."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.kernels.csv import cells
from crake.table.batch import MISSING, Values
from crake.table.formats.csv.chunks import Chunk
from crake.table.inference import MissingTokens, Tally, parse
from crake.table.schema import Label

SEED = np.uint64(secrets.randbits(64) | 1)
_STEP = 1 << 18


class NumericColumn:
    """A column read as numbers, with the tally of what its cells were."""

    def __init__(self, index: int, capacity: int, missing: MissingTokens) -> None:
        self.index, self.missing = index, missing
        self.values: Values = np.empty(capacity)
        self.tally = Tally()
        self._lock = threading.Lock()

    def add(self, chunk: Chunk) -> None:
        """Read the cells of a chunk."""
        values = self.values[chunk.first_row : chunk.first_row + chunk.rows]
        tally = parse(chunk.column(self.index), self.missing, values, np.empty(chunk.rows, np.uint8))
        with self._lock:
            self.tally.add(tally, chunk.first_row)

    def finish(self, rows: int) -> None:
        """Give back the memory of rows that were not there."""
        self.values.resize(rows, refcheck=False)


class CodedColumn:
    """A column read as texts: a code for every row, and the distinct texts, missing ones among them."""

    def __init__(self, index: int, capacity: int) -> None:
        self.index = index
        self.codes: Codes = np.empty(capacity, np.int32)
        self.distinct: list[bytes] = []
        self._parts: list[tuple[slice, pa.Array]] = []

    def add(self, chunk: Chunk) -> None:
        """Code the cells of a chunk among themselves; by the texts of the whole column when all chunks are there."""
        column = chunk.column(self.index)
        rows = slice(chunk.first_row, chunk.first_row + chunk.rows)
        firsts = np.empty(chunk.rows, np.int32)
        distinct = cells.code_texts(column.data, column.starts, column.lengths, SEED, self.codes[rows], firsts)
        texts = pa.array(chunk.texts(self.index, firsts[:distinct]), pa.large_binary())
        self._parts.append((rows, texts))

    def finish(self, rows: int) -> None:
        """Give each distinct text of the column one code, and free the memory of rows that were not there."""
        self.codes.resize(rows, refcheck=False)
        # Arrow finds the same among a million texts in a tenth of the time that a dict of Python's takes.
        whole = pa.concat_arrays([pa.array([], pa.large_binary()), *(texts for _, texts in self._parts)])
        coded = pc.dictionary_encode(whole)
        places, start = coded.indices.to_numpy(), 0
        for place, texts in self._parts:
            recode(self.codes[place], places[start : start + len(texts)])
            start += len(texts)
        self.distinct, self._parts = coded.dictionary.to_pylist(), []

    def drop_missing(self, missing: MissingTokens) -> None:
        """Recode so that missing cells get MISSING and the other texts 0, 1, …"""
        is_kept = np.array([text not in missing.texts for text in self.distinct], bool)
        if not is_kept.all():
            recode(self.codes, np.where(is_kept, np.cumsum(is_kept) - 1, MISSING).astype(np.int32))
            self.distinct = [text for text, known in zip(self.distinct, is_kept, strict=True) if known]

    def texts(self) -> list[str]:
        """Return the distinct texts in the order of their codes."""
        return [text.decode() for text in self.distinct]

    def counts(self) -> NDArray[np.int64]:
        """Return the count of each distinct text; missing cells do not count."""
        counts = np.zeros(len(self.distinct) + 1, np.int64)
        for start in range(0, len(self.codes), _STEP):
            counts += np.bincount(self.codes[start : start + _STEP] + 1, minlength=len(counts))
        return counts[1:]

    def first_row(self, chosen: NDArray[np.bool_]) -> int:
        """Return the first row whose text is among the chosen ones (a mask over the codes)."""
        among = np.append(chosen, False)  # code −1, missing, finds the last entry
        for start in range(0, len(self.codes), _STEP):
            rows = np.flatnonzero(among[self.codes[start : start + _STEP]])
            if len(rows) > 0:
                return start + int(rows[0])
        return -1

    def sorted_codes(self, labels: Sequence[Label]) -> tuple[tuple[Label, ...], Codes]:
        """Return the labels of the texts in their one order, as levels, and the codes by that order."""
        if labels and isinstance(labels[0], str):
            return self._sorted_texts(labels)
        # Labels of one type, as here, have that order under a plain sort, which is much faster for many.
        levels = tuple(sorted(set(labels)))
        code_of = {level: code for code, level in enumerate(levels)}
        recode(self.codes, np.fromiter(map(code_of.__getitem__, labels), np.int32, len(labels)))
        return levels, self.codes

    def _sorted_texts(self, texts: Sequence[Label]) -> tuple[tuple[Label, ...], Codes]:
        """Return distinct texts; Arrow orders them by their bytes, which is Python's order."""
        order = pc.array_sort_indices(pa.array(texts, pa.large_string())).to_numpy()
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        recode(self.codes, rank)
        return tuple(map(texts.__getitem__, order.tolist())), self.codes


def recode(codes: Codes, moved: Codes) -> None:
    """Replace every code by moved[code], in place and in steps that need little memory; MISSING stays."""
    table = np.append(moved, np.int32(MISSING))  # code −1, missing, finds the last entry
    for start in range(0, len(codes), _STEP):
        codes[start : start + _STEP] = table[codes[start : start + _STEP]]
