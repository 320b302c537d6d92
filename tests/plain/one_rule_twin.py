"""1R, slow and obvious: dictionaries of counts, and Holte's buckets walked value by value."""

from __future__ import annotations

from collections.abc import Sequence

Pairs = Sequence[tuple[object, int]]


def counts(pairs: Pairs, classes: int) -> list[int]:
    found = [0] * classes
    for _, label in pairs:
        found[label] += 1
    return found


def nominal_errors(pairs: Pairs, classes: int) -> int:
    """Rows that are not of the majority class of their value; missing (None) is a value."""
    values = {value for value, _ in pairs}
    return sum(_errors(counts([p for p in pairs if p[0] == value], classes)) for value in values)


def buckets(pairs: Sequence[tuple[float, int]], classes: int, minimum: int) -> list[tuple[list[float], list[int]]]:
    """(the values, the class counts) of each bucket.

    Rows of one value stay together. A bucket may end once its majority class counts the minimum, and then goes on as
    long as the next value's majority is its own; neighbours of the same majority are joined.
    """
    found: list[tuple[list[float], list[int]]] = []
    for value in sorted({x for x, _ in pairs}):
        here = counts([p for p in pairs if p[0] == value], classes)
        if found and (max(found[-1][1]) < minimum or _majority(here) == _majority(found[-1][1])):
            found[-1] = ([*found[-1][0], value], _add(found[-1][1], here))
        else:
            found.append(([value], here))
    joined: list[tuple[list[float], list[int]]] = []
    for values, here in found:
        if joined and _majority(joined[-1][1]) == _majority(here):
            joined[-1] = (joined[-1][0] + values, _add(joined[-1][1], here))
        else:
            joined.append((values, here))
    return joined


def numeric_errors(pairs: Sequence[tuple[float | None, int]], classes: int, minimum: int) -> int:
    known = [(x, k) for x, k in pairs if x is not None]
    missing = counts([(None, k) for x, k in pairs if x is None], classes)
    return sum(_errors(here) for _, here in buckets(known, classes, minimum)) + _errors(missing)


def _majority(found: list[int]) -> int:
    return found.index(max(found))


def _errors(found: list[int]) -> int:
    return sum(found) - max(found)


def _add(one: list[int], other: list[int]) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]
