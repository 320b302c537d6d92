"""Nearest neighbours, slow and obvious: one distance at a time, a sorted list, a dictionary of votes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Row = Sequence[Any]
"""Numbers are floats, names are strings, None is missing."""


def ranges(rows: Sequence[Row], numeric: Sequence[bool]) -> list[tuple[float, float]]:
    found = []
    for j, is_number in enumerate(numeric):
        known = [row[j] for row in rows if row[j] is not None] if is_number else []
        found.append((min(known), max(known)) if known else (0.0, 0.0))
    return found


def gap(one: Any, other: Any, low: float, high: float) -> float:
    """Of two numbers; low and high are those of the training rows."""
    placed = [None if x is None else 0.0 if low == high else (x - low) / (high - low) for x in (one, other)]
    if placed[0] is None and placed[1] is None:
        return 1.0
    if placed[0] is None or placed[1] is None:
        z = placed[1] if placed[0] is None else placed[0]
        return max(abs(z), abs(1 - z))
    return abs(placed[0] - placed[1])


def differ(one: Any, other: Any) -> float:
    return 0.0 if one is not None and one == other else 1.0


def distance(one: Row, other: Row, numeric: Sequence[bool], bounds: Sequence[tuple[float, float]], power: int) -> float:
    """Numbers first, then names, so that the last bits are those of the fast code."""
    total = 0.0
    for j, is_number in enumerate(numeric):
        if is_number:
            total += gap(one[j], other[j], *bounds[j]) ** power
    return total + sum(differ(one[j], other[j]) for j, is_number in enumerate(numeric) if not is_number)


def votes(
    query: Row, rows: Sequence[Row], labels: Sequence[Any], numeric: Sequence[bool], k: int,
    *, weights: str = "uniform", ties: str = "all", power: int = 2,
) -> dict[Any, float]:  # fmt: skip
    """Each class's share of the votes."""
    bounds = ranges(rows, numeric)
    # Distances that differ in their last digits only are equal.
    measured = [distance(query, row, numeric, bounds, power) for row in rows]
    found = sorted((round(d, 12), i, d) for i, d in enumerate(measured))
    k = min(k, len(rows))
    near = found[:k] if ties == "first" else [each for each in found if each[0] <= found[k - 1][0]]
    total: dict[Any, float] = {}
    for _, i, raised in near:
        d = math.sqrt(raised) if power == 2 else raised
        if weights == "uniform":
            u = 1.0
        elif weights == "distance":
            is_equal = near[0][2] == 0
            u = (1.0 if d == 0 else 0.0) if is_equal else 1.0 / d
        else:
            r = d / math.sqrt(len(numeric)) if power == 2 else d / len(numeric)
            u = 1.0 / (r + 0.001) if weights == "inverse" else max(0.0, 1 - r)
        total[labels[i]] = total.get(labels[i], 0.0) + u
    if not any(total.values()):
        return votes(query, rows, labels, numeric, k, ties=ties, power=power)
    return {label: u / sum(total.values()) for label, u in total.items()}
