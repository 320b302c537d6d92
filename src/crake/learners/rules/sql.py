"""A list of rules as standard SQL: which rule takes a row, its class and probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.rules.conditions import Condition
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.export.dialects import answer
from crake.learners.tree.export.sql import (
    by_number,
    column_text,
    cut_text,
    double_text,
    largest_of,
    level_text,
    literal,
    new_names,
    number_text,
    quoted,
)
from crake.learners.tree.export.sql_dates import on_dates
from crake.table.schema import Kind, Schema

DEEPEST = 150
"""Rules of a mixture: each one is nested into the one before, and engines refuse much deeper expressions."""
FAILS = "-- NULL, and a value that was not seen in training, satisfies no condition"
MIXES = "-- NULL, and a value that was not seen in training, satisfies a condition in part, by the share of its branch"


def to_sql(rules: RuleList, schema: Schema, answers: Floats, table: str = "t", missing: str | None = None) -> str:
    """Return a SELECT of all columns of `table`, the number of the rule, the class and the probabilities.

    missing=None answers as `predict_proba`. missing="fails": NULL satisfies no condition. missing="mixture": it
    satisfies one in part, where rows were divided in training.
    """
    if missing not in (None, "fails", "mixture"):
        raise CrakeError(
            f"missing={missing!r}; expected None (as predict), 'fails' (NULL satisfies no condition) or 'mixture'"
        )
    rule, name, *names = new_names(
        schema, "rule", f"predicted {schema.target}", *[f"P({label})" for label in schema.classes]
    )
    if missing != "fails" and np.any(rules.conditions.share > 0):
        return _mixture(rules, schema, answers, table, [name, *names])
    if rules.takes_every_row and not rules.questions(len(rules) - 1):
        answers = answers[:-1]
    numbers = np.arange(1, len(answers) + 1)
    classes = [literal(schema.classes[k]) for k in np.argmax(answers, axis=1)]
    listed = [by_number(rule, numbers, classes, name)]
    listed += [
        by_number(rule, numbers, [answer(number_text(p)) for p in answers[:, k]], each) for k, each in enumerate(names)
    ]
    columns = ",\n  ".join(listed)
    return (
        f"{FAILS}\n{on_dates(schema)}SELECT *,\n  {columns}\n"  # noqa: S608 - names are quoted
        f"FROM (\n  SELECT *,\n{_cases(rules, schema)} AS {rule}\n  FROM {quoted(table)}\n) AS routed"
    )


def _cases(rules: RuleList, schema: Schema) -> str:
    """Write the number of the first rule that holds; the one after the last for a row that none takes."""
    lines: list[str] = []
    for rule in rules.shown(schema):
        if not rule.conditions:
            return _case(lines, rule.number)
        held = " AND ".join(_holds(condition) for condition in rule.conditions)
        lines.append(f"      WHEN {held} THEN {rule.number}")
    return _case(lines, len(rules) + 1)


def _case(lines: Sequence[str], otherwise: int) -> str:
    return "\n".join(["    CASE", *lines, f"      ELSE {otherwise}", "    END"]) if lines else f"    {otherwise}"


def _holds(condition: Condition) -> str:
    column = condition.column
    is_number = column.kind is Kind.NUMERIC
    value = cut_text(column, condition.threshold) if is_number else level_text(column, condition.level)
    return f"{column_text(column)} {condition.sign} {value}"


def _mixture(rules: RuleList, schema: Schema, answers: Floats, table: str, names: Sequence[str]) -> str:
    """Write s_1·p_1 + (1 − s_1)·(s_2·p_2 + …), s_r the part of a row that satisfies rule r, for each class."""
    if len(rules) > DEEPEST:
        raise CrakeError(
            f"a query that divides rows with NULL as predict does nests the rules; expected at most {DEEPEST} of them, "
            f"got {len(rules)}: take missing='fails' (NULL satisfies no condition), or a larger min_samples_leaf"
        )
    parts = [" * ".join(_factor(condition) for condition in rule.conditions) or "1e0" for rule in rules.shown(schema)]
    columns = []
    for k, name in enumerate(names[1:]):
        total = answer(double_text(float(answers[-1, k])))
        for part, p in zip(reversed(parts), answers[-2::-1, k], strict=True):
            own = f"{part} * {answer(double_text(float(p)))}"
            total = f"{own} + (1e0 - {part}) * ({total})" if part != "1e0" else answer(double_text(float(p)))
        columns.append(f"{total} AS {name}")
    listed = ",\n  ".join(columns)
    mixed = f"SELECT *,\n  {listed}\n  FROM {quoted(table)}"  # noqa: S608 - names are quoted
    largest = f"{largest_of(schema, names[1:])} AS {names[0]}"
    return f"{MIXES}\n{on_dates(schema)}SELECT *,\n  {largest}\nFROM (\n  {mixed}\n) AS mixed"


def _factor(condition: Condition) -> str:
    """Write 1 where the condition holds, 0 where it does not, and its share where the value is not known."""
    column = condition.column
    known = f"{column_text(column)} IS NOT NULL"
    if column.kind is Kind.NOMINAL:
        levels = ", ".join(level_text(column, code) for code in range(len(column.levels)))
        known = f"{column_text(column)} IN ({levels})"
    return f"CASE WHEN {_holds(condition)} THEN 1e0 WHEN {known} THEN 0e0 ELSE {double_text(condition.share)} END"
