"""Rows as trees read them, and the leaves that they reach: one each, or several in parts where values are missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.kernels.tree.surrogate_routing import leaves_by_surrogates
from crake.kernels.tree.traverse import mixed_leaves
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.tree import Floats, Ints, Longs, Tree
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


def reached_leaves(tree: Tree, cases: Cases, rows: Longs | None = None) -> Longs:
    """The leaf of each row (of these `rows` only) of a tree in which every row goes one way."""
    stand_ins, layout = tree.surrogates, cases.layout
    return leaves_by_surrogates(
        np.arange(len(cases)) if rows is None else rows, cases.values, cases.codes, layout.is_numeric, layout.place,
        tree.kind, tree.feature, tree.threshold, tree.value, tree.missing, tree.groups, tree.cuts, tree.first,
        tree.branches, stand_ins.edges(len(tree)), stand_ins.feature, stand_ins.threshold, stand_ins.value,
        stand_ins.turned,
    )  # fmt: skip


def mixed_answers(
    tree: Tree, cases: Cases, leaf: Floats, rows: Longs | None = None, share: Floats | None = None
) -> Floats:
    """leaf[node] of the leaf each row reaches; where values are missing, a mixture by `share`, the tree's shares."""
    layout = cases.layout
    return mixed_leaves(
        np.arange(len(cases)) if rows is None else rows, cases.values, cases.codes, layout.is_numeric, layout.place,
        tree.kind, tree.feature, tree.threshold, tree.value, tree.missing, tree.groups, tree.cuts, tree.first,
        tree.branches, shares(tree) if share is None else share, leaf,
    )  # fmt: skip


def leaves_of_training(tree: Tree, rows: Training) -> Longs:
    """The leaf of each row that is laid out for growing."""
    return reached_leaves(tree, Cases.of_training(rows))
