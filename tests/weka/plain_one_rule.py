"""Slow and obvious: WEKA's OneR from a description of its rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Cells = Sequence[float | None]


class Rule:
    """The answers of one column; `levels` is its number of declared values, 0 for a numeric one."""

    def __init__(self, cells: Cells, labels: Sequence[int], levels: int, classes: int, bucket: int) -> None:
        self.cuts: list[float] | None = None
        if levels:
            counts = [_counts(cells, labels, classes, [v]) for v in range(levels)]
        else:
            buckets = _joined(_buckets(cells, labels, classes, bucket), cells, labels, classes)
            counts = [_counts(cells, labels, classes, values) for values in buckets]
            self.cuts = [(low[-1] + high[0]) / 2 for low, high in pairwise(buckets)]
        missing = _counts(cells, labels, classes, [None])
        self.correct = sum(max(c) for c in [*counts, missing])
        self.answers = [c.index(max(c)) for c in counts]  # without rows: the first class
        self.missing = missing.index(max(missing))

    def answer(self, x: float | None) -> int:
        if x is None:
            return self.missing
        if self.cuts is None:
            return self.answers[int(x)]
        if not self.answers:  # no value was known in training, and without rows it is the first class
            return 0
        return self.answers[sum(x >= cut for cut in self.cuts)]


def best(rules: Sequence[Rule]) -> int:
    """The column with the most correct rows, the first of equals."""
    return max(range(len(rules)), key=lambda j: rules[j].correct)


def _counts(cells: Cells, labels: Sequence[int], classes: int, values: Sequence[float | None]) -> list[int]:
    counts = [0] * classes
    for x, k in zip(cells, labels, strict=True):
        counts[k] += x in values
    return counts


def _buckets(cells: Cells, labels: Sequence[int], classes: int, bucket: int) -> list[list[float]]:
    """Ascending; a bucket goes on while it is too small or the next value answers as it does."""
    buckets: list[list[float]] = []
    for x in sorted({x for x in cells if x is not None}):
        here = _counts(cells, labels, classes, [x])
        current = _counts(cells, labels, classes, buckets[-1]) if buckets else []
        if buckets and (max(current) < bucket or here.index(max(here)) == current.index(max(current))):
            buckets[-1].append(x)
        else:
            buckets.append([x])
    return buckets


def _joined(buckets: list[list[float]], cells: Cells, labels: Sequence[int], classes: int) -> list[list[float]]:
    joined: list[list[float]] = []
    for values in buckets:
        new = _counts(cells, labels, classes, values)
        old = _counts(cells, labels, classes, joined[-1]) if joined else []
        if joined and new.index(max(new)) == old.index(max(old)):
            joined[-1].extend(values)
        else:
            joined.append(list(values))
    return joined
