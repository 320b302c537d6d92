"""A tree in numbers: its size, the rows in its leaves, and how much each attribute does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.criteria import entropy, gini
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.showing.text import size_text
from crake.learners.tree.tree import Tree
from crake.render.format_numbers import percent
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.render.short_repr import short_repr
from crake.render.workings import number
from crake.table.schema import Schema


@dataclass(frozen=True)
class Use:
    """An attribute in a tree: at how many nodes it is asked for, how near the root, and its share of all decrease."""

    name: str
    nodes: int
    first_depth: int
    importance: float


@dataclass(frozen=True)
class TreeDescription:
    """Size, rows per leaf and importances. `uses` lists the attributes asked for, the most important first."""

    nodes: int
    leaves: int
    depth: int
    rows: float
    empty_leaves: int
    rows_per_leaf: tuple[float, float, float]
    training_errors: float
    uses: tuple[Use, ...]
    unused: tuple[str, ...]
    measure: str

    __repr__ = short_repr

    def __str__(self) -> str:
        few, middle, many = self.rows_per_leaf
        empty = f"; {counted(self.empty_leaves, 'leaf', 'leaves')} without rows" if self.empty_leaves else ""
        lines = [
            f"{size_text(self.leaves, self.nodes)}, depth {self.depth}",
            f"rows in a leaf: {number(few)} to {number(many)}, median {number(middle)}{empty}",
            f"{self._errors()}, which is optimistic",
        ]
        if self.uses:
            lines.append(str(self.grid()))
        if self.unused:
            lines.append(f"not asked for: {', '.join(shown(name, 40) for name in self.unused[:20])}{self._more()}")
        return "\n".join(lines)

    def _errors(self) -> str:
        on = f"on the {number(self.rows)} training rows: "
        if self.measure == "squared error":
            return f"root of the mean squared error {on}{number((self.training_errors / self.rows) ** 0.5)}"
        return f"errors {on}{number(self.training_errors)} ({percent(self.training_errors / self.rows)})"

    def _more(self) -> str:
        return f" and {len(self.unused) - 20} more" if len(self.unused) > 20 else ""

    def grid(self) -> Grid:
        """The attributes asked for."""
        rows = tuple((shown(u.name, 40), f"{u.importance:.3f}", str(u.nodes), str(u.first_depth)) for u in self.uses)
        return Grid(f"Share of the decrease of {self.measure}", ("attribute", "share", "nodes", "first at depth"), rows)

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def describe_tree(tree: Tree, schema: Schema, criterion: str) -> TreeDescription:
    """Describe a tree by its counts."""
    leaf = tree.kind == LEAF
    weight = tree.weight[leaf]
    filled = weight[weight > 1e-6] if (weight > 1e-6).any() else weight
    importance, depth = importances(tree, len(schema.features), criterion), tree.depth
    features = [feature for feature in np.argsort(-importance, kind="stable") if (tree.feature == feature).any()]
    uses = [
        Use(
            schema.features[feature].name,
            int(np.sum(tree.feature == feature)),
            int(depth[tree.feature == feature].min()),
            float(importance[feature]),
        )
        for feature in features
    ]
    return TreeDescription(
        len(tree),
        int(leaf.sum()),
        int(depth.max()),
        float(tree.weight[0]),
        int(np.sum(weight <= 1e-6)),
        (float(filled.min()), float(np.median(filled)), float(filled.max())),
        _training_errors(tree),
        tuple(uses),
        tuple(column.name for j, column in enumerate(schema.features) if not (tree.feature == j).any()),
        {"gini": "Gini", "squared_error": "squared error"}.get(criterion, "entropy"),
    )


def _training_errors(tree: Tree) -> float:
    """The weight of the training rows that their leaf gets wrong; the squared error of a regression tree."""
    leaf = tree.kind == LEAF
    if len(tree.responses):
        return float(tree.responses[leaf, 1].sum())
    return float((tree.counts[leaf].sum(axis=1) - tree.counts[leaf].max(axis=1)).sum())


def importances(tree: Tree, features: int, criterion: str) -> Floats:
    """Each feature's share of Σ weight × decrease of impurity over the nodes that ask for it; 0 if it is not asked for.

    Breiman, Friedman, Olshen and Stone (1984).
    """
    if criterion == "squared_error":
        total = tree.responses[:, 1]
    else:
        total = tree.weight * (gini(tree.counts) if criterion == "gini" else entropy(tree.counts))
    after = np.zeros(len(tree))
    np.add.at(after, tree.parent[1:], total[1:])
    inner = tree.kind != LEAF
    decrease = np.maximum(total - after, 0.0)[inner]
    sums: Floats = np.bincount(tree.feature[inner], decrease, minlength=features).astype(np.float64)
    return sums / sums.sum() if sums.sum() > 0 else sums
