"""Cuts of a numeric column that tell the classes apart: the best one, or as many as pay for their description."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.tiered import tiered


@kernel
def _n_log_n(n: float) -> float:
    return n * math.log(n) if n > 0.0 else 0.0


@kernel
def n_log_n_of_counts(count: Floats) -> Floats:
    """A table of n·log n for whole n up to the sum of the counts; empty where it would not pay or counts are fractions.

    Counts grow slowly from cut to cut, so that the table is read almost in order: far faster than logarithms.
    """
    total = 0.0
    for cell in range(count.shape[0]):
        if count[cell] != math.floor(count[cell]):
            return np.zeros(0)
        total += count[cell]
    if total > 8.0 * count.shape[0]:
        return np.zeros(0)
    table = np.zeros(int(total) + 1)
    for n in range(1, table.shape[0]):
        table[n] = _n_log_n(float(n))
    return table


@kernel
def _looked_up(n: float, table: Floats) -> float:
    return table[int(n)] if n < table.shape[0] else _n_log_n(n)


@kernel
def entropy(counts: Floats) -> float:
    """H in bits: (n·log n − Σ n_c·log n_c) / (n·log 2)."""
    bits = 0.0
    total = 0.0
    for k in range(counts.shape[0]):
        bits -= _n_log_n(counts[k])
        total += counts[k]
    return (bits + _n_log_n(total)) / (total * math.log(2.0)) if total > 0.0 else 0.0


@kernel
def _present(counts: Floats) -> int:
    """Return how many classes have rows."""
    present = 0
    for k in range(counts.shape[0]):
        if counts[k] > 0.0:
            present += 1
    return present


@kernel
def best_cut(
    value: Floats, class_: Ints, count: Floats, start: int, stop: int, table: Floats, whole: Floats, below: Floats
) -> tuple[int, int, float]:
    """The first cell above the cut of smallest class entropy, the number of possible cuts, and that entropy.

    Cells start … stop − 1 are ascending by value; a cut lies between two different values. The entropy of both
    sides together is one running sum of n·log n, below before above, class by class, divided once: equal
    candidates then tie exactly, and the first of them stays. −1 where no cut lowers the entropy of the whole.
    `table` is that of `n_log_n_of_counts`. On return `whole` holds the class counts of the interval and `below`
    those below the cut.
    """
    classes = whole.shape[0]
    whole[:] = 0.0
    for cell in range(start, stop):
        whole[class_[cell]] += count[cell]
    total = 0.0
    for k in range(classes):
        total += whole[k]
    scale = total * math.log(2.0)
    least = entropy(whole)
    best, candidates = -1, 0
    here = np.zeros(classes)
    here_total = 0.0
    for cell in range(start, stop - 1):
        here[class_[cell]] += count[cell]
        here_total += count[cell]
        if value[cell + 1] > value[cell]:
            candidates += 1
            bits = 0.0
            for k in range(classes):
                bits += _looked_up(here[k], table)
            bits -= _looked_up(here_total, table)
            for k in range(classes):
                bits += _looked_up(whole[k] - here[k], table)
            bits -= _looked_up(total - here_total, table)
            remaining = -bits / scale
            if remaining < least:
                least, best = remaining, cell + 1
                for k in range(below.shape[0]):
                    below[k] = here[k]
    return best, candidates, least


@kernel
def _log2_three_to_the(k: int) -> float:
    """log2(3^k − 2); from k = 40 on the 2 is beyond the last digit, and 3^k would overflow at last."""
    return math.log2(3.0**k - 2.0) if k < 40 else k * math.log2(3.0)


@kernel
def _pays_by_fayyad_irani(whole: Floats, below: Floats, above: Floats, least: float, c: float) -> bool:
    """Gain > (log2 c + Δ)/n with Δ = log2(3^k − 2) − (k·H − k1·H1 − k2·H2)."""
    n, H = whole.sum(), entropy(whole)
    saved = _present(whole) * H - _present(below) * entropy(below) - _present(above) * entropy(above)
    delta = _log2_three_to_the(_present(whole)) - saved
    needed: float = (math.log2(c) + delta) / n
    return H - least > needed


@kernel
def _log2_choose(n: float, k: float) -> float:
    return (math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)) / math.log(2.0)


@kernel
def _coding_length(counts: Floats, k: int) -> float:
    """log2 C(n + k − 1, k − 1) bits for the class frequencies, log2 n!/Π n_c! for the order of the classes."""
    n = counts.sum()
    bits = _log2_choose(n + k - 1.0, k - 1.0) + math.lgamma(n + 1.0) / math.log(2.0)
    for c in range(counts.shape[0]):
        bits -= math.lgamma(counts[c] + 1.0) / math.log(2.0)
    return bits


@kernel
def _pays_by_kononenko(whole: Floats, below: Floats, above: Floats, c: float) -> bool:
    """The interval costs more bits than log2 c and its two sides."""
    k = _present(whole)
    saved = _coding_length(whole, k) - math.log2(c) - _coding_length(below, k) - _coding_length(above, k)
    # Products of whole numbers are often equal; what rounding leaves of the difference of their logarithms is no gain.
    return saved > 1e-9


@kernel
def midpoint(low: float, high: float) -> float:
    """(low + high)/2, or the lower value where rounding or overflow would not keep low ≤ cut < high."""
    cut = (low + high) / 2.0
    return cut if low <= cut < high else low


@tiered(lambda value, _class, _count, classes, *_: 10 * len(value) * (classes + 3), most=300_000)
def mdl_cuts(value: Floats, class_: Ints, count: Floats, classes: int, kononenko: bool, encoding: int) -> Floats:
    """The cuts of Fayyad and Irani (or by Kononenko's criterion) in any order: x ≤ cut is below.

    The best cut of an interval is accepted if it pays for its own description, and both sides are cut in
    turn, from a stack: a column may have more cuts than a recursion has levels. An interval costs its cells and its
    distinct values × classes. c, the number of cuts to tell apart, is n − 1 (encoding 0), the number of midpoints (1),
    or the number of cells − 1 (2).
    """
    table = n_log_n_of_counts(count)
    stack = [(0, value.shape[0])]
    cuts = np.zeros(0)
    number = 0
    whole, below, above = np.zeros(classes), np.zeros(classes), np.zeros(classes)
    while len(stack) > 0:
        start, stop = stack.pop()
        at, candidates, least = best_cut(value, class_, count, start, stop, table, whole, below)
        if at < 0:
            continue
        for k in range(classes):
            above[k] = whole[k] - below[k]
        # Weights may sum to less than two rows; log2 of less than one cut would pay for it.
        c = max(1.0, whole.sum() - 1.0 if encoding == 0 else float(candidates) if encoding == 1 else stop - start - 1.0)
        pays = (
            _pays_by_kononenko(whole, below, above, c)
            if kononenko
            else _pays_by_fayyad_irani(whole, below, above, least, c)
        )
        if pays:
            if number == cuts.shape[0]:
                longer = np.zeros(2 * number + 8)
                for i in range(number):
                    longer[i] = cuts[i]
                cuts = longer
            cuts[number] = midpoint(value[at - 1], value[at])
            number += 1
            stack.append((start, at))
            stack.append((at, stop))
    return cuts[:number]
