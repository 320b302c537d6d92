"""Bounds of the sums that a fit adds up, from what does not depend on the order of the rows: they decide on the grids.

All follow from W, the total weight. A standardised number has Σ w·z² ≤ W, and a term of zeros and ones has it, too; so
by Cauchy and Schwarz Σ w·|z_i|·|z_j| ≤ W, and a residual is at most w.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.linear.encoding import NO_PLACE
from crake.kernels.linear.rounded_sums import ROUNDING
from crake.learners.encoding import Design

SLACK = 1.01
"""Room for what rounding adds to a bound."""
LEAST_HEADROOM, MOST_HEADROOM = 1.02, 8.0
"""The factors by which the information on the diagonal may grow from one pass to the next; if it grows by more the pass
is done again."""
ROOM = 2.0
"""The room for what a sample of the rows got wrong."""
FULL = 0.99
"""The share of its bound that a sum on the diagonal may reach."""
LARGEST = 2.0**990
"""Bounds beyond it are those of fits that have run away."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """`weight` is the total weight of the rows, `reach` the largest |standardised number| among them."""

    design: Design
    weight: float
    reach: float

    def value(self, coefficient: Floats) -> float:
        """Return what rounds the rows' log-likelihoods: |log P| ≤ log of the classes + 2·the largest |score|."""
        classes = coefficient.shape[1] + 1
        return rounding(self.weight * (math.log(classes) + 2.0 * self._score(coefficient)))

    def gradient(self) -> float:
        """Return what rounds residual × term, or w·p·(1 − p) × term²."""
        return rounding(self.weight)

    def curvature(self, direction: Floats) -> float:
        """Return what rounds w·p·(d − Σ p·d) × term, where d is the score in a direction."""
        return rounding(2.0 * self.weight * self._score(direction))

    def modification(self, inverse: Floats) -> float:
        """Return what rounds the terms of Firth's modification; w·Q is at most W·Σ |I⁻¹|, and |pull| 6·Q."""
        return rounding(3.0 * self.weight * max(self.reach, 1.0) * float(np.abs(inverse).sum()))

    def scales(self, expected: Floats | None, outputs: int) -> Floats:
        """Return u (outputs, numbers + 1) with u² above an expected diagonal, or above all that there can be: W/4."""
        most = np.full((outputs, self.design.numbers + 1), 0.25 * self.weight)
        if expected is not None:
            most = np.where(expected > 0, np.minimum(expected, most), most)
        return power_above(np.sqrt(SLACK / FULL * most))

    def expected_at(self, coefficient: Floats) -> Floats | None:
        """Return the diagonal where all rows have the same probabilities: W·p·(1 − p). None where they have not."""
        at = self.design.numbers
        if coefficient[:at].any() or coefficient[at + 1 :].any():
            return None
        scores = np.append(coefficient[at], 0.0)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        # Not 1 − p, which has no digits where p is nearly 1.
        rest = np.array([np.delete(shares, k).sum() for k in range(len(shares) - 1)])
        return np.repeat((self.weight * shares[:-1] * rest)[:, None], at + 1, axis=1)

    def _score(self, coefficient: Floats) -> float:
        """Return a bound of the root mean square (by weight) of the rows' largest |score| of all outputs.

        That of one output is at most Σ |coefficient|, of a nominal column the largest of them; the squares add up.
        """
        arrays, size = self.design.arrays, np.abs(coefficient)
        with np.errstate(over="ignore"):
            total = size[: self.design.numbers + 1].sum(axis=0)
            if arrays.missing.size:
                total += size[arrays.missing[1]].sum(axis=0)
            for start, stop in pairwise(arrays.offsets.tolist()):
                own = arrays.places[start:stop]
                total += size[own[own != NO_PLACE]].max(axis=0, initial=0.0)
            return float(np.sqrt(np.sum(total**2)))


@dataclass(frozen=True, eq=False)
class Expected:
    """Bounds `most` of the diagonal of the information (outputs, numbers + 1) in the next pass.

    Newton's steps change it less and less: the square of the last factor is room enough.
    """

    last: Floats | None = None
    most: Floats | None = None

    def of_more_rows(self, times: float) -> Expected:
        """Scale the bounds to a table with `times` as many rows, at the same coefficients."""
        return Expected() if self.last is None else Expected(times * self.last, ROOM * times * self.last)

    def after(self, diagonal: Floats) -> Expected:
        """Return what is expected after a pass that found this diagonal."""
        factor = MOST_HEADROOM
        if self.last is not None and (self.last > 0).all() and (diagonal > 0).all():
            change = np.abs(np.log(diagonal / self.last)).max()
            factor = float(np.clip(np.exp(2.0 * change), LEAST_HEADROOM, MOST_HEADROOM))
        return Expected(diagonal, factor * diagonal)


def fits(diagonal: Floats, scales: Floats) -> bool:
    """Return True if sums on the diagonal stayed within the bounds of their grids, so that no digit was lost."""
    return bool((diagonal <= FULL * scales**2).all())


def rounding(bound: float) -> float:
    """Return 3S, S a power of two above a bound."""
    return ROUNDING * math.ldexp(1.0, math.frexp(min(SLACK * bound, LARGEST))[1])


def power_above(size: Floats) -> Floats:
    """Return the least powers of two above sizes.

    >>> power_above(np.array([0.3, 1.0, 5.0])).tolist()
    [0.5, 2.0, 8.0]
    """
    powers: NDArray[np.float64] = np.ldexp(1.0, np.frexp(size)[1])
    return powers
