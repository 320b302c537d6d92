"""The evidence that a column depends on the class, and the average over both answers.

With a Dirichlet prior of α a value, the rows of a column of V values have the probability

    depends :   Π_c [Γ(α·V)/Γ(α·V + n_c) · Π_v Γ(α + n_cv)/Γ(α)]
    does not :  Γ(α·V)/Γ(α·V + n) · Π_v Γ(α + n_v)/Γ(α)

Each column depends on the class or does not, whatever the others do. So the average over the 2^p naive Bayes models of
p columns is one product over the columns (Dash and Cooper 2004):

    P(c, x) = P(c) · Π_j [w_j · (n_cv + α)/(n_c + α·V) + (1 − w_j) · (n_v + α)/(n + α·V)]

where w_j is the probability that column j depends on the class, given the training rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from crake.arrays import Floats, Longs
from crake.learners.naive_bayes.smoothing import Smoothing, smoothed_slots
from crake.render.workings import number

MOST_ROWS = 1e12
"""Heavier tables are scaled down to this weight: the digits of ln Γ would not be enough for a difference."""
LARGE_ALPHA = 100.0
"""From here on the difference of two ln Γ is taken by Stirling's series: the digits of ln Γ would not be enough."""

MANY = 1000
"""Counts from which on it pays to look for equal ones."""


@dataclass(frozen=True)
class Averaging(Smoothing):
    """The likelihood of a value, averaged over "the column depends on the class" and "it does not".

    depends : the probability of the first before any row is seen.

    >>> rule, counts = Averaging(alpha=1.0), np.array([[3.0, 2.0, 0.0], [2.0, 3.0, 4.0]])  # outlook of the weather
    >>> round(rule.probability(counts), 4)
    0.6753
    >>> rule.written(counts, [0])[0][1]
    '0.6753·(2 + 1)/(9 + 3) + 0.3247·(5 + 1)/(14 + 3)'
    """

    depends: float = 0.5

    def log_evidence_ratio(self, counts: Floats) -> float:
        """Return ln P(rows if the column depends on the class) − ln P(rows if not), of counts (classes, values)."""
        total = counts.sum()
        if total > MOST_ROWS:
            counts, total = counts * (MOST_ROWS / total), MOST_ROWS
        own = self._log_evidence(counts, counts.sum(axis=1))
        return own - self._log_evidence(counts.sum(axis=0), np.array([total]))

    def _log_evidence(self, counts: Floats, totals: Floats) -> float:
        """Return the sum over the rows of a table of ln [Γ(α·V)/Γ(α·V + n) · Π_v Γ(α + n_v)/Γ(α)].

        `totals` has n of each row. A large α is divided out of every factor: n·ln V is left out, which is the same for
        all tables of n rows.
        """
        log_rising = _log_rising if self.alpha <= LARGE_ALPHA else _log_rising_share
        return log_rising(self.alpha, counts) - log_rising(self.alpha * counts.shape[-1], totals)

    def probability(self, counts: Floats) -> float:
        """Return w, the probability that the column depends on the class; `depends` where there is nothing to see."""
        if self.depends in (0.0, 1.0):
            return self.depends
        odds = math.log(self.depends / (1.0 - self.depends)) + self.log_evidence_ratio(counts)
        return 1.0 / (1.0 + math.exp(-odds)) if odds > -700.0 else 0.0

    def table(self, counts: Floats) -> Floats:
        """Return w·P(v given c) + (1 − w)·P(v), shape (classes, values)."""
        w = self.probability(counts)
        averaged: Floats = w * super().table(counts) + (1.0 - w) * super().table(counts.sum(axis=0, keepdims=True))
        return averaged

    def side_by_side(self, counts: Floats, offsets: Longs) -> Floats:
        """Return the averages of all columns at once; w of each is a function of its whole table."""
        edges = offsets.tolist()
        w = np.array([self.probability(counts[:, start + 1 : stop]) for start, stop in pairwise(edges)])
        own, of_all = (
            smoothed_slots(each, offsets, self.alpha) for each in (counts, counts.sum(axis=0, keepdims=True))
        )
        w = np.repeat(w, np.diff(offsets))
        return np.asarray(w * own + (1.0 - w) * of_all)

    def written(
        self, counts: Floats, places: Sequence[int], floor: float = 0.0, *, briefly: bool = False
    ) -> list[tuple[str, ...]]:
        """Write the average of two fractions as on paper, or its value if `briefly`."""
        if briefly:
            return [tuple(map(number, column)) for column in self.table(counts)[:, list(places)].T.tolist()]
        w = self.probability(counts)
        own = super().written(counts, places, floor)
        (of_all,) = zip(*super().written(counts.sum(axis=0, keepdims=True), places, floor), strict=True)
        return [
            tuple(f"{_weight(w)}·{each} + {number(1.0 - w)}·{alone}" if w < 1.0 else each for each in by_class)
            for by_class, alone in zip(own, of_all, strict=True)
        ]


def _weight(w: float) -> str:
    """Write w; what is nearly 1 as what it lacks.

    >>> _weight(0.5469), _weight(1 - 4.7e-13)
    ('0.5469', '(1 − 4.7e-13)')
    """
    return number(w) if w <= 0.9999 else f"(1 − {number(1.0 - w)})"


def _log_rising(start: float, counts: Floats) -> float:
    """Return the sum of ln [Γ(start + n)/Γ(start)] over the counts; of many counts, equal ones are looked up once."""
    known = [n for n in counts.ravel().tolist() if n > 0.0]
    if not known:
        return 0.0
    base = math.lgamma(start)
    if len(known) < MANY:
        return math.fsum([math.lgamma(start + n) - base for n in known])
    return math.fsum(times * (math.lgamma(start + n) - base) for n, times in Counter(known).items())


def _log_rising_share(start: float, counts: Floats) -> float:
    """Return the sum of ln [Γ(start + n)/(Γ(start)·startⁿ)] over the counts, for a large start: Σ ln(1 + i/start).

    >>> round(_log_rising_share(1e12, np.array([30.0])) * 1e10, 3)  # (0 + 1 + … + 29)/10¹² = 4.35e-10
    4.35
    """
    if math.isinf(start):
        return 0.0
    n = counts[counts > 0]
    terms = (start + n - 0.5) * np.log1p(n / start) - n + _stirling(start + n) - _stirling(start)
    return math.fsum(terms.tolist())


def _stirling(x: Any) -> Any:
    """Return what Stirling's formula lacks of ln Γ(x): 1/(12·x) − 1/(360·x³) + 1/(1260·x⁵)."""
    inverse = 1.0 / x
    square = inverse * inverse
    return inverse * (1 / 12 - square * (1 / 360 - square / 1260))
