"""The codes of one attribute among some rows: how much weight of each class goes with each."""

from __future__ import annotations

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.rules.arrays import CodedArrays, CountTable
from crake.kernels.small_sort import sort_values
from crake.kernels.typed_constants import ZERO

SPARSE = 6
"""Codes for each one present from which on the present ones are sorted: fewer are looked through."""


@kernel
def count_codes(coded: CodedArrays, attribute: int, rows: Ints, weights: Floats, table: CountTable) -> tuple[int, int]:
    """Fill the table with the rows that have a value; return the number of codes present and of these rows."""
    cells, target, codes = coded.cells[attribute], coded.target, coded.codes[attribute]
    counts, is_present, present = table.counts, table.is_present, table.present
    number, known = ZERO, ZERO
    for i in range(rows.shape[0]):
        row = rows[i]
        code = cells[row]
        if code < 0:
            continue
        known += 1
        if not is_present[code]:
            is_present[code] = True
            present[number] = code
            number += 1
        counts[code, target[row]] += weights[i]
    if codes <= SPARSE * number:
        at = 0
        for code in range(codes):
            if is_present[code]:
                present[at] = code
                at += 1
    else:
        sort_values(present, number)
    return number, known


@kernel
def forget_codes(table: CountTable, number: int) -> None:
    """Empty what was filled."""
    counts, is_present, present = table.counts, table.is_present, table.present
    for at in range(number):
        code = present[at]
        is_present[code] = False
        for k in range(counts.shape[1]):
            counts[code, k] = 0.0
