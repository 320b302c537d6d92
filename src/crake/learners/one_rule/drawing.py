"""1R as a picture: one line per rule, with the classes of its rows."""

from __future__ import annotations

import numpy as np

from crake.errors import CrakeError
from crake.learners.one_rule.rules import AttributeRules
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.rule import Rule, RulePicture, rule_drawing
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.render.workings import fraction


def draw_rules(rules: AttributeRules, *, most: int, width: float) -> Drawing:
    """Draw the rules of one attribute; of many those of the most rows, in their order."""
    if most < 1:
        raise CrakeError(f"most={most}; expected how many rules to draw, 1 or more")
    totals = rules.counts.sum(axis=1)
    used = np.flatnonzero(totals > 0)
    places = sorted(used[np.argsort(-totals[used], kind="stable")][:most].tolist())
    labels = tuple(str(label) for label in rules.classes)
    lines = tuple(_rule(rules, labels, branch) for branch in places)
    errors = fraction(rules.errors, rules.counts.sum())
    undrawn = len(used) - most
    notes = [f"Not drawn: {counted(undrawn, 'more rule')}, with fewer rows."] if undrawn > 0 else []
    notes += ["* another class is as frequent"] if any(rules.ties[branch] for branch in places) else []
    return rule_drawing(
        RulePicture(
            f"1R: {shown(rules.column.name, 60)}",
            f"{counted(len(used), 'rule')}, {errors} errors",
            f"{shown(rules.column.name, 60)} decides alone: {counted(len(used), 'rule')}, "
            f"{errors} of the training rows wrong.",
            lines,
            labels,
            tuple(notes),
        ),
        width,
    )


def _rule(rules: AttributeRules, labels: tuple[str, ...], branch: int) -> Rule:
    tie = "*" if rules.ties[branch] else ""
    wrong = fraction(rules.branch_errors[branch], rules.counts[branch].sum())
    return Rule(
        rules.names[branch],
        labels[int(rules.answers[branch])] + tie,
        tuple(rules.counts[branch].tolist()),
        f"{wrong} wrong",
    )
