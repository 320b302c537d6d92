"""F of one class, and measures averaged over the classes, worked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from crake.metrics.confusion import measures as matrix_measures
from crake.metrics.confusion.table import printable
from crake.metrics.workings.interval import interval_section
from crake.metrics.workings.page import matrix_section, page, terms
from crake.metrics.workings.shares import SHARES, outcomes_section
from crake.render.grid import Grid
from crake.render.workings import Section, Step, Workings, fraction, number

if TYPE_CHECKING:
    from crake.metrics.confusion.averages import PerClass
    from crake.metrics.confusion.matrix import ConfusionMatrix
    from crake.table.schema import Label


def f_measure(matrix: ConfusionMatrix, label: Label, beta: float) -> Workings:
    """F_β = (β² + 1)·TP / ((β² + 1)·TP + β²·FN + FP): the harmonic mean of precision and recall for β = 1."""
    name, estimate = printable(label), matrix.f(label, beta)
    sections = [matrix_section(matrix), outcomes_section(matrix, label)]
    if estimate.value is not None:
        sections += [
            Section("Worked", _f_steps(matrix, label, beta, float(estimate.value))),
            interval_section(estimate),
        ]
    return page(f"{_f_name(beta)} of {name}", "precision and recall in one number", sections, estimate)


def _f_steps(matrix: ConfusionMatrix, label: Label, beta: float, value: float) -> tuple[Step, ...]:
    TP, FN, FP, _ = (number(n) for n in matrix.outcomes(label))
    shares = [
        Step(name, SHARES[name].formula, f"{TP}/({TP} + {other})", number(float(estimate.value)))
        for name, other, estimate in (("precision", FP, matrix.precision(label)), ("recall", FN, matrix.recall(label)))
        if estimate.value is not None
    ]
    if beta == 1:
        return (*shares, Step("F1", "2·TP / (2·TP + FN + FP)", f"2 × {TP} / (2 × {TP} + {FN} + {FP})", number(value)))
    b2 = number(beta**2)
    return (
        *shares,
        Step(
            _f_name(beta),
            "(β² + 1)·TP / ((β² + 1)·TP + β²·FN + FP)",
            f"({b2} + 1) × {TP} / (({b2} + 1) × {TP} + {b2} × {FN} + {FP})",
            number(value),
        ),
    )


def averaged(matrix: ConfusionMatrix, name: str, beta: float) -> Workings:
    """Σ rows of the class / n × the measure of the class, over the classes that have rows."""
    estimate = matrix.weighted(cast("PerClass", name), beta)
    title = _f_name(beta) if name == "f" else name
    about = "the mean over the classes, each weighted by its rows"
    if estimate.value is None:
        return page(title, about, [matrix_section(matrix)], estimate)
    formula: Any = {"f": lambda T: matrix_measures.f(T, beta), "mcc": matrix_measures.class_mcc}.get(name)
    values = (formula or getattr(matrix_measures, name))(matrix.counts)
    present = np.flatnonzero(matrix.actual_totals > 0)
    n = matrix.total
    rows = tuple(
        (printable(matrix.labels[c]), number(float(matrix.actual_totals[c])), _put_in(matrix, name, int(c), beta),
         number(float(values[c])))
        for c in present
    )  # fmt: skip
    table = Grid("", ("class", "rows", f"{_formula(name, beta)}", title), rows)
    written = [f"{fraction(float(matrix.actual_totals[c]), n)} × {number(float(values[c]))}" for c in present]
    step = Step(title, "Σ rows/n × that of the class", terms(written), number(float(estimate.value)))
    sections = [matrix_section(matrix), Section("By class", tables=(table,)), Section("Averaged", (step,))]
    return page(title, about, [*sections, interval_section(estimate)], estimate)


def _formula(name: str, beta: float) -> str:
    if name == "f":
        return "2·TP / (2·TP + FN + FP)" if beta == 1 else "(β² + 1)·TP / (…)"
    return SHARES[name].formula if name in SHARES else "TP, FN, FP, TN"


def _put_in(matrix: ConfusionMatrix, name: str, c: int, beta: float) -> str:
    outcomes = TP, FN, FP, TN = tuple(number(n) for n in matrix.outcomes(matrix.labels[c]))
    if name == "f" and beta == 1:
        return f"2·{TP} / (2·{TP} + {FN} + {FP})"
    written = {
        "precision": f"{TP}/({TP} + {FP})",
        "recall": f"{TP}/({TP} + {FN})",
        "specificity": f"{TN}/({TN} + {FP})",
    }
    return written.get(name, ", ".join(outcomes))


def _f_name(beta: float) -> str:
    return f"F{number(beta)}"
