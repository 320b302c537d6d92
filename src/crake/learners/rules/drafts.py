"""Rules while they are learned: conditions on codes, grown, covered, and written as conditions on values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Flags, Floats, Ints
from crake.kernels.rules.arrays import AT_MOST, EQUAL, CodedArrays, CountTable
from crake.kernels.rules.cover import CodedRules
from crake.kernels.rules.foil import MOST_CONDITIONS, Growing, grow_rule
from crake.learners.rules.conditions import Question

Draft = tuple[tuple[int, int, int], ...]
"""A rule: attribute, kind and code of each condition."""


def grown(
    coded: CodedArrays,
    rows: Ints,
    weights: Floats,
    rule: Draft,
    table: CountTable,
    *,
    least: float = 0.0,
    by_share: bool = False,
) -> Draft:
    """Return a rule with more conditions, by rows that all satisfy those it has; weights[i] is that of rows[i].

    The best condition is that of FOIL's gain, or `by_share` that of the largest share of positives (target 1).
    """
    start = np.array(rule, np.int64).reshape(-1, 3)
    room = [np.zeros(MOST_CONDITIONS, np.int64) for _ in range(3)]
    for at in range(3):
        room[at][: len(rule)] = start[:, at]
    growing = Growing(room[0], room[1], room[2], np.array([len(rule)], np.int64))
    grow_rule(coded, rows, weights, least, by_share, table, growing)
    length = int(growing.length[0])
    return tuple(zip(*(column[:length].tolist() for column in room), strict=True))


def coded_rules(rules: Sequence[Draft]) -> CodedRules:
    """Return rules as kernels take them."""
    conditions = np.array([condition for rule in rules for condition in rule], np.int64).reshape(-1, 3)
    edges = np.concatenate([[0], np.cumsum([len(rule) for rule in rules])]).astype(np.int64)
    attribute, kind, code = (np.ascontiguousarray(conditions[:, at]) for at in range(3))
    return CodedRules(edges, attribute, kind, code)


def covered(coded: CodedArrays, rule: Draft) -> Flags:
    """Return which rows a rule covers, a column at a time; a missing value satisfies no condition."""
    covers: Flags = np.ones(coded.cells.shape[1], bool)
    for attribute, kind, code in rule:
        cells = coded.cells[attribute]
        if kind == AT_MOST:  # −1, missing, is the largest of the numbers without a sign
            covers &= cells.view(np.uint32) <= np.uint32(code)
        else:
            covers &= cells == code if kind == EQUAL else cells >= code
    return covers


def without_redundant(draft: Draft) -> Draft:
    """Return a rule without conditions that a later one on the same number and side makes redundant.

    >>> from crake.kernels.rules.arrays import AT_LEAST, AT_MOST
    >>> without_redundant(((0, AT_MOST, 9), (0, AT_LEAST, 2), (0, AT_MOST, 4))) == ((0, AT_LEAST, 2), (0, AT_MOST, 4))
    True
    """
    return tuple(
        condition
        for at, condition in enumerate(draft)
        if condition[1] == EQUAL or all(other[:2] != condition[:2] for other in draft[at + 1 :])
    )


def questions_of(coded: CodedArrays, draft: Draft) -> list[Question]:
    """Return the conditions of a rule, from ranks and levels."""
    return [
        Question(attribute, kind, level=code)
        if kind == EQUAL
        else Question(attribute, kind, float(coded.values[coded.start[attribute] + code]))
        for attribute, kind, code in draft
    ]
