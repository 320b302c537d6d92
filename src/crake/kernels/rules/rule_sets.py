"""Counts behind C4.5rules: a rule with each condition left out, a set of rules with each rule in or out."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Ints
from crake.kernels import kernel
from crake.kernels.rules.arrays import CodedArrays
from crake.kernels.rules.cover import CodedRules, covers, holds


@kernel
def without_each(coded: CodedArrays, rule: CodedRules, weights: Floats) -> tuple[Floats, Floats]:
    """Return the rows and errors that a rule covers (last), and those it covers more without each condition.

    The target is 1 for the class of the rule.
    """
    length = rule.attribute.shape[0]
    covered, errors = np.zeros(length + 1), np.zeros(length + 1)
    for row in range(weights.shape[0]):
        failed, at_failed = 0, length
        for at in range(length):
            if not holds(coded.cells[rule.attribute[at], row], rule.kind[at], rule.code[at]):
                failed, at_failed = failed + 1, at
                if failed > 1:
                    break
        if failed <= 1:
            covered[at_failed] += weights[row]
            if coded.target[row] != 1:
                errors[at_failed] += weights[row]
    return covered, errors


@kernel
def cover_matrix(coded: CodedArrays, rules: CodedRules) -> Flags:
    """Return which rule (first axis) covers which row."""
    number, rows = rules.edges.shape[0] - 1, coded.cells.shape[1]
    matrix = np.zeros((number, rows), np.bool_)
    for rule in range(number):
        for row in range(rows):
            matrix[rule, row] = covers(coded, rules, rule, row)
    return matrix


@kernel
def changed_cover(matrix: Flags, is_in: Flags, times: Ints, is_positive: Flags, weights: Floats) -> Floats:
    """Return, for each rule put in or left out, by how much the covered weight of others (0) and positives (1) changes.

    times[row] is the number of rules that are in and cover a row.
    """
    change = np.zeros((matrix.shape[0], 2))
    for rule in range(matrix.shape[0]):
        alone = 1 if is_in[rule] else 0
        sign = -1.0 if is_in[rule] else 1.0
        for row in range(matrix.shape[1]):
            if matrix[rule, row] and times[row] == alone:
                change[rule, 1 if is_positive[row] else 0] += sign * weights[row]
    return change


@kernel
def first_two(matrix: Flags, is_in: Flags) -> tuple[Ints, Ints]:
    """Return the first and the second rule that are in and cover each row; the number of rules where there is none."""
    number, rows = matrix.shape
    first, second = np.full(rows, number, np.int32), np.full(rows, number, np.int32)
    for rule in range(number):
        if not is_in[rule]:
            continue
        for row in range(rows):
            if not matrix[rule, row]:
                continue
            if first[row] == number:
                first[row] = rule
            elif second[row] == number:
                second[row] = rule
    return first, second
