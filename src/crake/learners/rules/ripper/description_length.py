"""Description lengths of rules and of their exceptions, in bits (Quinlan 1995; Cohen 1995)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, log, nan

from crake.kernels.tree.impurity import LN2, NOTHING


def log2(x: float) -> float:
    """Return the logarithm to base 2; −∞ at 0, and no number below.

    >>> log2(8), log2(0), log2(-1)
    (3.0, -inf, nan)
    """
    return log(x) / LN2 if x > 0 else -inf if x == 0 else nan


def subset_bits(n: float, k: float, p: float) -> float:
    """Return the bits that say which k of n things were chosen, if each is expected to be with probability p.

    S(n, k, p) = −k·log2 p − (n − k)·log2(1 − p)

    >>> round(subset_bits(14, 5, 5 / 14), 4)
    13.164
    """
    chosen = -k * log2(p) if p > NOTHING else 0.0
    return chosen - (n - k) * log2(1.0 - p)


def rule_bits(conditions: int, possible: float) -> float:
    """Return the bits of a rule: the number of its conditions, and which of all possible ones they are, halved.

    Halved because the order of the conditions says nothing.
    """
    if conditions == 0:
        return 0.0
    number = log2(conditions) + (2.0 * log2(log2(conditions)) if conditions > 1 else 0.0)
    return 0.5 * (number + subset_bits(possible, conditions, conditions / possible))


@dataclass(frozen=True)
class Coverage:
    """The weight that rules cover and leave; false positives are among the first, false negatives among the second."""

    covered: float
    left: float
    false_positives: float
    false_negatives: float

    def without(self, rule: Coverage) -> Coverage:
        """Return the coverage if a rule with these covered rows were dropped."""
        return replace(
            self,
            covered=self.covered - rule.covered,
            left=self.left + rule.covered,
            false_positives=self.false_positives - rule.false_positives,
            false_negatives=self.false_negatives + rule.covered - rule.false_positives,
        )

    def error_share(self) -> float:
        """Return the share of false positives among the covered rows; no number if nothing is covered."""
        return self.false_positives / self.covered if self.covered > 0 else nan


def exception_bits(expected: float, own: Coverage) -> float:
    """Return the bits of the exceptions to rules; `expected` is the share of false positives among all errors."""
    c, u, a, b = own.covered, own.left, own.false_positives, own.false_negatives
    bits = log2(c + u + 1.0)
    if c > u + NOTHING:
        bits += subset_bits(c, a, expected * (a + b) / c)
        return bits + (subset_bits(u, b, b / u) if u > NOTHING else 0.0)
    bits += subset_bits(c, a, a / c) if c > NOTHING else 0.0
    return bits + (subset_bits(u, b, (1.0 - expected) * (a + b) / u) if u > NOTHING else 0.0)


def gain_of_dropping(expected: float, totals: Coverage, rule: Coverage, bits: float, *, counts_errors: bool) -> float:
    """Return the bits saved by dropping a rule, if it is to be dropped; no number if it is to stay.

    A rule is dropped if no bit is lost by it, or if `counts_errors` and half of what it covers is wrong.
    """
    gain = exception_bits(expected, totals) + bits - exception_bits(expected, totals.without(rule))
    is_wrong = counts_errors and rule.error_share() > 0.5 - NOTHING
    return gain if gain > -NOTHING or is_wrong else nan
