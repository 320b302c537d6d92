"""1R as a form that every target of the exports can write: a tree of one split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.export.forms import Among, Compare, Known, Missing, Node, Test, Tree
from crake.table.schema import Kind

if TYPE_CHECKING:
    from crake.learners.one_rule.learner import OneRuleClassifier


def rule_form(model: OneRuleClassifier, feature: int) -> Tree:
    """Return one leaf a branch, one for missing values and one for values without training rows."""
    rule = model.rule_
    numeric = rule.column.kind is Kind.NUMERIC
    number = len(rule.counts) - int(rule.has_missing)
    known = [b for b in range(number) if rule.counts[b].sum() > 0]
    tests = [_between(feature, rule.cuts.tolist(), b) if numeric else (Among(feature, (b,)),) for b in known]
    answers = [*model._branch_probabilities()[known], model._without_branch()]  # noqa: SLF001 (its own form)
    if not rule.has_missing:
        return _split([*tests, None], answers)
    # A missing value is a value like others; a level that training did not have is not.
    gap = model._branch_probabilities()[number]  # noqa: SLF001
    if numeric:
        return _split([*tests, None], [*answers[:-1], gap])
    return _split([*tests, (Missing(feature),), None], [*answers[:-1], gap, answers[-1]])


def _split(tests: list[Test | None], answers: list[Floats]) -> Tree:
    children = tuple(range(1, len(tests) + 1))
    root = Node((tuple(tests),), children, len(tests) - 1, (0.0,) * len(tests), len(tests) - 1)
    return Tree((root, *(Node() for _ in children)), np.vstack([np.zeros(len(answers[0])), *answers]))


def _between(feature: int, cuts: list[float], branch: int) -> Test:
    above = (Compare(feature, ">=", cuts[branch - 1]),) if branch else ()
    below = (Compare(feature, "<", cuts[branch]),) if branch < len(cuts) else ()
    return (*above, *below) or (Known(feature),)
