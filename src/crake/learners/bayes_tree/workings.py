"""An NBTree worked by hand: the way down the tree, then naive Bayes of the leaf, or the sum over several leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.base.cell_text import cell_text
from crake.learners.bayes_tree.showing import leaf_name
from crake.learners.naive_bayes.workings import explain_row as explain_leaf
from crake.learners.tree.explaining.path import Visit, path_of
from crake.learners.tree.explaining.path_sections import part_text
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, number
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.bayes_tree.learner import NBTreeClassifier

TITLE = "NBTree: the tree chooses a naive Bayes model, which answers"
MOST_LEAVES = 12
"""Leaves of a divided row whose answers are written out."""
MOST_LINES = 20
"""Questions on the way down that are written."""


def explain_row(model: NBTreeClassifier, row: Table, probabilities: Floats) -> Workings:
    """Return the path and the calculation of its leaf; the answer is what `predict_proba` gives."""
    visits = path_of(model.tree_, model.schema_, row)
    ends = [visit for visit in visits if model.tree_.kind[visit.node] == LEAF]
    labels = [str(label) for label in model.classes_]
    answer = tuple(zip(labels, map(float, probabilities), strict=True))
    path = Section("The way down the tree", lines=tuple(_lines(model, row, visits)))
    if len(ends) > 1:
        return Workings(TITLE, (path, _mixture(model, row, visits, ends, probabilities)), answer)
    leaf = model.leaf(ends[0].node)
    inner = explain_leaf(leaf, row, leaf.probabilities(row)[0])
    return Workings(TITLE, (path, *inner.sections), answer, inner.notes)


def _lines(model: NBTreeClassifier, row: Table, visits: Sequence[Visit]) -> list[str]:
    """Return a line for each question, and one for each leaf."""
    tree, lines = model.tree_, []
    for visit in visits:
        if tree.kind[visit.node] == LEAF:
            lines.append(f"Node {visit.node} is a leaf: {leaf_name(visit.node)}")
            continue
        name = model.schema_.features[tree.feature[visit.node]].name
        cell = visible(cell_text(row, name))
        where = (
            "divided among the branches by their shares of the rows"
            if visit.taken < 0
            else f"on to node {int(tree.first[visit.node]) + visit.taken}"
        )
        is_unknown = cell in ("missing", "a new value")
        lines.append(f"Node {visit.node}, {visible(name)} {'is' if is_unknown else '='} {cell}: {where}")
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"… and {more} more"]


def _mixture(
    model: NBTreeClassifier, row: Table, visits: Sequence[Visit], ends: Sequence[Visit], probabilities: Floats
) -> Section:
    """Return Σ of part × P(class in the leaf) for each class."""
    shown = ends[:MOST_LEAVES]
    answers = [model.leaf(end.node).probabilities(row)[0] for end in shown]
    parts = [part_text(model.tree_, visits, end) for end in shown]
    more = " + …" if len(ends) > len(shown) else ""
    steps = tuple(
        Step(
            f"P({label} | row)",
            "",
            " + ".join(f"{part} × {number(own[k])}" for part, own in zip(parts, answers, strict=True)) + more,
            number(probabilities[k]),
        )
        for k, label in enumerate(model.classes_)
    )
    return Section("Sum over the leaves, each with the part of the row that comes there", steps)
