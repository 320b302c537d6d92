"""A list of rules as a picture: one line per rule, with the classes of the rows that it took."""

from __future__ import annotations

from crake.errors import CrakeError
from crake.learners.rules.rule_list import RuleList
from crake.learners.rules.text import NO_RULE
from crake.learners.tree.number_text import weight_text
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.rule import Rule, RulePicture, rule_drawing
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.table.schema import Schema


def draw_list(rules: RuleList, schema: Schema, title: str, *, most: int, width: float) -> Drawing:
    """Draw the rules in their order; of many the first ones."""
    if most < 1:
        raise CrakeError(f"most={most}; expected the number of rules to draw, 1 or more")
    listed = [rules.rule(schema, at) for at in range(min(most, len(rules)))]
    rest = rules.rest(schema)
    wrong = f"{weight_text(rules.errors(schema))} of {weight_text(float(rules.prior.sum()))} training rows wrong"
    number = counted(len(rules), "rule")
    lines = tuple(
        Rule(
            f"{rule.number}. {shown(rule.premise, 110)}" if rule is not rest else NO_RULE,
            str(rule.answer),
            tuple(rules.counts[rule.number - 1].tolist()),
            f"{weight_text(rule.errors)} of {weight_text(rule.coverage)} wrong" if rule.coverage else "no rows",
        )
        for rule in (*listed, *([rest] if rest and len(rules) <= most else []))
    )
    notes = [f"Not drawn: {counted(len(rules) - most, 'later rule')}."] if len(rules) > most else []
    return rule_drawing(
        RulePicture(
            title,
            f"{number}, the first that holds decides",
            f"{number}, {wrong}.",
            lines,
            tuple(str(label) for label in schema.classes),
            tuple(notes),
            room=width / 2,
        ),
        width,
    )
