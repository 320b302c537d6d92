"""The rules of PART: grow a partial tree, keep the rule of its heaviest leaf, take away what it covers, and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Floats
from crake.kernels.rules.arrays import ABOVE, AT_MOST, EQUAL
from crake.kernels.rules.partial_tree import Path, Pruning, all_rows, grow_rule, take_covered
from crake.kernels.tree.counted.arrays import CodedRows, SplitRules, empty_scores
from crake.kernels.tree.counted.scores import fill_logs
from crake.learners.rules.conditions import Question
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.coded_columns import coded_columns
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.pessimistic import level_and_quantile

MANY_LEVELS = 0.3
"""Names of as many levels, as a share of the rows, are left out of the average gain."""
MOST_LOGS = 5_000_000
"""Whole numbers whose n·ln n is looked up."""


@dataclass(frozen=True)
class PartSettings:
    """Settings of growing: the least weight of two branches, the confidence of pruning (None: none), C4.5's details."""

    min_leaf: float
    confidence: float | None
    has_correction: bool
    is_weka: bool


def part_rules(training: Training, settings: PartSettings) -> RuleList:
    """Return the rules of these rows in the order they were found."""
    rules, pruning = _split_rules(training, settings), _pruning(settings.confidence)
    coded = coded_columns(training, rules.gap)
    scores = empty_scores(coded, training.classes)
    left = all_rows(coded, training.row_weights, len(scores.table))
    questions: list[list[Question]] = []
    counts: list[Floats] = []
    while left.number[0]:
        path = grow_rule(coded, left, scores, rules, pruning)
        questions.append(_questions(coded, path))
        counts.append(path.counts)
        if not questions[-1]:
            break
        take_covered(coded, left, path, rules.anchor)
    prior: Floats = np.bincount(training.target, training.row_weights, training.classes).astype(np.float64)
    answer = [int(np.argmax(own)) for own in counts]
    return RuleList.of(questions, answer, np.vstack([*counts, np.zeros(training.classes)]), prior)


def _split_rules(training: Training, settings: PartSettings) -> SplitRules:
    layout = training.layout
    has_many: Flags = ~layout.is_numeric & (layout.levels >= MANY_LEVELS * training.total)
    logs = np.zeros(min(int(training.total), MOST_LOGS) + 1)
    fill_logs(logs)
    return SplitRules(
        smallest=float(settings.min_leaf),
        gap=1e-5 if settings.is_weka else 0.0,
        counts_rows=settings.is_weka,
        has_correction=settings.has_correction,
        is_averaged=np.ones(len(has_many), bool) if has_many.all() else ~has_many,
        logs=logs,
        anchor=training.anchor,
    )


def _pruning(confidence: float | None) -> Pruning:
    """Return the test of a node against its leaves; the confidence is held in single precision, as in C4.5."""
    if confidence is None:
        return Pruning(is_on=False, confidence=0.5, z=0.0)
    level, z = level_and_quantile(confidence)
    return Pruning(is_on=True, confidence=level, z=z)


def _questions(coded: CodedRows, path: Path) -> list[Question]:
    """Return the conditions of a path, from ranks and levels."""
    questions = []
    for at in range(int(path.length[0])):
        attribute, branch, share = int(path.attribute[at]), int(path.branch[at]), min(float(path.share[at]), 1.0)
        if not coded.is_numeric[attribute]:
            questions.append(Question(attribute, EQUAL, level=branch, share=share))
            continue
        threshold = float(coded.values[coded.start[attribute] + path.cut[at]])
        questions.append(Question(attribute, ABOVE if branch else AT_MOST, threshold, share=share))
    return questions
