"""Rows as trees read them, and the leaves that they reach: one each, or several in parts where values are missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import readable
from crake.kernels.tree.arrays import RowArrays
from crake.kernels.tree.surrogate_routing import leaves_by_surrogates
from crake.kernels.tree.traverse import mixed_leaves
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.tree import Tree
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Cases:
    """The numbers (rows, numeric columns) and codes (rows, nominal columns) of rows whose class need not be known."""

    layout: Layout
    values: Floats
    codes: Ints

    @classmethod
    def of(cls, table: Table) -> Cases:
        """The rows of a table."""
        codes = table.matrix([column.name for column in table.schema.nominal], np.int32)
        values = table.matrix([column.name for column in table.schema.numeric], np.float64)
        return cls(Layout.of(table.schema), values, codes)

    @classmethod
    def of_training(cls, rows: Training) -> Cases:
        """Rows that were laid out for growing."""
        return cls(rows.layout, np.ascontiguousarray(rows.values), np.ascontiguousarray(rows.codes.T))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def cells(self) -> RowArrays:
        """The cells as kernels take them; codes lie row by row."""
        layout, codes = self.layout, readable(self.codes)
        return RowArrays(readable(self.values), codes.reshape(-1), codes.shape[1], 1, layout.is_numeric, layout.place)


def reached_leaves(tree: Tree, cases: Cases, rows: Longs | None = None) -> Longs:
    """The leaf of each row (of these `rows` only) of a tree in which every row goes one way."""
    rows = np.arange(len(cases)) if rows is None else rows
    return leaves_by_surrogates(tree.arrays, tree.surrogates.arrays(len(tree)), cases.cells, rows)


def mixed_predictions(
    tree: Tree, cases: Cases, leaf: Floats, rows: Longs | None = None, share: Floats | None = None
) -> Floats:
    """leaf[node] of the leaf each row reaches; where values are missing, a mixture by `share`, the tree's shares."""
    rows = np.arange(len(cases)) if rows is None else rows
    return mixed_leaves(tree.arrays, cases.cells, rows, shares(tree) if share is None else share, leaf)


def leaves_of_training(tree: Tree, rows: Training) -> Longs:
    """The leaf of each row that is laid out for growing."""
    return reached_leaves(tree, Cases.of_training(rows))
