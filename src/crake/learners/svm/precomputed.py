"""A kernel given as numbers: row i of the table holds K(row i, training row j) in column j.

f(x) = Σ_s a_s·K(s, x) + b is then a plane over the columns: a_s at the column of the training row s, 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from crake.arrays import Floats, Longs
from crake.errors import DataError
from crake.learners.encoding import design_of
from crake.learners.svm.features import Features, farthest
from crake.learners.svm.kernels import Kernel
from crake.learners.svm.machines import Machines
from crake.statistics import Statistics
from crake.table.table import Table

NAME = "precomputed"


def unscaled_features(statistics: Statistics) -> Features:
    """Return every column as it is; a gap has no place among inner products, and is refused."""
    design = design_of(statistics, missing="error", contrasts="all")
    nothing = np.zeros(design.numbers)
    none = np.zeros(design.numbers, np.int32)
    plain = replace(design, exponent=none, centre=nothing, rest=nothing, spread=np.ones(design.numbers))
    return Features(plain, nothing, farthest(scale=False))


def refuse_unless_square(table: Table, rows: int) -> None:
    """Raise unless the table has as many numeric columns as X had `rows`, and no gap."""
    if table.schema.nominal:
        raise DataError(
            f"kernel='precomputed' expects inner products in every column; {table.schema.nominal[0].name!r} holds names"
        )
    columns = len(table.schema.numeric)
    if columns != rows:
        raise DataError(
            "kernel='precomputed' expects the inner products of each training row with every one: as many columns as "
            f"rows; found {rows} rows and {columns} columns. Folds must divide both, as scikit-learn's cross_validate "
            "does; crake.evaluate needs the kernel as a function"
        )
    for column in table.schema.numeric:
        gaps = int(np.isnan(table.column(column.name)).sum())
        if gaps:
            raise DataError(
                f"kernel='precomputed' expects an inner product in every cell; {column.name!r} has {gaps} missing"
            )


def looked_up(products: Floats) -> Callable[[Floats, Floats], Floats]:
    """Return a kernel of points that are row numbers.

    >>> kernel = looked_up(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> kernel(np.array([[1.0]]), np.array([[0.0], [1.0]])).tolist()
    [[0.5, 1.0]]
    """
    return lambda x, z: products[np.ix_(x[:, 0].astype(np.intp), z[:, 0].astype(np.intp))]


def over_columns(machines: Machines, learned: Longs, columns: int) -> Machines:
    """Return the machines of points that are row numbers, as planes over the columns of the table."""
    w = np.zeros((len(machines.pairs), columns))
    for at, pair in enumerate(machines.pairs):
        places, a = machines.coefficients(*pair)
        w[at, learned[machines.vectors[places, 0].astype(np.intp)]] = a
    nothing = np.zeros((0, columns)), np.zeros((len(machines.counts) - 1, 0))
    return Machines(Kernel(NAME), machines.counts, *nothing, machines.b, w, machines.width)
