"""The decrease of impurity when a node's rows are divided into two sides, some of them without a value.

With the class weights l_k of the left side, n_k of all known rows and m_k of the missing ones, the sides weigh

    l_k + a·m_k    and    n_k − l_k + (1 − a)·m_k        a = L / N, the known weight that goes left

where the missing rows are shared out; otherwise a part of none is added to either.
"""

from __future__ import annotations

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.inlined import inlined
from crake.kernels.tree.impurity import GINI, impurity, sum_of_terms, term

KNOWN, SHARED, APART = 0, 1, 2
"""Missing rows in the score: left out; shared out between the sides by their weight; a third side of their own."""
GINI_OF_SHARES = 2
"""A criterion: the decrease of 1 − Σ p_k² per row, with the rounding of WEKA's SimpleCart, where equals are decided."""


@kernel
def scale_of_sides(known_weight: float, missing_weight: float, rule: int) -> float:
    """Return how many times heavier a side is than its known rows."""
    return (known_weight + missing_weight) / known_weight if rule == SHARED and known_weight > 0.0 else 1.0


@kernel
def impurity_to_divide(
    known: Floats, known_weight: float, missing: Floats, missing_weight: float, rule: int, criterion: int, logs: Floats
) -> float:
    """Return weight × impurity of what is divided: the known rows, or all rows, without the missing ones' own part."""
    if criterion == GINI_OF_SHARES:
        return 1.0 - _squared_shares(known, missing, 1.0, known_weight + missing_weight)
    if rule == KNOWN or missing_weight <= 0.0:
        return impurity(known_weight, sum_of_terms(known, missing, 0.0, criterion, logs), criterion, logs)
    whole = sum_of_terms(known, missing, 1.0, criterion, logs)
    before = impurity(known_weight + missing_weight, whole, criterion, logs)
    if rule == SHARED:
        return before
    return before - impurity(missing_weight, sum_of_terms(missing, missing, 0.0, criterion, logs), criterion, logs)


@kernel
def decrease_of(
    before: float,
    left: Floats,
    left_weight: float,
    known: Floats,
    known_weight: float,
    missing: Floats,
    missing_weight: float,
    rule: int,
    criterion: int,
    logs: Floats,
) -> float:
    """Return `before` less weight × impurity of both sides; `left` are the class weights of known rows on the left."""
    if criterion == GINI_OF_SHARES:
        return _decrease_of_shares(before, left, left_weight, known, known_weight, missing)
    part, rest = 0.0, 0.0
    if rule == SHARED and missing_weight > 0.0:
        part = left_weight / known_weight
        rest = 1.0 - part
    terms_left, terms_right = 0.0, 0.0
    for k in range(left.shape[0]):
        terms_left += term(left[k] + part * missing[k], criterion, logs)
        terms_right += term(known[k] - left[k] + rest * missing[k], criterion, logs)
    weight_left = left_weight + part * missing_weight
    weight_right = known_weight - left_weight + rest * missing_weight
    if criterion == GINI:
        return gini_decrease(before, terms_left, weight_left, terms_right, weight_right)
    after = impurity(weight_left, terms_left, criterion, logs) + impurity(weight_right, terms_right, criterion, logs)
    return before - after


@kernel
def gini_decrease(
    before: float, terms_left: float, weight_left: float, terms_right: float, weight_right: float
) -> float:
    """Return `before` less weight × Gini impurity of both sides; one division makes equal splits equal to the bit."""
    whole = weight_left + weight_right
    return before - (whole - (terms_left * weight_right + terms_right * weight_left) / (weight_left * weight_right))


@kernel
def _squared_shares(counts: Floats, more: Floats, part: float, weight: float) -> float:
    """Return Σ p_k² of the class weights n_k + part · m_k."""
    squares = 0.0
    for k in range(counts.shape[0]):
        share = (counts[k] + part * more[k]) / weight
        squares += share * share
    return squares


@inlined
def _decrease_of_shares(
    before: float, left: Floats, left_weight: float, known: Floats, known_weight: float, missing: Floats
) -> float:
    part = left_weight / known_weight
    first_weight, second_weight = 0.0, 0.0
    for k in range(left.shape[0]):
        first_weight += left[k] + part * missing[k]
        second_weight += known[k] - left[k] + (1.0 - part) * missing[k]
    whole = first_weight + second_weight
    squares = 0.0
    for k in range(left.shape[0]):
        share = (known[k] - left[k] + (1.0 - part) * missing[k]) / second_weight
        squares += share * share
    first = 1.0 - _squared_shares(left, missing, part, first_weight)
    return before - first * (first_weight / whole) - (1.0 - squares) * (second_weight / whole)
