"""The rules of one class while they are learned: what they cover, and their description length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan

import numpy as np

from crake.arrays import Flags, Floats, Ints
from crake.kernels.rules.arrays import CodedArrays, CountTable
from crake.kernels.rules.cover import prefix_weights
from crake.learners.rules.drafts import Draft, coded_rules, covered, grown
from crake.learners.rules.ripper.description_length import Coverage, exception_bits, gain_of_dropping, rule_bits

MOST_FLAGS = 2**26
"""Flags of rows that rules cover, kept for the next question: a byte each."""


@dataclass(frozen=True, eq=False)
class Positives:
    """Coded rows whose target is 1 for the class that is learned, with what its rules are measured by.

    `possible` is the number of conditions that a rule may choose from, `expected` the share of the class among the rows
    of this and all later classes, `least` the weight of positives that a condition must cover.
    """

    coded: CodedArrays
    weights: Floats
    table: CountTable
    possible: float
    expected: float
    least: float
    counts_errors: bool
    is_weka: bool
    covers: dict[Draft, Flags] = field(default_factory=dict)

    @cached_property
    def positive_weights(self) -> Floats:
        """The weights of the positives, 0 for the other rows."""
        return np.where(self.coded.target == 1, self.weights, 0.0)

    def is_positive(self, rows: Ints) -> Floats:
        """Return the weights of the positives among rows, 0 for the others."""
        return self.positive_weights[rows]

    def first(self, rules: Sequence[Draft], rows: Ints) -> Ints:
        """Return the place of the first rule that covers each row; that after the last if none does."""
        first = np.full(len(self.weights), len(rules), np.int32)
        for at in reversed(range(len(rules))):
            np.copyto(first, np.int32(at), where=self._cover(rules[at]))
        return first[rows]

    def _cover(self, rule: Draft) -> Flags:
        """Return which of all rows a rule covers. A rule is asked about many times while others come and go."""
        if rule not in self.covers:
            if len(self.covers) * len(self.weights) > MOST_FLAGS:
                self.covers.clear()
            self.covers[rule] = covered(self.coded, rule)
        return self.covers[rule]

    def left_by(self, rules: Sequence[Draft], rows: Ints) -> Ints:
        """Return the rows that no rule covers, in their order."""
        left: Ints = rows[self.first(rules, rows) == len(rules)]
        return left

    def covered_by(self, rule: Draft, rows: Ints) -> Ints:
        """Return the rows that a rule covers, in their order."""
        covered: Ints = rows[self.first([rule], rows) == 0]
        return covered

    def grown(self, rule: Draft, rows: Ints) -> Draft:
        """Return a rule with more conditions, by rows that all satisfy those it has."""
        return grown(self.coded, rows, self.weights[rows], rule, self.table, least=self.least)

    def pruned(self, rule: Draft, rows: Ints, *, by_whole: bool) -> Draft:
        """Return the shortest beginning of a rule that is best on the rows to prune by; nothing if it is no better.

        It is judged by what it covers, or `by_whole`: by how many of all these rows it tells right.
        """
        if not len(rows) or not rule:
            return rule
        p, t = prefix_weights(self.coded, coded_rules([rule]), rows, self.weights)
        negative, n = t - p, t[0]
        with np.errstate(invalid="ignore", divide="ignore"):
            if by_whole:
                worth = (p + negative[0] - negative) / n
            elif self.is_weka:
                worth = (p + 1) / (t + 2)
            else:
                worth = np.where(t > 0, (p - negative) / t, -1.0)
        if self.is_weka:
            worth[0] = (p[0] + 1) / (n + 2)
        return rule[: int(np.argmax(worth))]

    def coverage(self, rules: Sequence[Draft], rows: Ints) -> tuple[list[Coverage], Coverage]:
        """Return what each rule covers of the rows that the earlier ones leave, and the totals."""
        first, weights, positive = self.first(rules, rows), self.weights[rows], self.is_positive(rows)
        covered = np.bincount(first, weights, len(rules) + 1)
        true = np.bincount(first, positive, len(rules) + 1)
        wrong = covered - true
        each = [Coverage(c, 0.0, a, 0.0) for c, a in zip(covered[:-1].tolist(), wrong[:-1].tolist(), strict=True)]
        return each, Coverage(float(covered[:-1].sum()), float(covered[-1]), float(wrong[:-1].sum()), float(true[-1]))

    def bits_of_none(self, rows: Ints) -> float:
        """Return the bits of all positives as exceptions to no rule."""
        return exception_bits(self.expected, self._none(rows))

    def relative_bits(self, rules: Sequence[Draft], at: int, rows: Ints) -> float:
        """Return the bits that a list of rules takes more with the rule at this place than without it.

        Either way the rules after it are dropped where that saves bits.
        """
        without = [*rules[:at], *rules[at + 1 :]]
        return (
            self._bits_with_drops(rules, at + 1, rows)
            + rule_bits(len(rules[at]), self.possible)
            - self._bits_with_drops(without, at, rows)
        )

    def _bits_with_drops(self, rules: Sequence[Draft], begin: int, rows: Ints) -> float:
        """Return the bits of the exceptions, once rules from this place on are dropped where that saves bits."""
        if not rules:
            return self.bits_of_none(rows)
        each, totals = self.coverage(rules, rows)
        saved = 0.0
        for at in range(begin, len(rules)):
            gain = self._gain(totals, each[at], rules[at])
            if not isnan(gain):
                totals, saved = totals.without(each[at]), saved + gain
        return exception_bits(self.expected, totals) - saved

    def reduced(self, rules: Sequence[Draft], rows: Ints) -> list[Draft]:
        """Return the rules without those that are better dropped, from the last to the first."""
        each, totals = self.coverage(rules, rows)
        kept = list(rules)
        for at in reversed(range(len(rules))):
            if not isnan(self._gain(totals, each[at], rules[at])):
                totals = totals.without(each[at])
                del kept[at]
        return kept

    def _gain(self, totals: Coverage, rule: Coverage, draft: Draft) -> float:
        bits = rule_bits(len(draft), self.possible)
        return gain_of_dropping(self.expected, totals, rule, bits, counts_errors=self.counts_errors)

    def _none(self, rows: Ints) -> Coverage:
        return Coverage(0.0, float(self.weights[rows].sum()), 0.0, float(self.is_positive(rows).sum()))
