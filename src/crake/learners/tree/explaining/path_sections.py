"""The splits on a row's path, with their arithmetic. Shared by classification and regression trees."""

from __future__ import annotations

from collections.abc import Sequence

from crake.learners.base.cell_text import cell_text
from crake.learners.tree.explaining.model import TreeModel
from crake.learners.tree.explaining.path import Visit
from crake.learners.tree.explaining.split_arithmetic import model_split, node_rows
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.tree import Tree
from crake.render.plain_text import visible
from crake.render.workings import Section, fraction, number
from crake.table.table import Table

IN_FULL = 6
"""Questions with their arithmetic: the first five and the last one; those between get a line each."""
IN_A_LINE = 12
"""Lines for the questions between before the rest is only counted."""


def split_sections(model: TreeModel, row: Table, splits: Sequence[Visit]) -> list[Section]:
    """Return the arithmetic of the first splits and the last; a line for those between."""
    if len(splits) <= IN_FULL:
        return [_section(model, row, visit) for visit in splits]
    between = splits[IN_FULL - 1 : -1]
    lines = [_line(model, row, visit) for visit in between[:IN_A_LINE]]
    if len(between) > IN_A_LINE:
        lines.append(f"… and {len(between) - IN_A_LINE} more")
    return [
        *(_section(model, row, visit) for visit in splits[: IN_FULL - 1]),
        Section(f"{len(between)} more questions", lines=tuple(lines)),
        _section(model, row, splits[-1]),
    ]


def _section(model: TreeModel, row: Table, visit: Visit) -> Section:
    split = model_split(model, visit.node)
    steps = (*split.steps(), *model.search.steps(visit.node))
    return Section(_heading(model, row, visit), steps, tables=(split.branches(visit.taken),))


def _heading(model: TreeModel, row: Table, visit: Visit) -> str:
    """Write Outlook = sunny: from node 0 to node 3."""
    cell = _cell_words(model, row, visit)
    if visit.taken < 0:
        return f"Node {visit.node}, {cell}: divided among the branches by their shares of the rows"
    return f"Node {visit.node}, {cell}: on to node {int(model.tree.first[visit.node]) + visit.taken}"


def _line(model: TreeModel, row: Table, visit: Visit) -> str:
    counts = node_rows(model.tree, model.schema, visit.node)
    onward = "divided" if visit.taken < 0 else f"on to node {int(model.tree.first[visit.node]) + visit.taken}"
    return f"Node {visit.node} ({counts}), {_cell_words(model, row, visit)}: {onward}"


def _cell_words(model: TreeModel, row: Table, visit: Visit) -> str:
    """Write Outlook = sunny; age is missing, income = 30 stands in."""
    features, own = model.schema.features, int(model.tree.feature[visit.node])
    name, cell = features[own].name, visible(cell_text(row, features[own].name))
    if visit.by == own:
        return f"{visible(name)} = {cell}"
    unknown = f"{visible(name)} is {cell if cell in ('missing', 'a new value') else 'of no known branch'}"
    if visit.by < 0:
        return unknown
    other = features[visit.by].name
    return f"{unknown}, {visible(other)} = {visible(cell_text(row, other))} stands in"


def part_text(tree: Tree, visits: Sequence[Visit], end: Visit) -> str:
    """Write 5/14 × 2/5: the shares of the branches at which the row was divided.

    A share that the counts do not give, because more rows were counted later, is written as a number.
    """
    weight, share, factors, at = tree.weight, shares(tree), [], end
    while at.before >= 0:
        above = visits[at.before]
        if at.is_divided:
            here, whole = float(weight[at.node]), float(weight[above.node])
            is_counted = abs(share[at.node] * whole - here) <= 1e-9 * whole
            factors.append(fraction(here, whole) if is_counted else number(float(share[at.node])))
        at = above
    return " × ".join(reversed(factors))
