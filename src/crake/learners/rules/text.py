"""A list of rules as text: to print, and as a document that a person can sign."""

from __future__ import annotations

from crake.learners.rules.rule_list import Rule, RuleList
from crake.learners.tree.number_text import weight_text
from crake.learners.tree.showing.text import counted
from crake.render.plain_text import visible
from crake.table.schema import Schema

LONGEST = 400
"""Rules printed before the rest is only counted."""


def rule_text(rule: Rule) -> str:
    """Write `outlook = sunny and windy = true → no (3/1)`: of three rows one is wrong."""
    return f"{rule.premise} → {visible(rule.answer)} {rows_text(rule)}"


def rows_text(rule: Rule) -> str:
    """Write (rows/errors), without errors where there are none."""
    wrong = f"/{weight_text(rule.errors)}" if rule.errors else ""
    return f"({weight_text(rule.coverage)}{wrong})"


def list_text(rules: RuleList, schema: Schema, title: str, longest: int | None = LONGEST) -> str:
    """Write one line for each rule, numbered; the first that holds decides."""
    number = len(rules) if longest is None else min(longest, len(rules))
    width = len(str(number))
    lines = [f"{at + 1:>{width}}. {rule_text(rules.rule(schema, at))}" for at in range(number)]
    more = [f"… {counted(len(rules) - number, 'more rule')}"] if len(rules) > number else []
    return "\n".join([f"{title}: {counted(len(rules), 'rule')}, the first that holds decides", *lines, *more])


def statement(rules: RuleList, schema: Schema, title: str) -> str:
    """Write the rules as a document: what is decided, on which columns, every rule with its record, room to sign."""
    target = visible(schema.target or "class")
    used = sorted(set(rules.conditions.feature.tolist()))
    names = [visible(schema.features[feature].name) for feature in used]
    total = float(rules.prior.sum())
    errors = sum(rule.errors for rule in rules.shown(schema)) + _errors_of_rest(rules)
    lines = [
        f"Rules for {target} ({title})",
        "",
        (
            f"They were learned from {weight_text(total)} rows. For {weight_text(total - errors)} of them they answer "
            f"what was known, for {weight_text(errors)} another class."
        ),
        f"They read: {', '.join(names) or 'no column'}.",
        "The rules are asked in this order. The first rule whose conditions all hold decides.",
        "",
    ]
    for rule in rules.shown(schema):
        premise = "In every other case" if not rule.conditions else f"If {'; and '.join(map(str, rule.conditions))}"
        lines.append(f"{rule.number}. {premise}:")
        lines.append(f"   {target} is {visible(rule.answer)}.  {_record(rule)}")
    return "\n".join(
        [*lines, "", "Name: ______________________   Date: ____________   Signature: ______________________"]
    )


def _record(rule: Rule) -> str:
    right = rule.coverage - rule.errors
    return f"[right for {weight_text(right)} of {weight_text(rule.coverage)} rows]"


def _errors_of_rest(rules: RuleList) -> float:
    """Return the rows that no rule takes and that are not of their most frequent class."""
    rest = rules.counts[-1]
    return float(rest.sum() - rest.max())
