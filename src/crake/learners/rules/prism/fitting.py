"""The rules of Prism: for each class, rules of the largest share of that class, until all its rows are covered."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels.rules.arrays import CodedArrays, empty_counts
from crake.kernels.rules.cover import first_covering
from crake.learners.rules.coded_rows import coded_rows
from crake.learners.rules.drafts import Draft, coded_rules, grown, questions_of, without_redundant
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Training


def prism_rules(training: Training) -> RuleList:
    """Return the rules of all classes, in the order of the classes."""
    coded, weights = coded_rows(training, has_lists=True), _not_light(training.row_weights)
    table = empty_counts(max(1, int(coded.codes.max(initial=1))), 2)
    questions, answers = [], []
    for answer in range(training.classes):
        positives = coded._replace(target=(coded.target == answer).astype(np.int32))
        rows = np.arange(len(training), dtype=np.int32)
        while np.any(positives.target[rows] == 1):
            rule = grown(positives, rows, weights[rows], (), table, by_share=True)
            left = _not_covered(positives, rule, rows)
            if len(left) == len(rows) or (not rule and not np.all(positives.target[rows] == 1)):
                break  # all cells of the rows that are left are missing, or their weights are lost beside others
            questions.append(questions_of(coded, without_redundant(rule)))
            answers.append(answer)
            rows = left
    return RuleList.counted_on(questions, answers, training)


def _not_light(weights: Floats) -> Floats:
    """Return the weights as parts of the heaviest one if that is below 1: only shares decide about rules.

    >>> _not_light(np.array([0.25, 0.125])), _not_light(np.array([3.0, 0.5]))
    (array([1. , 0.5]), array([3. , 0.5]))
    """
    heaviest = weights.max()
    return weights / heaviest if heaviest < 1 else weights


def _not_covered(coded: CodedArrays, rule: Draft, rows: Ints) -> Ints:
    left: Ints = rows[first_covering(coded, coded_rules([rule]), rows) == 1]
    return left
