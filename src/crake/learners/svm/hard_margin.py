"""The hard margin: no row inside it. A linear program tells beforehand whether there is one.

min ½‖w‖² subject to y_i·(w·x_i + b) ≥ 1 for all i has a solution if and only if the linear program of its constraints
has one.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from crake.arrays import Floats, Longs
from crake.errors import DataError
from crake.learners.svm.machines import Machines
from crake.slow_modules import optimize

C = 1e10
"""The cost of a row inside the margin."""
TOLERANCE = 1e-6


def refuse_inseparable(points: Floats, y: Longs, labels: list[str], numbers: Longs) -> None:
    """Raise, for a linear kernel, if no plane separates two classes, and name the rows in the way by `numbers`."""
    for i, j in combinations(range(len(labels)), 2):
        rows = np.flatnonzero((y == i) | (y == j))
        sign = np.where(y[rows] == j, 1.0, -1.0)
        slack = _slack(points[rows], sign)
        if slack is not None and slack.max() > 1e-7:
            raise _infeasible(labels[i], labels[j], numbers[rows[slack > 1e-7]], "no plane")


def _slack(points: Floats, sign: Floats) -> Floats | None:
    """Return the least total by which y·(w·x + b) ≥ 1 must be relaxed, row by row; None if the program cannot tell."""
    n, d = points.shape
    constraints = np.hstack([-sign[:, None] * points, -sign[:, None], -np.eye(n)]) if n <= 2000 else None
    if constraints is None:
        from scipy.sparse import csr_array, hstack, identity  # noqa: PLC0415

        constraints = hstack([csr_array(-sign[:, None] * points), csr_array(-sign[:, None]), -identity(n)]).tocsr()
    cost = np.concatenate([np.zeros(d + 1), np.ones(n)])
    free = [(None, None)] * (d + 1) + [(0, None)] * n
    result = optimize.linprog(cost, A_ub=constraints, b_ub=-np.ones(n), bounds=free, method="highs")
    return result.x[d + 1 :] if result.status == 0 else None


def refuse_violated(machines: Machines, decisions: Floats, y: Longs, labels: list[str], numbers: Longs) -> None:
    """Raise, for any kernel, if a row lies inside the margin."""
    for at, (i, j) in enumerate(machines.pairs):
        rows = np.flatnonzero((y == i) | (y == j))
        margin = np.where(y[rows] == j, 1.0, -1.0) * decisions[rows, at]
        inside = margin < 1 - 1e-2
        if inside.any():
            raise _infeasible(labels[i], labels[j], numbers[rows[inside]], "no margin under this kernel")


def _infeasible(one: str, other: str, rows: Longs, what: str) -> DataError:
    listed = ", ".join(map(str, rows[:5].tolist())) + (" …" if len(rows) > 5 else "")
    return DataError(
        f"margin='hard' asks for a margin without rows in it, and {what} separates {one} from {other}: at least "
        f"{len(rows)} rows are in the way (training rows {listed}); take margin='soft', or another kernel"
    )
