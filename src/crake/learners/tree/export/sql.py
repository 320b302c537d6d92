"""A tree as standard SQL: which leaf a row falls into, its class and probabilities, or its mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import Condition, condition_of, surrogate_conditions, surrogates_of
from crake.learners.tree.export.dialects import answer, days_column, is_postgres, moment_column, number_column
from crake.learners.tree.export.sql_dates import moment_literal, on_dates, part_expression
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.tree import Tree
from crake.table.schema import Column, Kind, Label, Schema

DEEPEST = 200
"""Engines refuse expressions that are nested much deeper."""
UNKNOWN = "-- NULL, and a value that was not seen in training,"
MOST_FACTORS = 500_000
"""The most conditions of the exact form: some 50 MB of text."""


def to_sql(tree: Tree, schema: Schema, leaf: Floats, table: str = "t", missing: str = "heaviest") -> str:
    """Return a SELECT of all columns of `table` and the predictions; leaf[node] are the probabilities of a leaf.

    missing="heaviest": NULL, and a value not seen in training, takes the heaviest branch: one CASE for the leaf, short
    lists for the predictions. missing="mixture": it takes all branches by their shares, as `predict_proba` does.
    """
    shares_of = [f"P({label})" for label in schema.classes]
    leaf_name, name, *names = new_names(schema, "leaf", f"predicted {schema.target}", *shares_of)
    if _is_mixture(tree, missing, len(names)):
        return _mixture_query(tree, schema, table, leaf, names, f"{largest_of(schema, names)} AS {name}")
    nodes = np.flatnonzero(tree.kind == LEAF)
    classes = [literal(schema.classes[k]) for k in np.argmax(leaf[nodes], axis=1)]
    probabilities = [[answer(number_text(p)) for p in leaf[nodes, k]] for k in range(len(names))]
    return _leaf_query(
        tree, schema, table, leaf_name, dict(zip([name, *names], [classes, *probabilities], strict=True))
    )


def to_regression_sql(tree: Tree, schema: Schema, table: str = "t", missing: str = "heaviest") -> str:
    """Return a SELECT as `to_sql` does for a regression tree, whose leaves predict their means."""
    leaf_name, name = new_names(schema, "leaf", f"predicted {schema.target}")
    means = tree.responses[:, :1]
    if _is_mixture(tree, missing, 1):
        return _mixture_query(tree, schema, table, means, [name], "")
    nodes = np.flatnonzero(tree.kind == LEAF)
    return _leaf_query(tree, schema, table, leaf_name, {name: [answer(number_text(mean)) for mean in means[nodes, 0]]})


def _is_mixture(tree: Tree, missing: str, answers: int) -> bool:
    """Return whether all leaves are added up; raise where an engine would not take the query."""
    if missing not in ("heaviest", "mixture"):
        raise CrakeError(f"missing={missing!r}; expected 'heaviest' (NULL takes the heaviest branch) or 'mixture'")
    depth = tree.depth
    if int(depth.max()) > DEEPEST:
        raise CrakeError(
            f"the tree asks up to {depth.max()} questions, and SQL engines refuse CASEs nested that deep "
            f"(here: {DEEPEST}); prune it, or fit it with max_depth"
        )
    factors = int(depth[tree.kind == LEAF].sum()) * answers
    if missing == "mixture" and factors > MOST_FACTORS:
        raise CrakeError(
            f"missing='mixture' needs {factors:,} conditions for this tree, more than {MOST_FACTORS:,}; prune it, or "
            "take missing='heaviest'"
        )
    return missing == "mixture"


def _leaf_query(tree: Tree, schema: Schema, table: str, leaf: str, answers: Mapping[str, Sequence[str]]) -> str:
    """The number of the leaf, and by it the answers: one per leaf, by the names of their columns."""
    nodes = np.flatnonzero(tree.kind == LEAF)
    listed = ",\n  ".join(by_number(leaf, nodes, values, name) for name, values in answers.items())
    return (
        f"{UNKNOWN} {_sent(tree, 'takes the branch with the most training rows')}\n{on_dates(schema)}"  # noqa: S608 - names are quoted
        f"SELECT *,\n  {listed}\nFROM (\n  SELECT *,\n{_cases(tree, schema)} AS {leaf}\n"
        f"  FROM {quoted(table)}\n) AS routed"
    )


def _sent(tree: Tree, otherwise: str) -> str:
    """Return where a value that is not known goes, as text."""
    if np.all(tree.missing[tree.kind != LEAF] >= 0):
        return "goes where the tree sends missing values"
    return otherwise


def by_number(leaf: str, nodes: NDArray[np.intp], values: Sequence[str], name: str) -> str:
    """Write a value for each leaf, or rule; the most frequent one for all that are not named."""
    most = Counter(values).most_common(1)[0][0]
    others: dict[str, list[str]] = {}
    for node, value in zip(nodes, values, strict=True):
        if value != most:
            others.setdefault(value, []).append(str(node))
    if not others:
        return f"{most} AS {name}"
    cases = " ".join(f"WHEN {leaf} {_one_of(leaves)} THEN {value}" for value, leaves in others.items())
    return f"CASE {cases} ELSE {most} END AS {name}"


def _one_of(constants: Sequence[str]) -> str:
    return f"= {constants[0]}" if len(constants) == 1 else f"IN ({', '.join(constants)})"


def _cases(tree: Tree, schema: Schema) -> str:
    """Nested CASEs that give the number of the leaf; the heaviest branch is the ELSE, so that NULL falls into it."""
    lines: list[str] = []
    waiting: list[tuple[str, int, int]] = [("", 0, 2)]
    while waiting:
        before, node, indent = waiting.pop()
        space = "  " * indent
        if node < 0:
            lines.append(f"{space}END")
        elif tree.kind[node] == LEAF:
            lines.append(f"{space}{before}{node}")
        else:
            lines.append(f"{space}{before}CASE")
            waiting.append(("", -1, indent))
            waiting.extend(reversed(_branches(tree, schema, node, indent + 1)))
    return "\n".join(lines)


def _branches(tree: Tree, schema: Schema, node: int, indent: int) -> list[tuple[str, int, int]]:
    first, number = int(tree.first[node]), int(tree.branches[node])
    rest = _fallback(tree, node)
    if len(surrogates_of(tree, node)):
        return [
            (f"WHEN {_decided(tree, schema, node)} = {1 - rest} THEN ", first + 1 - rest, indent),
            ("ELSE ", first + rest, indent),
        ]
    conditions = [condition_of(tree, schema, node, b) for b in range(number)]
    named = [b for b in range(number) if b != rest and conditions[b].has_known]
    return [
        *((f"WHEN {_known(conditions[b])} THEN ", first + b, indent) for b in named),
        ("ELSE ", first + rest, indent),
    ]


def _decided(tree: Tree, schema: Schema, node: int) -> str:
    """The branch of a node with surrogates: by its own column, or by the first that stands in and is known."""
    conditions = [[condition_of(tree, schema, node, b) for b in range(2)]]
    conditions += [surrogate_conditions(tree, schema, at) for at in surrogates_of(tree, node)]
    cases = [f"WHEN {_known(c)} THEN {b}" for pair in conditions for b, c in enumerate(pair) if c.has_known]
    return f"CASE {' '.join(cases)} ELSE {_fallback(tree, node)} END"


def _fallback(tree: Tree, node: int) -> int:
    """The branch of missing values: the one made for them, or the heaviest, the first of equals."""
    if tree.missing[node] >= 0:
        return int(tree.missing[node])
    return int(np.argmax(tree.weight[list(tree.children(node))]))


def _mixture_query(tree: Tree, schema: Schema, table: str, leaf: Floats, names: Sequence[str], further: str) -> str:
    """Σ part of the row in a leaf × its answer, a column each of `leaf`; `further` is selected beside them."""
    nodes = np.flatnonzero(tree.kind == LEAF)
    parts = [_part(tree, schema, int(node)) for node in nodes]
    sums = [
        " +\n    ".join(
            f"{part} * {answer(double_text(p))}" for part, p in zip(parts, leaf[nodes, k], strict=True) if p != 0
        )
        or answer("0e0")
        for k in range(len(names))
    ]
    columns = ",\n  ".join(f"{total} AS {name}" for name, total in zip(names, sums, strict=True))
    mixed = f"SELECT *,\n  {columns}\n  FROM {quoted(table)}"  # noqa: S608 - all names are quoted
    comment = f"{UNKNOWN} {_sent(tree, 'takes all branches by their shares of the rows')}\n{on_dates(schema)}"
    return f"{comment}SELECT *,\n  {further}\nFROM (\n  {mixed}\n) AS mixed" if further else f"{comment}{mixed}"


def _part(tree: Tree, schema: Schema, node: int) -> str:
    """The part of a row that comes to a leaf: a product of 1, 0, or a share where a value is missing."""
    share, factors = shares(tree), []
    while node > 0:
        above = tree.parent_of(node)
        branch = node - int(tree.first[above])
        factors.append(_factor(tree, schema, above, branch, float(share[node])))
        node = above
    return " * ".join(reversed(factors)) or "1e0"


def _factor(tree: Tree, schema: Schema, node: int, branch: int, share: float) -> str:
    if len(surrogates_of(tree, node)):
        return f"CASE WHEN {_decided(tree, schema, node)} = {branch} THEN 1e0 ELSE 0e0 END"
    conditions = [condition_of(tree, schema, node, b) for b in range(int(tree.branches[node]))]
    if tree.missing[node] >= 0:
        share = float(tree.missing[node] == branch)
    others = [_known(each) for b, each in enumerate(conditions) if b != branch and each.has_known]
    own = f"WHEN {_known(conditions[branch])} THEN 1e0 " if conditions[branch].has_known else ""
    other = f"WHEN {' OR '.join(others)} THEN 0e0 " if others else ""
    return f"CASE {own}{other}ELSE {double_text(share)} END"


def largest_of(schema: Schema, names: Sequence[str]) -> str:
    """Write the class of the largest probability, the first of equals."""
    labels = [literal(label) for label in schema.classes]
    if len(labels) == 1:
        return labels[0]
    cases = [
        f"WHEN {' AND '.join(f'{names[k]} >= {other}' for other in names[k + 1 :])} THEN {labels[k]}"
        for k in range(len(labels) - 1)
    ]
    return f"CASE {' '.join(cases)} ELSE {labels[-1]} END"


def _known(condition: Condition) -> str:
    """A condition on a known value; NULL never satisfies it."""
    column = condition.column
    name = column_text(column)
    if condition.codes is None:
        above = [] if np.isneginf(condition.low) else [f"{name} > {cut_text(column, condition.low)}"]
        below = [] if np.isposinf(condition.high) else [f"{name} <= {cut_text(column, condition.high)}"]
        return " AND ".join([*above, *below]) or f"{name} IS NOT NULL"
    return f"{name} {_one_of([level_text(column, code) for code in condition.codes])}"


def column_text(column: Column) -> str:
    """Write a column, or the part of a date that it is."""
    if column.is_part:
        return part_expression(column, moment_column(quoted(column.source)))
    if column.kind is not Kind.NUMERIC:
        return quoted(column.name)
    return days_column(quoted(column.name)) if column.is_date and is_postgres() else number_column(quoted(column.name))


def cut_text(column: Column, value: float) -> str:
    """Write a threshold of a column of numbers or dates."""
    return moment_literal(value, column.name) if column.is_date and not is_postgres() else number_text(value)


def level_text(column: Column, code: int) -> str:
    """Write a level; that of a part of a date is its number."""
    return str(code + 1) if column.is_part else literal(column.levels[code])


def new_names(schema: Schema, *wanted: str) -> list[str]:
    """Return quoted names for new columns, none of them a column of the table already."""
    used = {name.casefold() for name in schema.names}
    names = []
    for name in wanted:
        fresh = name
        while fresh.casefold() in used:
            fresh += "_"
        used.add(fresh.casefold())
        names.append(quoted(fresh))
    return names


def quoted(name: str) -> str:
    """Write an identifier of standard SQL.

    >>> print(quoted('a"b'))
    "a""b"
    """
    return '"' + _printable(name).replace('"', '""') + '"'


def literal(label: Label) -> str:
    """Write a constant of standard SQL.

    >>> print(literal("it's"), literal(True), literal(3), literal(2.5))
    'it''s' TRUE 3 2.5
    """
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, str):
        return "'" + _printable(label).replace("'", "''") + "'"
    return str(label) if isinstance(label, int) else number_text(label)


def number_text(value: float) -> str:
    """Write a float with all its digits; long ones with an exponent, so that no engine reads them as a decimal.

    >>> number_text(2.45), number_text(0.1 + 0.2), number_text(float(2**60))
    ('2.45', '3.0000000000000004e-01', '1.152921504606847e+18')
    """
    text = repr(float(value))
    return text if "e" in text or sum(c.isdigit() for c in text) <= 15 else double_text(value)


def double_text(value: float) -> str:
    """Write a float with an exponent: products of decimals would soon have too many digits.

    >>> double_text(0.4), double_text(0.1 + 0.2)
    ('4e-01', '3.0000000000000004e-01')
    """
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=2)


def _printable(text: str) -> str:
    if "\0" in text:
        raise CrakeError(f"{text!r} has a character of code 0, which SQL cannot hold; rename it")
    return text
