"""Slow and obvious: cuts of a numeric column, from lists of values and classes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

Pairs = Sequence[tuple[float, int]]


def equal_width(values: Sequence[float], bins: int) -> list[float]:
    low, high = min(values), max(values)
    return [low + (high - low) / bins * i for i in range(1, bins)] if low < high else []


def equal_frequency(values: Sequence[float], bins: int) -> list[float]:
    """Each wanted share tries every place between two different values, and before the first and after the last."""
    ordered = sorted(values)
    distinct = sorted(set(values))
    places = [-math.inf, *((a + b) / 2 for a, b in pairwise(distinct)), math.inf]
    chosen = set()
    for i in range(1, bins):
        wanted = len(ordered) * i / bins
        chosen.add(min(places, key=lambda place: (abs(sum(v <= place for v in ordered) - wanted), place)))
    return sorted(place for place in chosen if math.isfinite(place))


def two_way(pairs: Pairs) -> list[float]:
    pairs = sorted(pairs)
    best = _best(pairs)
    if best is None or entropy(pairs) - _entropy_of_sides(pairs, best) < 1e-12:
        return []
    return [best]


def mdl(pairs: Pairs, criterion: str = "fayyad-irani", encoding: str = "rows") -> list[float]:
    pairs = sorted(pairs)
    cut = _best(pairs)
    if cut is None:
        return []
    below, above = [p for p in pairs if p[0] <= cut], [p for p in pairs if p[0] > cut]
    c = len(pairs) - 1 if encoding == "rows" else len({v for v, _ in pairs}) - 1
    pays: Callable[..., bool] = _fayyad_irani if criterion == "fayyad-irani" else _kononenko
    if not pays(pairs, below, above, c):
        return []
    return [*mdl(below, criterion, encoding), cut, *mdl(above, criterion, encoding)]


def _best(pairs: Pairs) -> float | None:
    """The first midpoint of smallest entropy, if below that of the whole: strictly, as rounding has it."""
    least, best = entropy(pairs), None
    for low, high in pairwise(sorted({v for v, _ in pairs})):
        found = _entropy_of_sides(pairs, (low + high) / 2)
        if found < least:
            least, best = found, (low + high) / 2
    return best


def _entropy_of_sides(pairs: Pairs, cut: float) -> float:
    """One running sum of n·log n: below, then above; class by class, then the side as a whole; divided once."""
    bits = 0.0
    for side in ([c for v, c in pairs if v <= cut], [c for v, c in pairs if v > cut]):
        for label in range(max(c for _, c in pairs) + 1):
            bits += _n_log_n(side.count(label))
        bits -= _n_log_n(len(side))
    return -bits / (len(pairs) * math.log(2))


def _n_log_n(n: int) -> float:
    return n * math.log(n) if n else 0.0


def entropy(pairs: Pairs) -> float:
    bits = 0.0
    for label in range(max(c for _, c in pairs) + 1):
        bits -= _n_log_n(sum(c == label for _, c in pairs))
    return (bits + _n_log_n(len(pairs))) / (len(pairs) * math.log(2))


def _fayyad_irani(whole: Pairs, below: Pairs, above: Pairs, c: int) -> bool:
    n = len(whole)
    k, k1, k2 = (len({label for _, label in part}) for part in (whole, below, above))
    gain = entropy(whole) - len(below) / n * entropy(below) - len(above) / n * entropy(above)
    delta = math.log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(below) - k2 * entropy(above))
    return gain > (math.log2(c) + delta) / n


def _kononenko(whole: Pairs, below: Pairs, above: Pairs, c: int) -> bool:
    k = len({label for _, label in whole})
    return _messages(whole, k) > c * _messages(below, k) * _messages(above, k)


def _messages(pairs: Pairs, k: int) -> int:
    """Two to the power of the coding length: a whole number, so that nothing is rounded."""
    n = len(pairs)
    orders = math.factorial(n)
    for count in Counter(c for _, c in pairs).values():
        orders //= math.factorial(count)
    return math.comb(n + k - 1, k - 1) * orders
