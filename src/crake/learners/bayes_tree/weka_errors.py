"""Errors of naive Bayes with WEKA's rounding, which decides ties where rows count in fractions.

The model learns all rows one after the other. For each fold a copy unlearns its rows one after the other: their weights
are taken away from sums that began with α. Probabilities are multiplied in the order of the columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Longs, Rows
from crake.learners.bayes_tree.errors import CountedRows

SMALLEST, RAISED = 1e-75, 1e75
"""The least factor of a product; products below it are multiplied by RAISED."""


class Sums(NamedTuple):
    """Weights of cells and of columns by class, of the classes, and of all rows."""

    cells: Floats
    columns: Floats
    classes: Floats
    total: Floats


def errors_by_unlearning(rows: CountedRows, folds: list[Rows], alpha: float) -> float:
    """Return the weight of the rows that the model gets wrong once it has unlearned their fold.

    The rows of the folds, one fold after the other, are the order in which they are learned.
    """
    none = Sums(
        np.full((rows.classes, int(rows.sizes.sum())), alpha),
        np.tile(alpha * rows.sizes, (rows.classes, 1)),
        np.ones(rows.classes),
        np.array([float(rows.classes)]),
    )
    learned = np.concatenate(folds)
    whole = _with_rows(none, rows, learned, rows.weights[learned])
    wrong = 0.0
    for fold in folds:
        weights = rows.weights[fold]
        probabilities = _products(rows, fold, _with_rows(whole, rows, fold, -weights))
        probabilities /= probabilities.cumsum(axis=1)[:, -1:]
        is_wrong = np.argmax(probabilities, axis=1) != rows.target[fold]
        # One after the other, from what was wrong so far.
        wrong = float(np.cumsum(np.concatenate([[wrong], weights[is_wrong]]))[-1])
    return wrong


def _with_rows(sums: Sums, rows: CountedRows, order: Rows, weights: Floats) -> Sums:
    """Return the sums with these rows added in this order."""
    target, codes = rows.target[order].astype(np.int64), rows.codes[order]
    row, column = np.nonzero(codes >= 0)
    line = target[row]
    cell = line * sums.cells.shape[1] + rows.offsets[column] + codes[row, column]
    return Sums(
        _added(sums.cells, cell, weights[row]),
        _added(sums.columns, line * len(rows.sizes) + column, weights[row]),
        _added(sums.classes, target, weights),
        _added(sums.total, np.zeros(len(order), np.int64), weights),
    )


def _added(start: Floats, place: Longs, weights: Floats) -> Floats:
    """Return the sums that begin with `start` and add the weights one after the other.

    >>> _added(np.array([1.0, 1.0]), np.array([1, 1]), np.array([0.5, -0.25])).tolist()
    [1.0, 1.25]
    """
    at = np.concatenate([np.arange(start.size), place])
    sums = np.bincount(at, np.concatenate([start.ravel(), weights]), start.size)
    return np.asarray(sums, np.float64).reshape(start.shape)


def _products(rows: CountedRows, fold: Rows, sums: Sums) -> Floats:
    """Return the products of each row, up to a number that its classes share."""
    below = np.repeat(sums.columns, rows.sizes, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.where(below != 0, sums.cells / below, 0.0).T
    table = np.maximum(table, SMALLEST)
    products = np.tile(sums.classes / sums.total, (len(fold), 1))
    least = float(products.min())
    for codes, start, stop in zip(rows.codes[fold].T, rows.offsets[:-1], rows.offsets[1:], strict=True):
        known = np.flatnonzero(codes >= 0)
        products[known] *= table[start + codes[known]]
        least *= float(table[start:stop].min())
        if least < SMALLEST:
            top = products.max(axis=1)
            products[(top > 0) & (top < SMALLEST)] *= RAISED
    return products
