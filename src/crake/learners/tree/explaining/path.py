"""The path of a row: the nodes it visits, and with what part of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.conditions import branch_of, decided_by
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.tree import Tree
from crake.table.schema import Schema
from crake.table.table import Table


@dataclass(frozen=True)
class Visit:
    """A node, the part of the row that came to it, the visit before (−1: none), and whether the row was divided there.

    `taken` is the branch that the whole part takes from here; −1 where it is divided or the node is a leaf. `by` is the
    feature that decided it: the node's own, or a surrogate's.
    """

    node: int
    part: float
    before: int
    is_divided: bool
    taken: int = -1
    by: int = -1


def path_of(tree: Tree, schema: Schema, row: Table) -> list[Visit]:
    """Return the visits of the row of a coded table, depth first, the first branch first: as the parts are summed."""
    part_of = shares(tree)

    def cells(feature: int) -> NDArray[Any]:
        return row.column(schema.features[feature].name)

    visits: list[Visit] = []
    waiting = [Visit(0, 1.0, -1, is_divided=False)]
    while waiting:
        visit = waiting.pop()
        node, here = visit.node, len(visits)
        if tree.kind[node] == LEAF:
            visits.append(visit)
            continue
        branch = int(branch_of(tree, schema, node, cells)[0])
        by = decided_by(tree, schema, node, cells)
        visits.append(Visit(node, visit.part, visit.before, visit.is_divided, branch, by))
        waiting.extend(_onward(tree, part_of, visit.part, node, branch, here))
    return visits


def _onward(tree: Tree, part_of: Floats, part: float, node: int, branch: int, here: int) -> list[Visit]:
    """Return the next visits of the part, the first branch last, so that it is popped first."""
    if branch >= 0:
        return [Visit(int(tree.first[node]) + branch, part, here, is_divided=False)]
    with_rows = [child for child in tree.children(node) if part_of[child] > 0]
    return [Visit(child, part * float(part_of[child]), here, is_divided=True) for child in reversed(with_rows)]
