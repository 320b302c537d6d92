"""The questions on a row's way down, worked: the part of a hand calculation that all trees share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from crake.learners.base.cell_text import cell_text
from crake.learners.tree.explaining.path import Visit
from crake.learners.tree.explaining.split_arithmetic import Question, held
from crake.learners.tree.tree import Tree
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, fraction
from crake.table.schema import Schema
from crake.table.table import Table

IN_FULL = 6
"""Questions with their arithmetic: the first five and the last one; those between get a line each."""
IN_A_LINE = 12
"""Lines for the questions between before the rest is only counted."""


class Looked(Protocol):
    """A fitted tree, of classes or of numbers."""

    tree_: Tree
    schema_: Schema

    @property
    def _measure(self) -> str: ...
    @property
    def _shown_tree(self) -> Tree: ...
    def _tested(self, node: int) -> tuple[Step, ...]: ...


def questions(model: Looked, row: Table, asked: Sequence[Visit]) -> list[Section]:
    """The arithmetic of the first questions and the last; a line for those between."""
    if len(asked) <= IN_FULL:
        return [_question(model, row, visit) for visit in asked]
    between = asked[IN_FULL - 1 : -1]
    lines = [_line(model, row, visit) for visit in between[:IN_A_LINE]]
    if len(between) > IN_A_LINE:
        lines.append(f"… and {len(between) - IN_A_LINE} more")
    return [
        *(_question(model, row, visit) for visit in asked[: IN_FULL - 1]),
        Section(f"{len(between)} more questions", lines=tuple(lines)),
        _question(model, row, asked[-1]),
    ]


def _question(model: Looked, row: Table, visit: Visit) -> Section:
    question = Question(model._shown_tree, model.schema_, visit.node, model._measure)  # noqa: SLF001 - one family
    steps = (*question.steps(), *model._tested(visit.node))  # noqa: SLF001
    return Section(_heading(model, row, visit), steps, tables=(question.branches(visit.taken),))


def _heading(model: Looked, row: Table, visit: Visit) -> str:
    """Outlook = sunny: from node 0 to node 3."""
    said = _said(model, row, visit)
    if visit.taken < 0:
        return f"Node {visit.node}, {said}: divided among the branches by their shares of the rows"
    return f"Node {visit.node}, {said}: on to node {int(model.tree_.first[visit.node]) + visit.taken}"


def _line(model: Looked, row: Table, visit: Visit) -> str:
    counts = held(model.tree_, model.schema_, visit.node)
    onward = "divided" if visit.taken < 0 else f"on to node {int(model.tree_.first[visit.node]) + visit.taken}"
    return f"Node {visit.node} ({counts}), {_said(model, row, visit)}: {onward}"


def _said(model: Looked, row: Table, visit: Visit) -> str:
    """Outlook = sunny; age is missing, income = 30 stands in."""
    features, own = model.schema_.features, int(model.tree_.feature[visit.node])
    name, cell = features[own].name, visible(cell_text(row, features[own].name))
    if visit.by == own:
        return f"{visible(name)} = {cell}"
    unknown = f"{visible(name)} is {cell if cell in ('missing', 'a new value') else 'of no known branch'}"
    if visit.by < 0:
        return unknown
    other = features[visit.by].name
    return f"{unknown}, {visible(other)} = {visible(cell_text(row, other))} stands in"


def part_written(tree: Tree, visits: Sequence[Visit], end: Visit) -> str:
    """5/14 × 2/5: the shares of the branches at which the row was divided."""
    weight, factors, at = tree.weight, [], end
    while at.before >= 0:
        above = visits[at.before]
        if at.is_divided:
            factors.append(fraction(float(weight[at.node]), float(weight[above.node])))
        at = above
    return " × ".join(reversed(factors))
