"""Measures of a confusion matrix, worked: which counts go into which formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.errors import CrakeError
from crake.metrics.workings import agreement, classes, shares
from crake.render.workings import Workings

if TYPE_CHECKING:
    from crake.metrics.confusion.matrix import ConfusionMatrix
    from crake.table.schema import Label

WHOLE = ("accuracy", "error", "balanced_accuracy", "g_mean", "kappa", "mcc")
OF_A_CLASS = ("precision", "recall", "specificity", "prevalence", "f", "mcc")
OTHER_NAMES = {"sensitivity": "recall", "f1": "f", "error_rate": "error"}


def explain_matrix(matrix: ConfusionMatrix, measure: str, label: Label | None = None, beta: float = 1) -> Workings:
    """A measure of all classes, of one (`label`), or of one averaged over the classes by their rows."""
    name = OTHER_NAMES.get(measure, measure)
    if label is not None:
        matrix.code(label)  # refuses a class that is not there
    if name in WHOLE and label is None:
        if name in ("accuracy", "error"):
            return shares.of_all(matrix, name)
        return agreement.explain(matrix, name)
    if name not in OF_A_CLASS or (name == "prevalence" and label is None):
        raise CrakeError(
            f"measure {measure!r}{'' if label is None else f' of class {label!r}'}; expected one of "
            f"{', '.join(WHOLE)}; of a class one of {', '.join(OF_A_CLASS)}"
        )
    if label is None:
        return classes.averaged(matrix, name, beta)
    if name == "f":
        return classes.f_measure(matrix, label, beta)
    return agreement.of_a_class(matrix, label) if name == "mcc" else shares.of_class(matrix, name, label)
