"""Tables of probabilities of a tree, and the posteriors of rows, also of those with missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crake.arrays import Codes, Floats, Ints
from crake.kernels.bayes.posterior import normalise_rows
from crake.kernels.bayes.tree_posteriors import TreeLogs, tree_posteriors
from crake.learners.semi_naive.tan.structure import top_down
from crake.learners.semi_naive.tan.tables import NodeCounts, with_values

BLOCK = 2048
"""Rows with missing values that are summed over at a time."""


@dataclass(frozen=True, eq=False)
class DependenceTree:
    """The tables of a tree over the `used` columns.

    `parent[i]` is the place of a parent among `used`, −1 for the root. `logs[i]` holds log P(value given class, value
    of the parent), shape (classes, levels of the parent, levels); the root's has one level of a parent.
    """

    used: list[int]
    parent: Codes
    prior: Floats
    logs: tuple[Floats, ...]
    mode: Codes

    @classmethod
    def of(cls, counts: NodeCounts, parent: Codes, alpha: float) -> DependenceTree:
        """Return the smoothed tables: (n + α)/(Σ n + α·V); the class is a node like others."""
        used, of_class = with_values(counts.counts), counts.counts.class_count
        prior = (of_class + alpha) / (of_class.sum() + alpha * len(of_class))
        tables = [
            counts.alone(j)[:, None, :] if p < 0 else counts.pair(used[p], j)
            for j, p in zip(used, parent.tolist(), strict=True)
        ]
        return cls(used, parent, prior, _log_shares(tables, len(of_class), alpha), counts.mode[used])

    @cached_property
    def order(self) -> list[int]:
        """The columns, parents first."""
        return top_down(self.parent)

    def log_products(self, codes: Codes) -> Floats:
        """Return log P(class, row) by sums over the values that are missing; codes of the used columns."""
        parts = [self._summed(codes[start : start + BLOCK]) for start in range(0, len(codes), BLOCK)]
        return np.concatenate([np.zeros((0, len(self.prior))), *parts])

    def _summed(self, codes: Codes) -> Floats:
        """Go from the leaves up: each column tells its parent how probable all below it is, for each value there."""
        rows = len(codes)
        with np.errstate(divide="ignore"):
            total = np.tile(np.log(self.prior), (rows, 1))
        for k in range(len(self.prior)):
            below = [np.zeros((rows, table.shape[2])) for table in self.logs]
            for i in reversed(self.order):
                message = _message(self.logs[i][k], codes[:, i], below[i])
                if self.parent[i] < 0:
                    total[:, k] += message[:, 0]
                else:
                    below[self.parent[i]] += message
        return total

    def probabilities(self, codes: Codes) -> Floats:
        """Return P(class given row); codes of all columns."""
        return probabilities_by_fold([self], codes, np.zeros(len(codes), np.int32))


def probabilities_by_fold(trees: Sequence[DependenceTree], codes: Codes, fold: Ints) -> Floats:
    """Return P(class given row) of every row by the tree of its fold; NaN for rows of fold −1."""
    out, is_whole = tree_posteriors(codes, fold, _side_by_side(trees))
    if not is_whole.all():
        for f, tree in enumerate(trees):
            others = np.flatnonzero(~is_whole & (fold == f))
            own = codes[others][:, tree.used]
            logs = tree.log_products(np.where(own < 0, tree.mode, own).astype(np.int32))
            normalise_rows(logs, tree.prior)
            out[others] = logs
    return out


def _side_by_side(trees: Sequence[DependenceTree]) -> TreeLogs:
    """Return the tables of trees over the same columns as the kernel reads them."""
    classes = len(trees[0].prior)
    tables = [table.reshape(classes, -1) for tree in trees for table in tree.logs]
    ends = np.cumsum([0, *(table.shape[1] for table in tables)], dtype=np.int64)
    prior = np.stack([tree.prior for tree in trees])
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    return TreeLogs(
        used=np.array(trees[0].used, np.int64),
        levels=np.array([table.shape[2] for table in trees[0].logs], np.int64),
        parent=np.stack([tree.parent for tree in trees]).astype(np.int64),
        mode=np.stack([tree.mode for tree in trees]).astype(np.int64),
        offsets=ends[:-1].reshape(len(trees), -1),
        logs=np.ascontiguousarray(np.concatenate([np.zeros((classes, 0)), *tables], axis=1).T),
        prior=prior,
        log_prior=log_prior,
    )


def _log_shares(tables: list[Floats], classes: int, alpha: float) -> tuple[Floats, ...]:
    """Return log[(n + α) / (Σ n + α·V)] of tables (classes, values of the parent, values); all are taken at once.

    Where nothing was counted and α is 0, it is log(1/V).
    """
    if not tables:
        return ()
    counts = np.concatenate([table.reshape(classes, -1) for table in tables], axis=1)
    lines = np.repeat([table.shape[2] for table in tables], [table.shape[1] for table in tables])
    below = np.add.reduceat(counts, np.cumsum(lines) - lines, axis=1) + alpha * lines
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (counts + alpha) / np.repeat(below, lines, axis=1)
        if not np.all(below > 0):
            shares = np.where(np.repeat(below > 0, lines, axis=1), shares, np.repeat(1.0 / lines, lines))
        logs = np.log(shares)
    ends = np.cumsum([table[0].size for table in tables])
    return tuple(
        logs[:, end - table[0].size : end].reshape(table.shape)
        for table, end in zip(tables, ends.tolist(), strict=True)
    )


def _message(log_table: Floats, codes: Codes, below: Floats) -> Floats:
    """Return log Σ over the possible values of P(value given parent) · below, shape (rows, levels of the parent)."""
    message = np.empty((len(codes), len(log_table)))
    known = np.flatnonzero(codes >= 0)
    message[known] = log_table[:, codes[known]].T + below[known, codes[known]][:, None]
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        terms = log_table[None, :, :] + below[unknown][:, None, :]
        top = terms.max(axis=2, keepdims=True)
        top = np.where(np.isneginf(top), 0.0, top)
        with np.errstate(divide="ignore"):
            message[unknown] = np.log(np.exp(terms - top).sum(axis=2)) + top[:, :, 0]
    return message
