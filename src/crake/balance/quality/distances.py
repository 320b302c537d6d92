"""Distances between real and made-up rows: one column at a time, two columns at a time, and whole rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Flags, Floats, Longs
from crake.balance.cells import Cells

SHOWN = 5
"""Names of a column, the most frequent ones, whose correlations are compared."""


def kolmogorov_smirnov(real: Floats, made: Floats) -> float:
    """Return the largest difference of two cumulative shares; a missing number comes before all others.

    >>> kolmogorov_smirnov(np.array([1.0, 2, 3, 4]), np.array([3.0, 4, 5, 6]))
    0.5
    >>> kolmogorov_smirnov(np.array([1.0, np.nan]), np.array([1.0, 1.0]))
    0.5
    """
    real, made = np.sort(_with_lowest(real)), np.sort(_with_lowest(made))
    every = np.concatenate([real, made])
    below = np.searchsorted(real, every, side="right") / len(real) - np.searchsorted(made, every, side="right") / len(
        made
    )
    return float(np.abs(below).max())


def total_variation(real: Codes, made: Codes) -> float:
    """Return ½ Σ |share in one − share in the other| over the names; missing is a name of its own.

    >>> total_variation(np.array([0, 0, 1, -1]), np.array([0, 1, 1, 1]))
    0.5
    """
    names = max(int(real.max(initial=-1)), int(made.max(initial=-1))) + 2
    one, two = (np.bincount(codes + 1, minlength=names) / len(codes) for codes in (real, made))
    return float(np.abs(one - two).sum() / 2)


def column_distances(real: Cells, made: Cells) -> Floats:
    """Return the Kolmogorov–Smirnov distance of each number, then the total variation of each name."""
    numbers = [kolmogorov_smirnov(real.values[:, j], made.values[:, j]) for j in range(real.values.shape[1])]
    names = [total_variation(real.codes[:, j], made.codes[:, j]) for j in range(real.codes.shape[1])]
    return np.array([*numbers, *names])


def correlation_differences(real: Cells, made: Cells) -> Floats:
    """Return, for each pair of columns, the largest difference of their correlations in real and made-up rows.

    Numbers are correlated by their ranks among all rows, names by 0 and 1 for each of their frequent levels. A missing
    number has the mean rank.
    """
    features, column = _features(real, made)
    split = len(real)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.abs(_correlations(features[:split]) - _correlations(features[split:]))
    columns = real.values.shape[1] + real.codes.shape[1]
    largest = np.zeros((columns, columns))
    np.maximum.at(largest, (column[:, None], column[None, :]), difference)
    np.fill_diagonal(largest, 0.0)
    return largest


def mean_difference(real: Cells, made: Cells) -> float:
    """Return the mean over all pairs of columns of the differences of correlations; 0 if there is one column."""
    differences = correlation_differences(real, made)
    pairs = differences[np.triu_indices(len(differences), 1)]
    return float(pairs.mean()) if len(pairs) else 0.0


def are_copies(real: Cells, made: Cells) -> Flags:
    """Return True for each made-up row that equals a real row in every cell."""
    known = {row.tobytes() for row in _packed(real)}
    return np.array([row.tobytes() in known for row in _packed(made)], bool)


def repeated_share(real: Cells) -> float:
    """Return the share of real rows that equal another real row in every cell."""
    count = np.unique(_packed(real), axis=0, return_counts=True)[1]
    return float(count[count > 1].sum() / len(real))


def _packed(cells: Cells) -> NDArray[np.uint8]:
    """Return each row as its bytes; all zeros are one zero, all missing numbers one missing number."""
    values = np.where(np.isnan(cells.values), np.nan, cells.values + 0.0)
    return np.hstack([np.ascontiguousarray(part).view(np.uint8) for part in (values, cells.codes) if part.shape[1]])


def _with_lowest(values: Floats) -> Floats:
    return np.where(np.isnan(values), -np.inf, values)


def _features(real: Cells, made: Cells) -> tuple[Floats, Longs]:
    """Return the features of all rows, real ones first, and the column that each comes from."""
    features, column = [], []
    for j in range(real.values.shape[1]):
        features.append(_ranks(np.concatenate([real.values[:, j], made.values[:, j]])))
        column.append(j)
    for j in range(real.codes.shape[1]):
        codes = np.concatenate([real.codes[:, j], made.codes[:, j]])
        for level in np.argsort(-np.bincount(real.codes[:, j] + 1), kind="stable")[:SHOWN]:
            features.append((codes + 1 == level).astype(np.float64))
            column.append(real.values.shape[1] + j)
    return np.column_stack(features), np.array(column, np.int64)


def _ranks(values: Floats) -> Floats:
    """Return ranks around 0, the mean of them for equal numbers, 0 for missing ones."""
    known = ~np.isnan(values)
    _, place, count = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks = np.zeros(len(values))
    if known.any():
        middle = np.cumsum(count) - (count + 1) / 2
        ranks[known] = middle[place] - (known.sum() - 1) / 2
    return ranks


def _correlations(features: Floats) -> Floats:
    """Return correlations; 0 with a feature that does not vary."""
    centred = features - features.mean(axis=0)
    length = np.sqrt(np.square(centred).sum(axis=0))
    unit = np.where(length > 0, centred / np.where(length > 0, length, 1.0), 0.0)
    return np.asarray(unit.T @ unit)
