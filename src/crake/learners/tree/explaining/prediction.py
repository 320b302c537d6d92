"""The prediction of a tree by hand: each split with its counts and gain, the branch the row takes, the leaf's shares.

A regression tree has squared errors in place of counts, and a mean in place of shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.kernels.tree.impurity import NOTHING
from crake.learners.tree.editing.edit import edited_nodes
from crake.learners.tree.explaining.model import TreeModel
from crake.learners.tree.explaining.path import Visit, path_of
from crake.learners.tree.explaining.path_sections import part_text, split_sections
from crake.learners.tree.explaining.split_arithmetic import is_whole, node_rows
from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings import Section, Step, Workings, fraction, number
from crake.table.convert.export import label_array
from crake.table.schema import Kind
from crake.table.table import Table

CLASSES = 8
"""Number of classes that are all written out; of more, those with a probability."""
LEAVES = 8
"""Number of leaves written out in a mixture, the heaviest; the rest is one number."""


@dataclass(frozen=True, eq=False)
class _Path:
    """The nodes that a row visits: the splits, the leaves, and the heaviest leaves, which are written out."""

    visits: list[Visit]
    splits: list[Visit]
    leaves: list[Visit]
    shown: list[Visit]

    @classmethod
    def of(cls, model: TreeModel, row: Table) -> _Path:
        visits = path_of(model.tree, model.schema, row)
        is_leaf = model.tree.kind == LEAF
        leaves = [visit for visit in visits if is_leaf[visit.node]]
        heaviest = sorted(leaves, key=lambda visit: -visit.part)[:LEAVES]
        splits = [visit for visit in visits if not is_leaf[visit.node]]
        return cls(visits, splits, leaves, sorted(heaviest, key=lambda visit: visit.node))

    def parts(self, model: TreeModel) -> list[str]:
        """Return the part of the row in each leaf that is shown, as a product of shares."""
        return [part_text(model.tree, self.visits, visit) for visit in self.shown]


def explain_path(model: TreeModel, row: Table, probabilities: Floats) -> Workings:
    """Work out a class prediction from the root to the leaf, or to all leaves that a row with gaps reaches."""
    path = _Path.of(model, row)
    classes = label_array(model.schema.classes)
    labels = [visible(label) for label in classes]
    return Workings(
        "Decision tree: the questions on this row's way down, and the class shares where it ends",
        (*split_sections(model, row, path.splits), _leaf_section(model, path, labels, probabilities)),
        tuple(zip([str(label) for label in classes], map(float, probabilities), strict=True)),
        tuple(_notes(model, path)),
    )


def explain_mean(model: TreeModel, row: Table, mean: float) -> Workings:
    """Work out the mean that a regression tree predicts, or the weighted mean of several leaves."""
    path = _Path.of(model, row)
    tree = model.tree
    lines = tuple(f"node {visit.node}: {node_rows(tree, model.schema, visit.node)}" for visit in path.shown)
    means = [number(float(tree.responses[visit.node, 0])) for visit in path.shown]
    terms = [f"{part} × {value}".removeprefix(" × ") for part, value in zip(path.parts(model), means, strict=True)]
    rest = [visit.part * float(tree.responses[visit.node, 0]) for visit in path.leaves if visit not in path.shown]
    if rest:
        terms.append(number(sum(rest)))
    title = "The leaf" if len(path.leaves) == 1 else f"The {len(path.leaves)} leaves: Σ part × mean"
    end = Section(title, (Step("answer", "", " + ".join(terms), number(mean)),), lines)
    return Workings(
        "Regression tree: the questions on this row's way down, and the mean where it ends",
        (*split_sections(model, row, path.splits), end),
        (("answer", mean),),
        tuple(_edit_notes(model, path)),
    )


def _leaf_section(model: TreeModel, path: _Path, labels: Sequence[str], probabilities: Floats) -> Section:
    """Return the class shares of the one leaf, or the sum over all leaves."""
    written = [k for k in range(len(labels)) if len(labels) <= CLASSES or probabilities[k] > 0]
    if len(path.leaves) == 1:
        (only,) = path.leaves
        steps = tuple(
            Step(
                f"P({labels[k]} | row)",
                "",
                _leaf_share(model, only.node, k),
                number(float(probabilities[k])),
                _source_of_share(model, only.node, k),
            )
            for k in written
        )
        return Section(f"The leaf, node {only.node}: {node_rows(model.tree, model.schema, only.node)}", steps)
    parts = path.parts(model)
    rows = tuple(
        (str(visit.node), part, number(visit.part), node_rows(model.tree, model.schema, visit.node))
        for visit, part in zip(path.shown, parts, strict=True)
    )
    table = Grid("", ("node", "part of the row", "=", "holds"), rows)
    steps = tuple(
        Step(f"P({labels[k]} | row)", "", _sum_text(model, path, parts, k), number(float(probabilities[k])))
        for k in written
    )
    more = f", the heaviest {len(path.shown)} of them" if len(path.leaves) > len(path.shown) else ""
    return Section(f"The {len(path.leaves)} leaves{more}: Σ part × share", steps, tables=(table,))


def _sum_text(model: TreeModel, path: _Path, parts: Sequence[str], k: int) -> str:
    """Write 0.2857 × 4/4 + 5/14 × 2/5 + …: without leaves that lack the class; leaves not shown are one number."""
    leaf, written = model.leaf_probabilities, {visit.node for visit in path.shown}
    terms = [
        f"{part if ' × ' not in part else number(visit.part)} × {_leaf_share(model, visit.node, k)}"
        for visit, part in zip(path.shown, parts, strict=True)
        if leaf[visit.node, k] > 0
    ]
    if len(path.leaves) > len(path.shown):
        others = sum(visit.part * float(leaf[visit.node, k]) for visit in path.leaves if visit.node not in written)
        terms.append(number(round(others, 12)))
    return " + ".join(terms) or "0"


def _source_of_share(model: TreeModel, node: int, k: int) -> str:
    """Write 2 of the 5 rows in node 3."""
    at = _counted_at(model, node)
    counts = model.tree.counts[at]
    return f"{number(float(counts[k]))} of the {number(float(counts.sum()))} rows in node {at}"


def _counted_at(model: TreeModel, node: int) -> int:
    """Return the node whose counts a leaf has: itself, or the node above if it has no rows."""
    is_empty = model.tree.counts[node].sum() < NOTHING and node > 0
    return model.tree.parent_of(node) if is_empty else node


def _leaf_share(model: TreeModel, node: int, k: int) -> str:
    """Write 3/5, or (3 + 1)/(5 + 2) with Laplace's correction."""
    counts = model.tree.counts[_counted_at(model, node)]
    if model.laplace:
        return f"({number(float(counts[k]))} + 1)/({number(float(counts.sum()))} + {len(counts)})"
    return fraction(float(counts[k]), float(counts.sum()))


