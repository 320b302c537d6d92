"""The split of every node of a level on one nominal column: a branch per value, or one value against the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.impurity import ENTROPY, LN2, NOTHING, impurity, sum_of_terms, term
from crake.kernels.tree.value_table import add_values, count_values, forget_values

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Classes = NDArray[np.uint8] | NDArray[np.int32]


@kernel
def scan_multiway(
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    is_open: NDArray[np.bool_],
    levels: int,
    classes: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    tolerance: float,
    decrease: Floats,
    known_weight: Floats,
    branch_terms: Floats,
    is_usable: NDArray[np.bool_],
) -> None:
    """For each open node: the decrease of weight × impurity when every value of a nominal column gets its branch.

    `branch_terms` is Σ W_v·ln W_v, for the split information. Usable: at least two branches of the smallest weight.
    """
    table, weight = np.zeros((levels, classes)), np.zeros(levels)
    number, met = np.zeros(levels, np.int64), np.zeros(levels, np.int32)
    whole, missing = np.zeros(classes), np.zeros(classes)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], branch_terms[s] = 0.0, 0.0, 0.0
        is_usable[s] = False
        if not is_open[s]:
            continue
        found = count_values(
            rows, start[s], start[s] + size[s], codes, row_of, target, weights, table, weight, number, met, missing
        )
        known_weight[s] = add_values(met, found, table, weight, whole)
        enough, after = 0, 0.0
        for t in range(found):
            v = met[t]
            if weight[v] + tolerance >= smallest:
                enough += 1
            terms = 0.0
            for k in range(classes):
                terms += term(table[v, k], criterion, logs)
            after += impurity(weight[v], terms, criterion, logs)
            branch_terms[s] += term(weight[v], ENTROPY, logs)
        before = impurity(known_weight[s], sum_of_terms(whole, missing, 0.0, criterion, logs), criterion, logs)
        is_usable[s] = enough >= 2
        decrease[s] = before - after
        forget_values(met, found, table, weight, number)


@kernel
def scan_one_value(
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    node_weight: Floats,
    is_open: NDArray[np.bool_],
    levels: int,
    classes: int,
    criterion: int,
    logs: Floats,
    smallest: float,
    tolerance: float,
    by_ratio: bool,
    decrease: Floats,
    known_weight: Floats,
    branch_terms: Floats,
    choice: Longs,
) -> None:
    """For each open node: the value whose rows, against all other known rows, give the best split; −1: none has enough.

    Best by the gain ratio (C4.5 with binary splits) or by the decrease itself.
    """
    table, weight = np.zeros((levels, classes)), np.zeros(levels)
    number, met = np.zeros(levels, np.int64), np.zeros(levels, np.int32)
    whole, missing = np.zeros(classes), np.zeros(classes)
    for s in range(start.shape[0]):
        decrease[s], known_weight[s], branch_terms[s] = 0.0, 0.0, 0.0
        choice[s] = -1
        if not is_open[s]:
            continue
        found = count_values(
            rows, start[s], start[s] + size[s], codes, row_of, target, weights, table, weight, number, met, missing
        )
        total = add_values(met, found, table, weight, whole)
        known_weight[s] = total
        before = impurity(total, sum_of_terms(whole, missing, 0.0, criterion, logs), criterion, logs)
        node = node_weight[s]
        best = 0.0
        for t in range(found):
            v = met[t]
            rest = total - weight[v]
            if weight[v] + tolerance < smallest or rest + tolerance < smallest or rest <= 0.0:
                continue
            inside, outside = 0.0, 0.0
            for k in range(classes):
                inside += term(table[v, k], criterion, logs)
                outside += term(whole[k] - table[v, k], criterion, logs)
            gained = before - impurity(weight[v], inside, criterion, logs) - impurity(rest, outside, criterion, logs)
            branches = term(weight[v], ENTROPY, logs) + term(rest, ENTROPY, logs)
            score = gained
            if by_ratio:
                if (total / node) * gained / LN2 < tolerance:
                    gained = 0.0
                information = (term(node, ENTROPY, logs) - branches - term(node - total, ENTROPY, logs)) / LN2
                score = gained / LN2 / information if information >= NOTHING else 0.0
            if choice[s] < 0 or score > best + tolerance:
                choice[s] = v
                best = score
                decrease[s] = gained
                branch_terms[s] = branches
        forget_values(met, found, table, weight, number)
