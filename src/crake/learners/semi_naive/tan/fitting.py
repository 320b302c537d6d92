"""Tables of probabilities of a tree, and the posteriors of rows, also of those with missing values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crake.arrays import Codes, Flags, Floats, Longs
from crake.kernels.bayes.posterior import NominalLogs, NormalLogs, posteriors
from crake.learners.semi_naive.counted import conditional
from crake.learners.semi_naive.plain_rows import divided_posteriors
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
        logs = []
        for j, p in zip(used, parent.tolist(), strict=True):
            table = counts.alone(j)[:, None, :] if p < 0 else counts.pair(used[p], j)
            with np.errstate(divide="ignore"):
                logs.append(np.log(conditional(table, alpha)))
        return cls(used, parent, prior, tuple(logs), counts.mode[used])

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
        codes = codes[:, self.used]
        codes = np.where(codes < 0, self.mode, codes).astype(np.int32)
        is_whole: Flags = np.asarray((codes >= 0).all(axis=1))
        return divided_posteriors(codes, is_whole, self._of_whole_rows, self.log_products, self.prior)

    def _of_whole_rows(self, codes: Codes) -> Floats:
        """Look up a column and its parent as one value: then the sum over the columns is that of naive Bayes."""
        joint = codes.copy()
        for i, p in enumerate(self.parent.tolist()):
            if p >= 0:
                joint[:, i] += codes[:, p] * np.int32(self.logs[i].shape[2])
        offsets, flat = self._flat
        classes = len(self.prior)
        none = np.zeros((0, classes))
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.prior)
        nominal, normal = NominalLogs(offsets, flat), NormalLogs(np.zeros(0), none, none, none, none, 0.0)
        rows, no_values = np.arange(len(codes)), np.zeros((len(codes), 0))
        return posteriors(rows, joint, no_values, self.prior, log_prior, nominal, normal)

    @cached_property
    def _flat(self) -> tuple[Longs, Floats]:
        """Return the first line of each column in one table (all cells, classes)."""
        classes = len(self.prior)
        tables = [table.reshape(classes, -1).T for table in self.logs]
        offsets = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.int64)
        return offsets, np.ascontiguousarray(np.concatenate([np.zeros((0, classes)), *tables]))


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
