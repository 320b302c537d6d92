"""A list of rules as text: to print, and as a document that a person can sign."""

from __future__ import annotations

from crake.learners.rules.rule_list import Rule, RuleList
from crake.learners.tree.number_text import weight_text
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.table.schema import Schema

NO_RULE = "no rule holds"
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
    rest = rules.rest(schema)
    last = [f"{NO_RULE} → {visible(rest.answer)} {rows_text(rest)}"] if rest else []
    return "\n".join([f"{title}: {counted(len(rules), 'rule')}, the first that holds decides", *lines, *more, *last])


def statement(rules: RuleList, schema: Schema, title: str) -> str:
    """Write the rules as a document: what is decided, on which columns, every rule with its record, room to sign."""
    target = visible(schema.target or "class")
    used = sorted(set(rules.conditions.feature.tolist()))
    names = [visible(schema.features[feature].name) for feature in used]
    total = float(rules.prior.sum())
    errors = rules.errors(schema)
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
    if rest := rules.rest(schema):
        of_all = "" if rest.coverage else ", the most frequent class of all rows"
        lines.append("If no rule holds:")
        lines.append(f"   {target} is {visible(rest.answer)}{of_all}.  {_record(rest)}")
    return "\n".join(
        [*lines, "", "Name: ______________________   Date: ____________   Signature: ______________________"]
    )


def _record(rule: Rule) -> str:
    """Write the rows of a rule, and how many of them it answers right."""
    if not rule.coverage:
        return "[no training row came here]"
    rows = weight_text(rule.coverage)
    right = weight_text(rule.coverage - rule.errors)
    return f"[right for {right} of {rows_of(rows)}]"


def rows_of(weight: str) -> str:
    """Write a weight of rows, in the singular where it is one row.

    >>> rows_of("1"), rows_of("2.5")
    ('1 row', '2.5 rows')
    """
    return f"{weight} row" if weight == "1" else f"{weight} rows"
