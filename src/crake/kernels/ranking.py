"""Rows in the order of their scores, highest first, and the positives and negatives down to each distinct score.

The keys are the bits of the scores, turned so that whole numbers ascend where scores descend, and are sorted by
radix: no score is compared, no order of rows is kept. Rows of equal weight need no weights beside the keys: positives
and negatives are sorted apart, which is two tasks for two threads, and merged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats
from crake.kernels import kernel, readable, threads

BITS = 11
"""Bits of a digit: six passes over doubles, each with 16 kB of counts; passes in which all keys agree are left out."""

FEW = 10_000
"""Up to this number of rows NumPy sorts sooner than the compiled loops are loaded."""

Keys = NDArray[np.uint64]


@kernel
def _key(bits: np.uint64, score: float) -> np.uint64:
    sign = np.uint64(1) << np.uint64(63)
    b = bits if score != 0.0 else np.uint64(0)  # -0.0 is 0.0
    return b if b & sign else ~(b | sign)


@kernel
def _score(key: np.uint64) -> np.uint64:
    sign = np.uint64(1) << np.uint64(63)
    return key if key & sign else ~key ^ sign


@kernel
def _keys_apart(is_positive: Flags, scores: Floats, positives: Keys, negatives: Keys) -> int:
    bits = scores.view(np.uint64)
    p, n = 0, 0
    for i in range(scores.shape[0]):
        if not np.isfinite(scores[i]):
            return i
        if is_positive[i]:
            positives[p] = _key(bits[i], scores[i])
            p += 1
        else:
            negatives[n] = _key(bits[i], scores[i])
            n += 1
    return -1


@kernel
def _keys_together(is_positive: Flags, scores: Floats, weights: Floats, keys: Keys, signed: Floats) -> tuple[int, int]:
    bits = scores.view(np.uint64)
    known = 0
    for i in range(scores.shape[0]):
        if not np.isfinite(scores[i]):
            return i, known
        if weights[i] > 0:
            keys[known] = _key(bits[i], scores[i])
            signed[known] = weights[i] if is_positive[i] else -weights[i]
            known += 1
    return -1, known


@kernel
def _digits(keys: Keys) -> NDArray[np.int64]:
    counts = np.zeros((6, 1 << BITS), np.int64)
    low = np.uint64((1 << BITS) - 1)
    for key in keys:
        for digit in range(6):
            counts[digit, (key >> np.uint64(BITS * digit)) & low] += 1
    return counts


@kernel
def _places(counts: NDArray[np.int64], rows: int) -> bool:
    """From how many there are of each digit to where the first goes; False where all have the same."""
    place = 0
    for value in range(counts.shape[0]):
        count = counts[value]
        if count == rows:
            return False
        counts[value] = place
        place += count
    return True


@kernel
def _sorted_keys(keys: Keys) -> Keys:
    counts, other = _digits(keys), np.empty_like(keys)
    low = np.uint64((1 << BITS) - 1)
    for digit in range(6):
        places, shift = counts[digit], np.uint64(BITS * digit)
        if _places(places, keys.shape[0]):
            for key in keys:
                value = (key >> shift) & low
                other[places[value]] = key
                places[value] += 1
            keys, other = other, keys
    return keys


@kernel
def _sorted_pairs(keys: Keys, beside: Floats) -> tuple[Keys, Floats]:
    counts, other, other_beside = _digits(keys), np.empty_like(keys), np.empty_like(beside)
    low = np.uint64((1 << BITS) - 1)
    for digit in range(6):
        places, shift = counts[digit], np.uint64(BITS * digit)
        if _places(places, keys.shape[0]):
            for i in range(keys.shape[0]):
                value = (keys[i] >> shift) & low
                other[places[value]], other_beside[places[value]] = keys[i], beside[i]
                places[value] += 1
            keys, other = other, keys
            beside, other_beside = other_beside, beside
    return keys, beside


@kernel
def _merged(positives: Keys, negatives: Keys, scores: Keys, true: Floats, false: Floats) -> int:
    p, n, distinct = 0, 0, 0
    P, N = positives.shape[0], negatives.shape[0]
    while p < P or n < N:
        key = positives[p] if n >= N or (p < P and positives[p] < negatives[n]) else negatives[n]
        while p < P and positives[p] == key:
            p += 1
        while n < N and negatives[n] == key:
            n += 1
        scores[distinct], true[distinct], false[distinct] = _score(key), p, n
        distinct += 1
    return distinct


@kernel
def _summed(keys: Keys, signed: Floats, scores: Keys, true: Floats, false: Floats) -> int:
    distinct, TP, FP = 0, 0.0, 0.0
    for i in range(keys.shape[0]):
        if signed[i] > 0:
            TP += signed[i]
        else:
            FP -= signed[i]
        if i + 1 == keys.shape[0] or keys[i + 1] != keys[i]:
            scores[distinct], true[distinct], false[distinct] = _score(keys[i]), TP, FP
            distinct += 1
    return distinct


def ranked(is_positive: Flags, scores: Floats, weights: Floats | None) -> tuple[Floats, Floats, Floats] | int:
    """Distinct scores, descending, with the weight of the positives and of the negatives scored at least so high.

    Rows of weight 0 are absent. The first row whose score is not finite is returned instead, where there is one.
    """
    return (ranked_few if len(scores) < FEW else ranked_many)(is_positive, scores, weights)


def ranked_many(is_positive: Flags, scores: Floats, weights: Floats | None) -> tuple[Floats, Floats, Floats] | int:
    """By the compiled loops."""
    is_positive, scores = readable(is_positive), readable(scores)
    if weights is None:
        return _of_equal_weight(is_positive, scores)
    keys, signed = np.empty(len(scores), np.uint64), np.empty(len(scores))
    wrong, known = _keys_together(is_positive, scores, readable(weights), keys, signed)
    if wrong >= 0:
        return int(wrong)
    keys, signed = _sorted_pairs(keys[:known], signed[:known])
    distinct_scores, true, false = np.empty(known, np.uint64), np.empty(known), np.empty(known)
    return _trimmed(_summed(keys, signed, distinct_scores, true, false), distinct_scores, true, false)


def ranked_few(is_positive: Flags, scores: Floats, weights: Floats | None) -> tuple[Floats, Floats, Floats] | int:
    """By NumPy."""
    if not np.isfinite(scores).all():
        return int(np.argmin(np.isfinite(scores)))
    weight = np.ones(len(scores)) if weights is None else weights
    rows = np.flatnonzero(weight > 0)
    rows = rows[np.argsort(-scores[rows], kind="stable")]
    distinct_scores, positive, weight = scores[rows] + 0.0, is_positive[rows], weight[rows]  # -0.0 is 0.0
    last = np.flatnonzero(np.append(distinct_scores[1:] != distinct_scores[:-1], np.ones(min(1, len(rows)), np.bool_)))
    true, false = np.cumsum(np.where(positive, weight, 0.0)), np.cumsum(np.where(positive, 0.0, weight))
    return distinct_scores[last], true[last], false[last]


def _of_equal_weight(is_positive: Flags, scores: Floats) -> tuple[Floats, Floats, Floats] | int:
    P = int(np.count_nonzero(is_positive))
    sides = [np.empty(P, np.uint64), np.empty(len(scores) - P, np.uint64)]
    wrong = _keys_apart(is_positive, scores, sides[0], sides[1])
    if wrong >= 0:
        return int(wrong)

    def work(side: int) -> None:
        sides[side] = _sorted_keys(sides[side])

    threads.each(work, range(2), len(scores))
    distinct_scores, true, false = np.empty(len(scores), np.uint64), np.empty(len(scores)), np.empty(len(scores))
    return _trimmed(_merged(sides[0], sides[1], distinct_scores, true, false), distinct_scores, true, false)


def _trimmed(distinct: int, distinct_scores: Keys, true: Floats, false: Floats) -> tuple[Floats, Floats, Floats]:
    columns = distinct_scores.view(np.float64), true, false
    if distinct > 0.9 * len(distinct_scores):  # a view of nearly all of it wastes little; otherwise give the rest back
        return columns[0][:distinct], columns[1][:distinct], columns[2][:distinct]
    return columns[0][:distinct].copy(), columns[1][:distinct].copy(), columns[2][:distinct].copy()
