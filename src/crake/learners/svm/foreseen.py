"""The time that a support vector machine is foreseen to take, from the size of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.learners.base.card import Shape
from crake.learners.base.foreseen import refuse_too_long, warn_of_long

if TYPE_CHECKING:
    from crake.learners.svm.learner import SVMClassifier

MOST_CELLS = 5_000_000
"""Rows × coordinates of the matrix that a comparison's machines learn from, ten times."""
LONG = 1e12
"""Multiplications from which a fit is announced to take long: some minutes."""
STEPS = 25
"""Steps of an interior-point method, usually."""
EACH_SECOND = 5e9
"""Multiplications in a second of one core, of points with 250 to 1,000 coordinates."""
OF_COORDINATE, OF_KERNEL = 2, 40
"""Multiplications that take as long as a coordinate of a kernel that is no plane, and as its function of their sum:
measured with 5,000 to 20,000 rows of 5 to 50 numbers under an RBF kernel."""
MACHINE, CELL = 8e-3, 1e-6
"""Seconds of a machine of few rows, and of a cell of its matrix: six fits of some twenty steps each."""


def wide_matrix(shape: Shape) -> str:
    """Return the reason against a matrix of very many cells; "" if it has fewer."""
    is_wide = shape.rows * shape.terms > MOST_CELLS
    return f"{shape.rows:,} rows × {shape.terms:,} columns and levels" if is_wide else ""


def seconds_of_fit(shape: Shape) -> float:
    """Return the processor seconds of a fit: each pair of K classes has a machine, and each row is in K − 1 of them.

    The constants were measured on one core with tables of 500 to 10,000 rows, 5 to 100 numbers and 2 to 20 classes.

    >>> round(seconds_of_fit(Shape(10_000, 2, 20)), 2), round(seconds_of_fit(Shape(10_000, 20, 40)), 1)
    (0.24, 9.7)
    """
    others = max(1, shape.classes - 1)
    return MACHINE * others * (others + 1) / 2 + CELL * shape.rows * others * (shape.terms + 3)


def foresee(model: SVMClassifier, rows: int, coordinates: int) -> None:
    """Warn if the machines will take minutes to find, by their number of multiplications; raise if far longer.

    K classes have K(K − 1)/2 machines of 2/K of the rows each. A plane takes rows × coordinates² in each step, LIBSVM
    rows² × coordinates, also for other kernels. Who names a solver insists: that is warned of only.
    """
    fits, K = 6 if model.probability == "platt" else 1, len(model.present_)
    steps, product = 2 * rows / K, float(OF_COORDINATE * coordinates + OF_KERNEL)
    if model.kernel == "linear":
        steps, product = min(STEPS * coordinates, steps), float(coordinates)
    work = fits * (K - 1) * rows * steps * product
    of = f"an SVM of {rows:,} rows × {coordinates:,} coordinates (numbers and levels)"
    if model.solver == "auto":
        quicker = "probability='votes', a sixth of the work; " if model.probability == "platt" else ""
        quicker += "solver='liblinear', a plane in time linear in the rows; " if model.kernel == "linear" else ""
        solver = "interior-point" if model.kernel == "linear" else "libsvm"
        option = f"crake train --set solver={solver}, crake compare --set svm.solver={solver}"
        insists = f"solver={solver!r}, which insists ({option})"
        refuse_too_long(work / EACH_SECOND, of, model.schema_, f"take {quicker}{insists}")
    if work > LONG:
        warn_of_long(of, model.schema_)
