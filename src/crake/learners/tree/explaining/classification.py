"""A tree's answer by hand: each question with its counts and gain, the branch the row takes, the leaf's shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.kernels.tree.impurity import NOTHING
from crake.learners.tree.explaining.path import Visit, walked
from crake.learners.tree.explaining.path_sections import part_written, questions
from crake.learners.tree.explaining.split_arithmetic import held, is_whole
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, fraction, number
from crake.table.schema import Kind
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.tree.showing.class_views import ClassTreeViews

CLASSES = 8
"""Classes that are all written out; of more, those with a probability."""
LEAVES = 8
"""Leaves written out in a mixture, the heaviest; the rest is one number."""


def explain_path(model: ClassTreeViews, row: Table, probabilities: Floats) -> Workings:
    """From the root to the leaf, or to all leaves that a row with missing values may reach."""
    tree = model.tree_
    visits = walked(tree, model.schema_, row)
    asked = [visit for visit in visits if tree.kind[visit.node] != LEAF]
    ends = [visit for visit in visits if tree.kind[visit.node] == LEAF]
    labels = [visible(label) for label in model.classes_]
    return Workings(
        "Decision tree: the questions on this row's way down, and the class shares where it ends",
        (*questions(model, row, asked), _end(model, visits, ends, labels, probabilities)),
        tuple(zip([str(label) for label in model.classes_], map(float, probabilities), strict=True)),
        tuple(_notes(model, asked, ends)),
    )


def _end(
    model: ClassTreeViews, visits: Sequence[Visit], ends: Sequence[Visit], labels: Sequence[str], probabilities: Floats
) -> Section:
    if len(ends) == 1:
        (only,) = ends
        steps = tuple(
            Step(
                f"P({label} | row)",
                "",
                _leaf_share(model, only.node, k),
                number(float(probabilities[k])),
                _read_from(model, only.node, k),
            )
            for k, label in enumerate(labels)
            if len(labels) <= CLASSES or probabilities[k] > 0
        )
        return Section(f"The leaf, node {only.node}: {held(model.tree_, model.schema_, only.node)}", steps)
    shown = sorted(sorted(ends, key=lambda visit: -visit.part)[:LEAVES], key=lambda visit: visit.node)
    parts = [part_written(model.tree_, visits, visit) for visit in shown]
    rows = tuple(
        (str(visit.node), part, number(visit.part), held(model.tree_, model.schema_, visit.node))
        for visit, part in zip(shown, parts, strict=True)
    )
    table = Grid("", ("node", "part of the row", "=", "holds"), rows)
    steps = tuple(
        Step(f"P({label} | row)", "", _sum_written(model, ends, shown, parts, k), number(float(probabilities[k])))
        for k, label in enumerate(labels)
        if len(labels) <= CLASSES or probabilities[k] > 0
    )
    more = f", the heaviest {len(shown)} of them" if len(ends) > len(shown) else ""
    return Section(f"The {len(ends)} leaves{more}: Σ part × share", steps, tables=(table,))


def _sum_written(
    model: ClassTreeViews, ends: Sequence[Visit], shown: Sequence[Visit], parts: Sequence[str], k: int
) -> str:
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


def _read_from(model: ClassTreeViews, node: int, k: int) -> str:
    """2 of the 5 rows in node 3."""
    at = _counted_at(model, node)
    counts = model.tree_.counts[at]
    return f"{number(float(counts[k]))} of the {number(float(counts.sum()))} rows in node {at}"


def _counted_at(model: ClassTreeViews, node: int) -> int:
    """A leaf without rows has the counts of the node above."""
    is_empty = model.tree_.counts[node].sum() < NOTHING and node > 0
    return model.tree_.parent_of(node) if is_empty else node


def _leaf_share(model: ClassTreeViews, node: int, k: int) -> str:
    """3/5, or (3 + 1)/(5 + 2) with Laplace's correction."""
    counts = model.tree_.counts[_counted_at(model, node)]
    if model.laplace:
        return f"({number(float(counts[k]))} + 1)/({number(float(counts.sum()))} + {len(counts)})"
    return fraction(float(counts[k]), float(counts.sum()))


def _notes(model: ClassTreeViews, asked: Sequence[Visit], ends: Sequence[Visit]) -> list[str]:
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
