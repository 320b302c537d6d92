"""Machines in words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.render.format_numbers import count
from crake.render.grid import Grid
from crake.render.plain_text import shown, visible
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.svm.learner import SVMClassifier

MOST = 20
"""Terms of a plane, and pairs of classes, that are written out."""


def model_text(model: SVMClassifier) -> str:
    """Return kernel and units; margin width and support vectors of each pair; the planes' largest terms."""
    if model.machines_ is None:
        return f"SVM: training had one class only, {visible(model.classes_[model.present_[0]])}"
    lines = [f"SVM, {kernel_text(model)}, {margin_text(model)}", f"  {units_text(model)}", ""]
    lines += str(_margins(model)).splitlines()
    if model.machines_.w is not None and len(model.machines_.pairs) == 1:
        lines += ["", *str(_plane(model)).splitlines()]
    if not model.converged_:
        lines += ["", f"not converged in {model.max_iter} steps"]
    return "\n".join(lines)


def kernel_text(model: SVMClassifier) -> str:
    """Return the kernel with its numbers."""
    kernel = model.kernel_
    gamma, r = number(kernel.gamma), f"{'−' if kernel.coef0 < 0 else '+'} {number(abs(kernel.coef0))}"
    formulas = {
        "linear": "linear kernel x·z",
        "poly": f"polynomial kernel ({gamma}·x·z {r})^{kernel.degree}",
        "rbf": f"RBF kernel exp(−{gamma}·‖x − z‖²)",
        "sigmoid": f"sigmoid kernel tanh({gamma}·x·z {r})",
        "precomputed": "precomputed kernel, each column the inner product with a training row",
    }
    return "kernel given as a function" if callable(kernel.name) else formulas[kernel.name]


def margin_text(model: SVMClassifier) -> str:
    """Hard, or soft with its price."""
    return "hard margin" if model.margin == "hard" else f"soft margin, C = {number(float(model.C))}"


def units_text(model: SVMClassifier) -> str:
    """Return the unit of the coordinates."""
    if model.kernel_.name == "precomputed":
        return "inner products as they are; widths are in their space"
    how = {True: "standardised", "range": "scaled to 0 … 1", False: "as they are"}[model.scale]
    names = ", names as 0/1 coordinates" if model.schema_.nominal else ""
    return f"numbers {how}{names}; widths are in these units"


def width_text(width: float) -> str:
    """Return the width of a margin; where w has no length there is none, and every row gets b.

    >>> width_text(2.828427), width_text(0.0)
    ('2.828', 'none: w = 0')
    """
    return number(width) if width > 0 else "none: w = 0"


def _margins(model: SVMClassifier) -> Grid:
    machines = model.machines_
    assert machines is not None  # noqa: S101 (the caller asked)
    labels = [shown(label, 30) for label in model.classes_[model.present_]]
    rows = [
        (f"{labels[j]} against {labels[i]}", width_text(float(machines.width[at])), number(float(machines.b[at])))
        for at, (i, j) in enumerate(machines.pairs)
    ][:MOST]
    vectors = f"{count(int(machines.counts.sum()))} support vectors"
    return Grid(f"Margins ({vectors})", ("machine", "width 2/‖w‖", "b"), tuple(rows))


def _plane(model: SVMClassifier) -> Grid:
    machines = model.machines_
    assert machines is not None  # noqa: S101
    assert machines.w is not None  # noqa: S101
    w = machines.w[0]
    order = np.argsort(-np.abs(w), kind="stable")[:MOST]
    terms = model.features_.terms
    rows = tuple((shown(str(terms[at]), 50), number(float(w[at]))) for at in order)
    letter = "w" if model.kernel_.is_linear else "a"
    title = f"{letter}, the largest first" if len(w) <= MOST else f"{letter}, the {MOST} largest of {len(w)}"
    return Grid(title, ("term", "weight"), rows)
