"""The rules of one class that describe it shortest: bits of the rules, halved, and bits of their exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import lgamma, log

import numpy as np

from crake.arrays import Flags, Floats
from crake.kernels.rules.arrays import EQUAL, CodedArrays
from crake.kernels.rules.rule_sets import changed_cover
from crake.kernels.tree.impurity import LN2
from crake.learners.rules.drafts import Draft

ALL_TRIED = 10
"""Rules of a class of which all subsets are tried; of more, rules go in and out while that shortens the description."""
THEORY_WEIGHT = 0.5
"""Weight of the bits of rules: rules say the same in several ways, so that their bits are too many (Quinlan 1993)."""


def log2_factorial(n: float) -> float:
    """Return log2 n!, for any n ≥ 0.

    >>> round(log2_factorial(4), 4)
    4.585
    """
    return lgamma(n + 1.0) / LN2


def log2_choices(n: float, k: float) -> float:
    """Return log2 of the number of ways to choose k of n.

    >>> round(log2_choices(14, 5), 4)
    10.9672
    """
    return log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)


def bits_of_rule(draft: Draft, coded: CodedArrays) -> float:
    """Return the bits of a rule: each condition names an attribute and a value or a cut; their order says nothing."""
    attributes = len(coded.codes)
    bits = -log2_factorial(len(draft))
    for attribute, kind, _ in draft:
        codes = float(coded.codes[attribute])
        bits += log(attributes) / LN2
        bits += log(max(codes, 1.0)) / LN2 if kind == EQUAL else 1.0 + log(max(codes - 1.0, 1.0)) / LN2
    return max(bits, 0.0)


@dataclass(frozen=True, eq=False)
class Choice:
    """The search for a subset of rules of one class; matrix[rule, row] says which rule covers which row."""

    matrix: Flags
    bits: Floats
    is_positive: Flags
    weights: Floats

    def best(self) -> Flags:
        """Return which rules are in the shortest description."""
        if len(self.bits) <= ALL_TRIED:
            subsets = [np.array(each, bool) for each in product((False, True), repeat=len(self.bits))]
            return min(subsets, key=lambda is_in: (self.length(is_in), int(is_in.sum())))
        starts = [np.zeros(len(self.bits), bool), np.ones(len(self.bits), bool)]
        return min((self._improved(start) for start in starts), key=self.length)

    def length(self, is_in: Flags) -> float:
        """Return the bits of these rules and of their exceptions."""
        is_covered = self.matrix[is_in].any(axis=0)
        covered = float(self.weights[is_covered].sum())
        true = float(self.weights[is_covered & self.is_positive].sum())
        return self._total(covered, true, float(self.bits[is_in].sum()), int(is_in.sum()))

    def _total(self, covered: float, true: float, bits: float, rules: int) -> float:
        whole, positives = float(self.weights.sum()), float(self.weights[self.is_positive].sum())
        left = max(whole - covered, 0.0)
        exceptions = log2_choices(covered, max(covered - true, 0.0)) + log2_choices(
            left, min(max(positives - true, 0.0), left)
        )
        return exceptions + THEORY_WEIGHT * (bits - log2_factorial(rules))

    def _improved(self, is_in: Flags) -> Flags:
        """Put rules in or out, the best change first, until none shortens the description."""
        times = self.matrix[is_in].sum(axis=0).astype(np.int32)
        now = self.length(is_in)
        while True:
            is_covered = times > 0
            covered = float(self.weights[is_covered].sum())
            true = float(self.weights[is_covered & self.is_positive].sum())
            bits, rules = float(self.bits[is_in].sum()), int(is_in.sum())
            change = changed_cover(self.matrix, is_in, times, self.is_positive, self.weights)
            sign = np.where(is_in, -1, 1)
            lengths = [
                self._total(covered + float(own.sum()), true + float(own[1]), bits + s * b, rules + int(s))
                for own, s, b in zip(change, sign, self.bits, strict=True)
            ]
            at = int(np.argmin(lengths))
            if not lengths[at] < now - 1e-9:
                return is_in
            now, is_in = lengths[at], is_in.copy()
            times += sign[at] * self.matrix[at].astype(np.int32)
            is_in[at] = not is_in[at]
