"""A tree's answer by hand: each question with its counts and gain, the branch the row takes, the leaf's shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from crake.kernels.partition import LEAF
from crake.kernels.splitting import NOTHING
from crake.learners.cell import cell_text
from crake.learners.tree.nodes import Floats
from crake.learners.tree.question import Question, class_counts, is_whole
from crake.learners.tree.walk import Visit, walked
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, fraction, number
from crake.table.schema import Kind
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.tree.views import TreeViews

IN_FULL = 6
"""Questions with their arithmetic: the first five and the last one; those between get a line each."""
IN_A_LINE = 12
"""Lines for the questions between before the rest is only counted."""
LEAVES = 8
"""Leaves written out in a mixture, the heaviest; the rest is one number."""


def explain_path(model: TreeViews, row: Table, probabilities: Floats) -> Workings:
    """From the root to the leaf, or to all leaves that a row with missing values may reach."""
    tree = model.tree_
    visits = walked(tree, model.schema_, row)
    asked = [visit for visit in visits if tree.kind[visit.node] != LEAF]
    ends = [visit for visit in visits if tree.kind[visit.node] == LEAF]
    labels = [visible(label) for label in model.classes_]
    return Workings(
        "Decision tree: the questions on this row's way down, and the class shares where it ends",
        (*_questions(model, row, asked), _end(model, visits, ends, labels, probabilities)),
        tuple(zip([str(label) for label in model.classes_], map(float, probabilities), strict=True)),
        tuple(_notes(model, asked, ends)),
    )


def _questions(model: TreeViews, row: Table, asked: Sequence[Visit]) -> list[Section]:
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


def _question(model: TreeViews, row: Table, visit: Visit) -> Section:
    question = Question(model._shown_tree, model.schema_, visit.node, model._measure)  # noqa: SLF001 - one family
    steps = (*question.steps(), *model._tested(visit.node))  # noqa: SLF001
    return Section(_heading(model, row, visit), steps, question.branch_lines(visit.taken))


def _heading(model: TreeViews, row: Table, visit: Visit) -> str:
    """Outlook = sunny: from node 0 to node 3."""
    said = _said(model, row, visit)
    if visit.taken < 0:
        return f"Node {visit.node}, {said}: divided among the branches by their shares of the rows"
    return f"Node {visit.node}, {said}: on to node {int(model.tree_.first[visit.node]) + visit.taken}"


def _line(model: TreeViews, row: Table, visit: Visit) -> str:
    counts = class_counts(model.schema_, model.tree_.counts[visit.node])
    onward = "divided" if visit.taken < 0 else f"on to node {int(model.tree_.first[visit.node]) + visit.taken}"
    return f"Node {visit.node} ({counts}), {_said(model, row, visit)}: {onward}"


def _said(model: TreeViews, row: Table, visit: Visit) -> str:
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


def _end(
    model: TreeViews, visits: Sequence[Visit], ends: Sequence[Visit], labels: Sequence[str], probabilities: Floats
) -> Section:
    if len(ends) == 1:
        (only,) = ends
        held = class_counts(model.schema_, model.tree_.counts[only.node])
        steps = tuple(
            Step(f"P({label} | row)", "", _leaf_share(model, only.node, k), number(float(probabilities[k])))
            for k, label in enumerate(labels)
        )
        return Section(f"The leaf, node {only.node}: {held}", steps)
    shown = sorted(sorted(ends, key=lambda visit: -visit.part)[:LEAVES], key=lambda visit: visit.node)
    parts = [_part_written(model, visits, visit) for visit in shown]
    lines = tuple(
        f"node {visit.node}: {part} = {number(visit.part)} of the row; {_held(model, visit.node)}"
        for visit, part in zip(shown, parts, strict=True)
    )
    steps = tuple(
        Step(f"P({label} | row)", "", _sum_written(model, ends, shown, parts, k), number(float(probabilities[k])))
        for k, label in enumerate(labels)
    )
    more = f", the heaviest {len(shown)} of them" if len(ends) > len(shown) else ""
    return Section(f"The {len(ends)} leaves{more}: Σ part × share", steps, lines)


def _held(model: TreeViews, node: int) -> str:
    return class_counts(model.schema_, model.tree_.counts[node])


def _part_written(model: TreeViews, visits: Sequence[Visit], end: Visit) -> str:
    """5/14 × 2/5: the shares of the branches at which the row was divided."""
    weight, factors, at = model.tree_.weight, [], end
    while at.before >= 0:
        above = visits[at.before]
        if at.is_divided:
            factors.append(fraction(float(weight[at.node]), float(weight[above.node])))
        at = above
    return " × ".join(reversed(factors))


def _sum_written(model: TreeViews, ends: Sequence[Visit], shown: Sequence[Visit], parts: Sequence[str], k: int) -> str:
    """0.2857 × 4/4 + 5/14 × 2/5 + …: leaves without the class are left out, those not shown are one number."""
    leaf, written = model.leaf_probabilities_, {visit.node for visit in shown}
    terms = [
        f"{part if ' × ' not in part else number(visit.part)} × {_leaf_share(model, visit.node, k)}"
        for visit, part in zip(shown, parts, strict=True)
        if leaf[visit.node, k] > 0
    ]
    if len(ends) > len(shown):
        others = sum(visit.part * float(leaf[visit.node, k]) for visit in ends if visit.node not in written)
        terms.append(number(round(others, 12)))
    return " + ".join(terms) or "0"


def _leaf_share(model: TreeViews, node: int, k: int) -> str:
    """3/5, or (3 + 1)/(5 + 2) with Laplace's correction; a leaf without rows has the counts of the node above."""
    counts = model.tree_.counts[node]
    if counts.sum() < NOTHING and node > 0:
        counts = model.tree_.counts[model.tree_.parent_of(node)]
    if model.laplace:
        return f"({number(float(counts[k]))} + 1)/({number(float(counts.sum()))} + {len(counts)})"
    return fraction(float(counts[k]), float(counts.sum()))


def _notes(model: TreeViews, asked: Sequence[Visit], ends: Sequence[Visit]) -> list[str]:
    tree, notes = model.tree_, []
    empty = [str(visit.node) for visit in ends if tree.counts[visit.node].sum() < NOTHING and visit.node > 0]
    if empty:
        notes.append(f"no training row came to node {', '.join(empty[:12])}: it answers as the node above it")
    nodes = [visit.node for visit in asked]
    if not is_whole(tree.counts[[*nodes, *(child for node in nodes for child in tree.children(node))]]):
        notes.append(
            "counts are weights: a training row whose value is missing counts in part in every branch; the split was "
            "chosen by the rows whose value is known: node(…).alternatives(table)"
        )
    numeric = [model.schema_.features[tree.feature[node]].kind is Kind.NUMERIC for node in nodes]
    if getattr(model, "correction", False) and np.any(numeric):
        notes.append("to choose, log2(number of cuts)/rows is taken off a numeric gain: node(…).alternatives(table)")
    return notes
