"""Rules over coded rows: which rows a rule covers, and which rule of a list covers a row first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.rules.arrays import AT_MOST, EQUAL, CodedArrays


class CodedRules(NamedTuple):
    """Conditions on codes: rule r has those from edges[r] to edges[r + 1] − 1. A missing value satisfies none."""

    edges: Longs
    attribute: Longs
    kind: Longs
    code: Longs


@kernel
def holds(code: int, kind: int, asked: int) -> bool:
    """Return True if a code satisfies a condition: equal, at most, or at least the one asked for."""
    if code < 0:
        return False
    if kind == EQUAL:
        return code == asked
    return code <= asked if kind == AT_MOST else code >= asked


@kernel
def covers(coded: CodedArrays, rules: CodedRules, rule: int, row: int) -> bool:
    """Return True if all conditions of a rule hold for a row."""
    for at in range(rules.edges[rule], rules.edges[rule + 1]):
        if not holds(coded.cells[rules.attribute[at], row], rules.kind[at], rules.code[at]):
            return False
    return True


@kernel
def first_covering(coded: CodedArrays, rules: CodedRules, rows: Ints) -> Ints:
    """Return the place of the first rule that covers each row; that after the last if none does."""
    number = rules.edges.shape[0] - 1
    first = np.full(rows.shape[0], number, np.int32)
    for i in range(rows.shape[0]):
        for rule in range(number):
            if covers(coded, rules, rule, rows[i]):
                first[i] = rule
                break
    return first


@kernel
def prefix_weights(coded: CodedArrays, rules: CodedRules, rows: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Return what the first 0, 1, 2, … conditions of one rule cover: the weight of positives (target 1), and of all.

    weights[row] is that of a row.
    """
    length = rules.attribute.shape[0]
    positive, total = np.zeros(length + 1), np.zeros(length + 1)
    for i in range(rows.shape[0]):
        row = rows[i]
        w = weights[row]
        for at in range(length + 1):
            total[at] += w
            if coded.target[row] == 1:
                positive[at] += w
            if at < length and not holds(coded.cells[rules.attribute[at], row], rules.kind[at], rules.code[at]):
                break
    return positive, total
