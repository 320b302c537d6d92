"""A list of rules as a form that every target of the exports can write."""

from __future__ import annotations

from crake.arrays import Floats
from crake.export.forms import Among, Compare, RuleCondition, Rules
from crake.kernels.rules.arrays import EQUAL
from crake.learners.rules.conditions import SIGNS, Question
from crake.learners.rules.rule_list import RuleList


def rules_form(rules: RuleList, answers: Floats) -> Rules:
    """Return the rules; the last of the `answers` is for a row that no rule takes."""
    listed = [tuple(map(_condition, rules.questions(rule))) for rule in range(len(rules))]
    end = listed.index(()) if () in listed else len(listed)  # a rule without conditions takes all rows that are left
    return Rules(tuple(listed[:end]), answers[: end + 1])


def _condition(question: Question) -> RuleCondition:
    if question.kind == EQUAL:
        return RuleCondition(Among(question.feature, (question.level,)), question.share)
    return RuleCondition(Compare(question.feature, SIGNS[question.kind], question.threshold), question.share)
