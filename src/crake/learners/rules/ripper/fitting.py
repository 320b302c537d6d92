"""RIPPER: for each class, from the rarest on, rules are built one after another and then optimised (Cohen 1995)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Ints
from crake.kernels.rules.arrays import empty_counts
from crake.kernels.tree.impurity import NOTHING
from crake.learners.rules.coded_rows import coded_rows
from crake.learners.rules.drafts import Draft, questions_of, without_redundant
from crake.learners.rules.ripper.dealing import Shuffler, dealt, parted, places
from crake.learners.rules.ripper.ruleset import Positives
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Training

MOST_BITS = 64.0
"""Rules are added until they take 64 bits more than the shortest description so far (Cohen 1995)."""


@dataclass(frozen=True)
class RipperSettings:
    """Settings: the least weight of positives of a condition, folds, rounds of optimising, and the details of JRip."""

    least: float
    folds: int
    optimizations: int
    has_pruning: bool
    counts_errors: bool
    is_weka: bool


def ripper_rules(training: Training, settings: RipperSettings, order: list[int], shuffler: Shuffler) -> RuleList:
    """Return the rules of all classes in this order but the last, which is the answer of no rule."""
    coded = coded_rows(training, has_lists=True)
    weights, target = training.row_weights, coded.target
    of_class = np.bincount(target, weights, training.classes)
    rows = np.arange(len(training), dtype=np.int32)
    drafts: list[Draft] = []
    answers: list[int] = []
    table = empty_counts(max(1, int(coded.codes.max(initial=1))), 2)
    possible = float(
        sum(codes * (2 if is_number else 1) for codes, is_number in zip(coded.codes, coded.is_numeric, strict=True))
    )
    for at, answer in enumerate(order[:-1]):
        if of_class[answer] <= 0 or not np.any(target[rows] == answer):
            continue
        positives = Positives(
            coded._replace(target=(target == answer).astype(np.int32)),
            weights,
            table,
            possible,
            float(of_class[answer] / of_class[order[at:]].sum()),
            settings.least,
            settings.counts_errors,
            settings.is_weka,
        )
        deal = _Deal(places(order), target, settings.folds, shuffler)
        rules, rows = _rules_of_class(positives, rows, settings, deal)
        drafts += rules
        answers += [answer] * len(rules)
    questions = [questions_of(coded, without_redundant(draft)) for draft in drafts]
    return RuleList.counted_on([*questions, []], [*answers, order[-1]], training)


@dataclass(frozen=True, eq=False)
class _Deal:
    """Deals rows: the place of each class among those to learn, the classes of all rows, and the generator."""

    place_of_class: Ints
    target: Ints
    folds: int
    shuffler: Shuffler

    def __call__(self, rows: Ints) -> Ints:
        return dealt(rows, self.place_of_class, self.target, self.folds, self.shuffler)


@dataclass
class _Length:
    """The description length so far, and the shortest that there was."""

    now: float
    shortest: float

    def add(self, bits: float) -> bool:
        """Add bits; return True if the description has grown too long."""
        self.now += bits
        self.shortest = min(self.shortest, self.now)
        return self.now > self.shortest + MOST_BITS


def _rules_of_class(
    positives: Positives, rows: Ints, settings: RipperSettings, deal: _Deal
) -> tuple[list[Draft], Ints]:
    """Return the rules of one class, and the rows that they leave to the next."""
    if not settings.has_pruning:
        return _unpruned(positives, rows)
    rules, dealt_first = _built(positives, rows, settings, deal)
    for _ in range(settings.optimizations):
        rules, dealt_first = _optimised(positives, rows, rules, settings, deal), rows
    return rules, positives.left_by(rules, dealt_first)


def _unpruned(positives: Positives, rows: Ints) -> tuple[list[Draft], Ints]:
    """Return rules grown on all rows that are left, without pruning."""
    rules: list[Draft] = []
    length, left = _Length(positives.bits_of_none(rows), positives.bits_of_none(rows)), rows
    while _has_positives(positives, left):
        rule = positives.grown((), left)
        if _is_last(positives, [*rules, rule], rows, left, length):
            break
        rules.append(rule)
        left = positives.left_by(rules, rows)
    return rules, left


def _built(positives: Positives, rows: Ints, settings: RipperSettings, deal: _Deal) -> tuple[list[Draft], Ints]:
    """Build rules until the description grows too long; return them and the rows as they were dealt first."""
    rules: list[Draft] = []
    length = _Length(positives.bits_of_none(rows), positives.bits_of_none(rows))
    everything, left = rows, rows
    while _has_positives(positives, left):
        now = deal(left)
        if not rules:
            everything = left = now
        rule = _new_rule(positives, now, settings)
        if _is_last(positives, [*rules, rule], everything, left, length):
            break
        rules.append(rule)
        left = positives.left_by(rules, everything)
    return rules, everything


def _new_rule(positives: Positives, rows: Ints, settings: RipperSettings) -> Draft:
    """Grow a rule and prune it."""
    grow, prune = parted(rows, settings.folds)
    return positives.pruned(positives.grown((), grow), prune, by_whole=False)


def _is_last(positives: Positives, rules: list[Draft], rows: Ints, left: Ints, length: _Length) -> bool:
    """Return True if the last rule is not to be kept, and none is to follow."""
    is_too_long = length.add(positives.relative_bits(rules, len(rules) - 1, rows))
    (own,), _ = positives.coverage(rules[-1:], left)
    has_none = own.covered - own.false_positives <= NOTHING
    return is_too_long or has_none or (positives.counts_errors and own.error_share() >= 0.5)


def _optimised(
    positives: Positives, rows: Ints, rules: list[Draft], settings: RipperSettings, deal: _Deal
) -> list[Draft]:
    """Reconsider each rule: as it is, grown anew, or grown further; then build on, and drop what saves no bits."""
    fixed: list[Draft] = []
    length = _Length(positives.bits_of_none(rows), positives.bits_of_none(rows))
    left = rows
    while _has_positives(positives, left):
        left = now = deal(left)
        at = len(fixed)
        if at >= len(rules):
            rule = _new_rule(positives, now, settings)
            if _is_last(positives, [*fixed, rule], rows, left, length):
                break
            fixed.append(rule)
        elif not len(positives.covered_by(rules[at], now)):
            fixed.append(rules[at])
            continue
        else:
            fixed.append(_best_of_three(positives, fixed, rules, now, rows, settings))
        left = positives.left_by(fixed, rows)
    fixed += rules[len(fixed) + 1 :]
    return positives.reduced(fixed, rows)


def _best_of_three(
    positives: Positives, fixed: list[Draft], rules: list[Draft], now: Ints, rows: Ints, settings: RipperSettings
) -> Draft:
    """Return the rule at the next place, a new one, or the old one grown further: the shortest description."""
    at = len(fixed)
    old, later = rules[at], rules[at + 1 :]
    grow, prune = parted(now, settings.folds)
    prune = positives.left_by(later, prune)
    replacement = positives.pruned(positives.grown((), grow), prune, by_whole=True)
    revision = positives.pruned(positives.grown(old, positives.covered_by(old, grow)), prune, by_whole=True)
    bits = {rule: positives.relative_bits([*fixed, rule, *later], at, rows) for rule in (old, replacement, revision)}
    if bits[old] <= bits[revision] and bits[old] <= bits[replacement]:
        return old
    return revision if bits[revision] <= bits[replacement] else replacement


def _has_positives(positives: Positives, rows: Ints) -> bool:
    return bool(positives.is_positive(rows).sum() > 0)
