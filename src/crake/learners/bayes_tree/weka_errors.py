"""Errors of naive Bayes with WEKA's rounding, which decides ties where rows count in fractions.

The model learns all rows one after the other. For each fold a copy unlearns its rows one after the other: their weights
are taken away from sums that began with α. Probabilities are multiplied in the order of the columns.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Longs, Rows
from crake.learners.bayes_tree.errors import CountedRows

SMALLEST, RAISED = 1e-75, 1e75
"""The least factor of a product; products below it are multiplied by RAISED."""


def errors_by_unlearning(rows: CountedRows, folds: list[Rows], alpha: float) -> float:
    """Return the weight of the rows that the model gets wrong once it has unlearned their fold.

    The rows of the folds, one fold after the other, are the order in which they are learned.
    """
    learned = np.concatenate(folds)
    wrong = 0.0
    for fold in folds:
        order = np.concatenate([learned, fold])
        weights = rows.weights[order]
        weights[len(learned) :] *= -1.0
        probabilities = _products(rows, fold, *_shares(rows, order, weights, alpha))
        probabilities /= probabilities.cumsum(axis=1)[:, -1:]
        is_wrong = np.argmax(probabilities, axis=1) != rows.target[fold]
        # One after the other, from what was wrong so far.
        wrong = float(np.cumsum(np.concatenate([[wrong], rows.weights[fold][is_wrong]]))[-1])
    return wrong


def _shares(rows: CountedRows, order: Rows, weights: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the shares of classes and of cells by class. Sums in this order begin with α, those of classes with 1."""
    classes, columns, cells = rows.classes, len(rows.sizes), int(rows.sizes.sum())
    target = rows.target[order].astype(np.int64)
    row, column = np.nonzero(rows.codes[order] >= 0)
    cell = rows.offsets[column] + rows.codes[order][row, column]
    counts = _added(np.full((classes, cells), alpha), target[row] * cells + cell, weights[row])
    of_column = _added(np.tile(alpha * rows.sizes, (classes, 1)), target[row] * columns + column, weights[row])
    of_class = _added(np.ones(classes), target, weights)
    total = _added(np.array([float(classes)]), np.zeros(len(order), np.int64), weights)
    below = np.repeat(of_column, rows.sizes, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(below != 0, counts / below, 0.0)
    return of_class / total, np.ascontiguousarray(shares.T)


def _added(start: Floats, place: Longs, weights: Floats) -> Floats:
    """Return the sums that begin with `start` and add the weights one after the other.

    >>> _added(np.array([1.0, 1.0]), np.array([1, 1]), np.array([0.5, -0.25])).tolist()
    [1.0, 1.25]
    """
    at = np.concatenate([np.arange(start.size), place])
    sums = np.bincount(at, np.concatenate([start.ravel(), weights]), start.size)
    return sums.reshape(start.shape)


def _products(rows: CountedRows, fold: Rows, prior: Floats, table: Floats) -> Floats:
    """Return the products of each row, up to a number that its classes share."""
    products = np.tile(prior, (len(fold), 1))
    for codes, offset in zip(rows.codes[fold].T, rows.offsets[:-1], strict=True):
        known = np.flatnonzero(codes >= 0)
        products[known] *= np.maximum(table[offset + codes[known]], SMALLEST)
        top = products.max(axis=1)
        products[(top > 0) & (top < SMALLEST)] *= RAISED
    return products
