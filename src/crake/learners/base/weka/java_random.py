"""The generator of java.util.Random: rows shuffled, dealt and sampled as WEKA does it with the same seed.

The state has 48 bits: s ← (s·0x5DEECE66D + 11) mod 2^48, and b bits are the upper b of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows

FACTOR, STEP = 0x5DEECE66D, 0xB
MASK = (1 << 48) - 1


class JavaRandom:
    """One generator; arrays of numbers are those that single calls would give one after the other.

    >>> JavaRandom(42).integers(2).tolist()
    [-1170105035, 234785527]
    >>> JavaRandom(42).reals(1).tolist()
    [0.7275636800328681]
    """

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ FACTOR) & MASK

    def integers(self, number: int) -> NDArray[np.int32]:
        """Return whole numbers of 32 bits with their sign."""
        return (self._states(number) >> np.uint64(16)).astype(np.uint32).view(np.int32)

    def reals(self, number: int) -> Floats:
        """Return numbers from 0 up to, but not including, 1: 26 bits and 27 further bits over 2^53."""
        states = self._states(2 * number)
        high, low = states[0::2] >> np.uint64(22), states[1::2] >> np.uint64(21)
        return ((high << np.uint64(27)) + low).astype(np.float64) / 2.0**53

    def below(self, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a whole number from 0 to bound − 1 for each bound.

        31 bits v; a power of two takes the upper bits of them, any other bound v mod n. Numbers of the incomplete last
        run of n are replaced by the next ones, so that all are equally frequent.
        """
        result = np.empty(len(bounds), np.int64)
        at = 0
        while at < len(bounds):
            before, n = self.state, bounds[at:]
            v = (self._states(len(n)) >> np.uint64(17)).astype(np.int64)
            is_power = (n & (n - 1)) == 0
            drawn = np.where(is_power, (n * v) >> 31, v % n)
            again = np.flatnonzero(~is_power & (v - drawn + n - 1 >= 2**31))
            good = int(again[0]) if len(again) else len(n)
            result[at : at + good] = drawn[:good]
            if good < len(n):  # one number is lost, and the rest come from there on
                self.state = before
                self._states(good + 1)
            at += good
        return result

    def shuffled(self, rows: int) -> Rows:
        """Return the row numbers in a random order: from the last to the second, each changes places with one up to it.

        >>> JavaRandom(1).shuffled(5).tolist()
        [2, 3, 1, 4, 0]
        """
        order = list(range(rows))
        others = self.below(np.arange(rows, 1, -1, dtype=np.int64)).tolist()
        for j, other in zip(range(rows - 1, 0, -1), others, strict=True):
            order[j], order[other] = order[other], order[j]
        return np.array(order, np.intp)

    def sample(self, weights: Floats, number: int) -> Rows:
        """Return rows sampled with replacement by weight, by Walker's alias method (Vose 1991), in the order drawn."""
        share, alias = _alias_table(weights)
        place = len(weights) * self.reals(number)
        row = place.astype(np.intp)
        return np.where(place < share[row] + row, row, alias[row])

    def _states(self, number: int) -> NDArray[np.uint64]:
        """Return the next states: s_i = a^i·s + c·(a^(i−1) + … + 1), in arithmetic modulo 2^64 and so modulo 2^48."""
        if number == 0:
            return np.zeros(0, np.uint64)
        powers = np.multiply.accumulate(np.full(number, FACTOR, np.uint64))
        sums: NDArray[np.uint64] = np.cumsum(np.concatenate([np.ones(1, np.uint64), powers[:-1]]))
        states: NDArray[np.uint64] = (powers * np.uint64(self.state) + sums * np.uint64(STEP)) & np.uint64(MASK)
        self.state = int(states[-1])
        return states


def _alias_table(weights: Floats) -> tuple[Floats, Rows]:
    """Return how much of each row's place is its own, and which row has the rest.

    Light rows, by number, take what they lack from the heavy rows, the last first. A heavy row that has become light
    waits behind the others.
    """
    rows = len(weights)
    share = rows * (weights / weights.sum())
    alias = np.zeros(rows, np.intp)
    if np.all(weights == weights[0]):
        return np.ones(rows), alias
    light, heavy = np.flatnonzero(share < 1).tolist(), np.flatnonzero(share >= 1).tolist()
    own = share.tolist()
    at = 0
    while at < len(light) and heavy:
        row, giver = light[at], heavy[-1]
        alias[row] = giver
        own[giver] -= 1.0 - own[row]
        if own[giver] < 1.0:
            light.append(heavy.pop())
        at += 1
    # What is left over after rounding has its whole place.
    for row in (*light[at:], *heavy):
        own[row] = 1.0
    return np.array(own), alias
