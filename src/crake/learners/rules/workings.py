"""A prediction by rules worked by hand: the rule that takes the row, those that nearly did, and the class shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.impurity import NOTHING
from crake.learners.base.cell_text import cell_text
from crake.learners.rules.rule_list import Rule, RuleList
from crake.learners.rules.text import rows_of, rows_text
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, fraction, number
from crake.table.schema import Schema
from crake.table.table import Table

NEARLY, TAKEN = 5, 8
"""Rules written out that nearly held, and rules that have a part of the row."""


@dataclass(frozen=True)
class Taker:
    """A rule that has a part of the row: its place (that after the last: no rule), the part, and how it came about."""

    place: int
    part: float
    text: str


def explain_rules(
    rules: RuleList, schema: Schema, answers: Floats, row: Table, probabilities: Floats, title: str
) -> Workings:
    """Return the rules asked of a row, in their order, and what the rule that takes it answers."""
    labels = [visible(label) for label in schema.classes]
    takers = _takers(rules, schema, row)
    last = takers[-1].place
    near = _nearly(rules, schema, row, last, {taker.place for taker in takers})
    sections = [_taken(rules, schema, row, taker) for taker in takers[:TAKEN]]
    if near:
        sections.append(near)
    sections.append(_answer(rules, answers, takers, labels, probabilities))
    notes = []
    if len(takers) > 1:
        notes.append("a value is missing or new: a rule that asks for it takes the part of the row that its branch had")
    return Workings(
        f"{title}: the first rule that holds decides",
        tuple(sections),
        tuple(zip([str(label) for label in schema.classes], map(float, probabilities), strict=True)),
        tuple(notes),
    )


def _takers(rules: RuleList, schema: Schema, row: Table) -> list[Taker]:
    """Return the rules that have a part of the row, in their order."""
    takers, left = [], 1.0
    for place in range(len(rules)):
        factors = _factors(rules.rule(schema, place), row)
        part = float(np.prod(factors)) if factors else 1.0
        if part <= NOTHING:
            continue
        taken = left if left * (1.0 - part) <= NOTHING else left * part
        known = [number(factor) for factor in factors if factor < 1]
        takers.append(Taker(place, taken, " × ".join([*([number(left)] if left < 1 else []), *known]) or "1"))
        left -= taken
        if left <= NOTHING:
            return takers
    return [*takers, Taker(len(rules), left, number(left))]


def _factors(rule: Rule, row: Table) -> list[float]:
    """Return for each condition 1 if it holds, 0 if not, its share if the value is missing or new."""
    factors = []
    for condition in rule.conditions:
        cell = row.column(condition.column.name)
        is_known = not np.isnan(cell[0]) if cell.dtype.kind == "f" else cell[0] >= 0
        factors.append(float(condition.holds(cell)[0]) if is_known else condition.share)
    return factors


def _taken(rules: RuleList, schema: Schema, row: Table, taker: Taker) -> Section:
    """Return the conditions of a rule that takes the row, each beside the row's value."""
    part = "" if taker.part >= 1 - NOTHING else f", which takes {number(taker.part)} of the row"
    if taker.place == len(rules):
        rest = rules.counts[-1] if rules.counts[-1].sum() > 0 else rules.prior
        whose = "the training rows that no rule took" if rules.counts[-1].sum() > 0 else "all training rows"
        return Section(f"No rule{part}: {whose} decide ({number(float(rest.sum()))})")
    rule = rules.rule(schema, taker.place)
    heading = f"Rule {rule.number} of {len(rules)}{part}: {visible(rule.answer)} {rows_text(rule)}"
    if not rule.conditions:
        return Section(f"{heading}, whatever the row")
    lines = tuple((str(condition), cell_text(row, condition.column.name)) for condition in rule.conditions)
    return Section(heading, tables=(Grid("", ("condition", "this row"), lines),))


def _nearly(rules: RuleList, schema: Schema, row: Table, last: int, taken: set[int]) -> Section | None:
    """Return the rules before the one that decides of which all conditions but one hold."""
    lines: list[tuple[str, ...]] = []
    for place in range(min(last, len(rules))):
        rule = rules.rule(schema, place)
        failed = [at for at, factor in enumerate(_factors(rule, row)) if factor < 1]
        if place in taken or len(failed) != 1 or len(lines) > NEARLY:
            continue
        condition = rule.conditions[failed[0]]
        value = cell_text(row, condition.column.name)
        lines.append((str(rule.number), str(condition), value, f"{visible(rule.answer)} {rows_text(rule)}"))
    if not lines:
        return None
    more = "" if len(lines) <= NEARLY else f", the first {NEARLY}"
    table = Grid("", ("rule", "fails", "this row", "would answer"), tuple(lines[:NEARLY]))
    return Section(f"Earlier rules that fail by one condition{more}", tables=(table,))


def _answer(rules: RuleList, answers: Floats, takers: list[Taker], labels: list[str], probabilities: Floats) -> Section:
    """Return the class shares of the rule, or the sum over the rules that have a part."""
    if len(takers) == 1:
        place = takers[0].place
        counts = rules.counts[place]
        if place == len(rules) and not counts.sum() > 0:
            counts = rules.prior
        whose = "its " if place < len(rules) else ""
        is_share = bool(counts.sum() > 0) and np.allclose(answers[place], counts / counts.sum())
        steps = tuple(
            Step(
                f"P({label} | row)",
                "",
                fraction(float(counts[k]), float(counts.sum())) if is_share else "",
                number(float(probabilities[k])),
                f"{number(float(counts[k]))} of {whose}{rows_of(number(float(counts.sum())))}"
                if is_share
                else "the rule's class",
            )
            for k, label in enumerate(labels)
        )
        heading = "The class shares of its rows" if place < len(rules) else "The class shares of these rows"
        return Section(heading if is_share else "Its class", steps)
    rows = tuple(
        (str(taker.place + 1) if taker.place < len(rules) else "none", taker.text, number(taker.part))
        for taker in takers[:TAKEN]
    )
    table = Grid("", ("rule", "part of the row", "="), rows)
    steps = tuple(
        Step(f"P({label} | row)", "", _sum_text(answers, takers, k), number(float(probabilities[k])))
        for k, label in enumerate(labels)
    )
    return Section("Σ part × share", steps, tables=(table,))


def _sum_text(answers: Floats, takers: list[Taker], k: int) -> str:
    terms = [
        f"{number(taker.part)} × {number(float(answers[taker.place, k]))}"
        for taker in takers[:TAKEN]
        if answers[taker.place, k] > 0
    ]
    rest = sum(taker.part * float(answers[taker.place, k]) for taker in takers[TAKEN:])
    return " + ".join([*terms, *([number(rest)] if rest > 0 else [])]) or "0"