def _notes(model: TreeModel, path: _Path) -> list[str]:
    tree, notes = model.tree, []
    empty = [str(visit.node) for visit in path.leaves if tree.counts[visit.node].sum() < NOTHING and visit.node > 0]
    if empty:
        notes.append(f"no training row came to node {', '.join(empty[:12])}: it answers as the node above it")
    nodes = [visit.node for visit in path.splits]
    if not is_whole(tree.counts[[*nodes, *(child for node in nodes for child in tree.children(node))]]):
        notes.append(
            "counts are weights: a training row whose value is missing counts in part in every branch; the split was "
            "chosen by the rows whose value is known: node(…).alternatives(table)"
        )
    numeric = [model.schema.features[tree.feature[node]].kind is Kind.NUMERIC for node in nodes]
    if model.search.has_correction and np.any(numeric):
        notes.append("to choose, log2(number of cuts)/rows is taken off a numeric gain: node(…).alternatives(table)")
    return [*notes, *_edit_notes(model, path)]


def _edit_notes(model: TreeModel, path: _Path) -> list[str]:
    """Return what was changed by hand on the way of the row."""
    visited = {visit.node for visit in path.visits}
    edited = edited_nodes(model.tree, model.edits)
    return [f"edited by hand: {edit}" for node, edit in edited.items() if node in visited]
