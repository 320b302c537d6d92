"""TAN as a picture and as text: the tree of its columns, and the tables of probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.learners.semi_naive.dependences import conditional_information
from crake.learners.semi_naive.text import class_grid, column_grid, heading
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.network import NetworkNode, NetworkPicture, network_drawing
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.semi_naive.tan.learner import TANClassifier

LONGEST = 24
"""Lines of a table of probabilities before the rest is only counted."""


def information(model: TANClassifier) -> list[float]:
    """Return, for each column of the tree, what it and its parent say of each other within the classes, in bits."""
    tree, nodes = model.tree_, model.node_counts_
    return [
        0.0 if p < 0 else conditional_information(nodes.pair(tree.used[p], j))
        for j, p in zip(tree.used, tree.parent.tolist(), strict=True)
    ]


def draw_tree(model: TANClassifier) -> Drawing:
    """Draw each column below its parent; the arcs from the class to all columns are left out."""
    tree, bits = model.tree_, information(model)
    names = [model.counts_.columns[j].name for j in tree.used]
    most = max(bits, default=0.0)
    nodes = tuple(
        NetworkNode(
            name,
            "" if p < 0 else f"{bits[i]:.3f} bits",
            () if p < 0 else (p,),
            f"{name}: {len(model.counts_.columns[tree.used[i]].levels)} values"
            + ("" if p < 0 else f", given {names[p]} and the class"),
            is_main=p < 0,
        )
        for i, (name, p) in enumerate(zip(names, tree.parent.tolist(), strict=True))
    )
    strength = {(p, i): bits[i] / most for i, p in enumerate(tree.parent.tolist()) if p >= 0 and most > 0}
    target = model.schema_.target or "the class"
    finding = "No column was counted."
    if names:
        finding = f"{names[int(np.flatnonzero(tree.parent < 0)[0])]} is the root of {len(names)} columns."
    if most > 0:
        child = int(np.argmax(bits))
        finding += f" The strongest link is {names[tree.parent[child]]} → {names[child]}: {number(bits[child])} bits."
    subtitle = f"{target} is a parent of every column too; bits: what a column and its parent say of each other"
    return network_drawing(NetworkPicture("TAN: the tree of dependences", subtitle, finding, nodes, strength))


def link_grid(model: TANClassifier) -> Grid:
    """Return each column with its parent, parents first."""
    tree, bits = model.tree_, information(model)
    names = [model.counts_.columns[j].name for j in tree.used]
    rows = tuple(
        (shown(names[i], 40), "(root)" if tree.parent[i] < 0 else shown(names[tree.parent[i]], 40), f"{bits[i]:.4f}")
        for i in tree.order
    )
    return Grid("dependences", ("column", "parent", "bits given the class"), rows)


def model_text(model: TANClassifier) -> str:
    """Return the classes, the columns and the tree."""
    return "\n\n".join([heading(model, "TAN"), *map(str, (class_grid(model), column_grid(model), link_grid(model)))])


def probability_grids(model: TANClassifier) -> tuple[Grid, ...]:
    """Return the table of each column: P(value given class and parent), one line for each class and parent's value."""
    return tuple(_probability_grid(model, i) for i in model.tree_.order)


def _probability_grid(model: TANClassifier, i: int) -> Grid:
    tree, columns = model.tree_, model.counts_.columns
    own, p = columns[tree.used[i]], int(tree.parent[i])
    given = None if p < 0 else columns[tree.used[p]]
    target = model.schema_.target or "class"
    rows = []
    for v in range(tree.logs[i].shape[1]):
        for k, label in enumerate(model.classes_):
            shares = (number(share) for share in np.exp(tree.logs[i][k, v]))
            parent = () if given is None else (shown(given.levels[v], 40),)
            rows.append((*parent, str(label), *shares))
    more = len(rows) - LONGEST
    header = (*(() if given is None else (given.name,)), target, *(shown(level, 30) for level in own.levels))
    if more > 0:
        rows = [*rows[:LONGEST], (f"… {more} more", *[""] * (len(header) - 1))]
    title = f"P({own.name} | {target}" + (")" if given is None else f", {given.name})")
    return Grid(title, header, tuple(rows))
