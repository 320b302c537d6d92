"""Values of leaves and rules in SQL: by their number, as fast as the engine finds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from crake.arrays import Floats
from crake.export.sql.text import Words, one_of

MOST_NAMED = 16
"""Leaves that are named one by one; an engine asks for each of them, for every row."""


def first_largest(numbers: Floats, tie: float) -> list[int]:
    """Return for each line the first place whose number is at least the largest less `tie`."""
    places: list[int] = np.argmax(numbers >= numbers.max(axis=1, keepdims=True) - tie, axis=1).tolist()
    return places


def by_number(words: Words, number: str, numbers: Sequence[int], values: Sequence[str]) -> str:
    """Write a value for each leaf, or rule; `number` is the column of its number, and numbers ascend.

    Few are named, the most frequent value stands for all others. Of many, DuckDB looks the value up in a list, and
    other engines halve the numbers until they know it.

    >>> print(by_number(Words("sqlite", []), '"leaf"', [1, 3, 4], ["'a'", "'b'", "'a'"]))
    CASE WHEN "leaf" = 3 THEN 'b' ELSE 'a' END
    """
    most = Counter(values).most_common(1)[0][0]
    others: dict[str, list[str]] = {}
    for own, value in zip(numbers, values, strict=True):
        if value != most:
            others.setdefault(value, []).append(str(own))
    if not others:
        return most
    if sum(map(len, others.values())) > MOST_NAMED:
        if words.dialect == "duckdb":
            return _in_list(number, numbers, values)
        return _halved(number, *_runs(numbers, values))
    cases = " ".join(f"WHEN {number} {one_of(leaves)} THEN {value}" for value, leaves in others.items())
    return f"CASE {cases} ELSE {most} END"


def _in_list(number: str, numbers: Sequence[int], values: Sequence[str]) -> str:
    """Write a list with a value, or NULL, for every number from 0 on; lists count from 1."""
    listed = dict(zip(numbers, values, strict=True))
    return f"[{', '.join(listed.get(at, 'NULL') for at in range(max(numbers) + 1))}][{number} + 1]"


def _runs(numbers: Sequence[int], values: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return where each run of equal values begins, and the value of each run.

    >>> _runs([1, 3, 4, 7], ["a", "a", "b", "a"])
    ([1, 4, 7], ['a', 'b', 'a'])
    """
    begins = [at for at in range(len(values)) if at == 0 or values[at] != values[at - 1]]
    return [numbers[at] for at in begins], [values[at] for at in begins]


def _halved(number: str, begins: Sequence[int], values: Sequence[str]) -> str:
    """Write nested CASEs, each of which leaves half of the runs.

    >>> _halved("n", [1, 4, 7], ["a", "b", "c"])
    'CASE WHEN n < 4 THEN a ELSE CASE WHEN n < 7 THEN b ELSE c END END'
    """
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    below, above = _halved(number, begins[:half], values[:half]), _halved(number, begins[half:], values[half:])
    return f"CASE WHEN {number} < {begins[half]} THEN {below} ELSE {above} END"
