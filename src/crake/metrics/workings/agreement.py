"""Measures of the whole matrix, worked: kappa, Matthews' correlation, balanced accuracy, the geometric mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.metrics.confusion.table import printable
from crake.metrics.workings.interval import interval_section
from crake.metrics.workings.page import matrix_section, page, terms
from crake.metrics.workings.shares import outcomes_section
from crake.render.workings import Section, Step, Workings, fraction, number

if TYPE_CHECKING:
    from crake.metrics.confusion.matrix import ConfusionMatrix
    from crake.table.schema import Label

ABOUT = {
    "balanced_accuracy": "the mean recall of the classes",
    "g_mean": "the geometric mean of the recalls",
    "kappa": "agreement beyond chance",
    "mcc": "the correlation of answers and classes",
}


def explain(matrix: ConfusionMatrix, name: str) -> Workings:
    """The counts, the steps, the interval."""
    estimate = getattr(matrix, name)
    title = "MCC" if name == "mcc" else name.replace("_", " ")
    if estimate.value is None:
        return page(title, ABOUT[name], [matrix_section(matrix)], estimate)
    steps = {"balanced_accuracy": _recalls, "g_mean": _recalls, "kappa": _kappa, "mcc": _correlation}[name]
    section = Section("Worked", steps(matrix, name, float(estimate.value)))
    return page(title, ABOUT[name], [matrix_section(matrix), section, interval_section(estimate)], estimate)


def of_a_class(matrix: ConfusionMatrix, label: Label) -> Workings:
    """Matthews' correlation of one class against all others."""
    two = matrix.against_rest(label)
    estimate = two.mcc
    sections = [matrix_section(matrix), outcomes_section(matrix, label)]
    if estimate.value is not None:
        sections += [Section("Worked", (_two_classes(two, float(estimate.value)),)), interval_section(estimate)]
    return page(f"MCC of {printable(label)}", ABOUT["mcc"], sections, estimate)


def _recalls(matrix: ConfusionMatrix, name: str, value: float) -> tuple[Step, ...]:
    """The recall of each class that has rows, and their mean of one kind or the other."""
    present = np.flatnonzero(matrix.actual_totals > 0)
    right, rows = matrix.counts.diagonal()[present], matrix.actual_totals[present]
    recalls = [
        Step(
            f"recall({printable(matrix.labels[c])})",
            "right / rows",
            fraction(float(n), float(a)),
            number(float(n / a)),
            f"{number(float(n))} of {number(float(a))} rows were called so",
        )
        for c, n, a in zip(present, right, rows, strict=True)
    ]
    K = len(recalls)
    written = [number(float(n / a)) for n, a in zip(right, rows, strict=True)]
    if name == "g_mean":
        root = "√" if K == 2 else f"{K}th root of "
        product = terms(written, " × ")
        total = Step("g mean", f"{root}(the product of the recalls)", f"{root}({product})", number(value))
    else:
        total = Step("balanced accuracy", "Σ recalls / classes", f"({terms(written)})/{K}", number(value))
    return (*recalls, total)


def _kappa(matrix: ConfusionMatrix, name: str, value: float) -> tuple[Step, ...]:
    """(p_o − p_e) / (1 − p_e)."""
    del name
    n, right = matrix.total, float(matrix.counts.trace())
    a, p = matrix.actual_totals, matrix.predicted_totals
    chance = float((a * p).sum()) / (n * n)
    products = terms([f"{number(float(x))} × {number(float(y))}" for x, y in zip(a, p, strict=True)])
    return (
        Step("p_o", "right / n", fraction(right, n), number(right / n), "the diagonal: how often they agree"),
        Step(
            "p_e",
            "Σ (rows of the class × rows called it) / n²",
            f"({products}) / {number(n)}²",
            number(chance),
            "how often they would by chance",
        ),
        Step(
            "kappa",
            "(p_o − p_e) / (1 − p_e)",
            f"({number(right / n)} − {number(chance)}) / (1 − {number(chance)})",
            number(value),
        ),
    )


def _correlation(matrix: ConfusionMatrix, name: str, value: float) -> tuple[Step, ...]:
    del name
    if len(matrix.labels) == 2:
        return (*outcomes_section(matrix, matrix.labels[0]).steps, _two_classes(matrix, value))
    n, right = matrix.total, float(matrix.counts.trace())
    a, p = matrix.actual_totals, matrix.predicted_totals
    both, called, actual = float((a * p).sum()), float((p * p).sum()), float((a * a).sum())
    products = terms([f"{number(float(x))} × {number(float(y))}" for x, y in zip(a, p, strict=True)])
    return (
        Step("Σ a·p", "rows of each class × rows called it", products, number(both)),
        Step("Σ p²", "", terms([f"{number(float(x))}²" for x in p]), number(called)),
        Step("Σ a²", "", terms([f"{number(float(x))}²" for x in a]), number(actual)),
        Step(
            "MCC",
            "(n·right − Σ a·p) / (√(n² − Σ p²) × √(n² − Σ a²))",
            f"({number(n)} × {number(right)} − {number(both)}) / (√({number(n)}² − {number(called)}) × "
            f"√({number(n)}² − {number(actual)}))",
            number(value),
            "Gorodkin's R_K",
        ),
    )


def _two_classes(matrix: ConfusionMatrix, value: float) -> Step:
    """(TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)); the same for either class."""
    TP, FN, FP, TN = matrix.outcomes(matrix.labels[0])
    sums = [TP + FP, TP + FN, TN + FP, TN + FN]
    root = " × ".join(f"√({number(each)})" for each in sums)
    return Step(
        "MCC",
        "(TP·TN − FP·FN) / √((TP + FP)·(TP + FN)·(TN + FP)·(TN + FN))",
        f"({number(TP)} × {number(TN)} − {number(FP)} × {number(FN)}) / ({root})",
        number(value),
    )
