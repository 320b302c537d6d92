"""The frame of a measure's hand calculation: a title, the counts, the answer or the reason for none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crake.metrics.confusion.table import count, printable
from crake.metrics.estimate import Estimate
from crake.render.grid import Grid
from crake.render.sentences import capital
from crake.render.workings import Section, Workings

if TYPE_CHECKING:
    from crake.metrics.confusion.matrix import ConfusionMatrix

TERMS = 8
"""Terms of a sum that are written out; of longer ones the first are, and the rest is counted."""
CLASSES = 12
"""Classes of a matrix that are shown whole; of more, only the totals."""


def page(name: str, about: str, sections: Sequence[Section], estimate: Estimate) -> Workings:
    """The workings of a measure: `name` is its label, `about` what it says."""
    title = f"{capital(name)}: {about}"
    if estimate.value is None:
        return Workings(title, tuple(sections[:1]), (), (f"{name} is undefined: {estimate.reason}",))
    return Workings(title, tuple(sections), ((name, estimate.value),))


def terms(written: Sequence[str], sign: str = " + ") -> str:
    """The terms with signs between them, shortened.

    >>> terms(["1/2", "3/4"]), terms(["1"] * 20)
    ('1/2 + 3/4', '1 + 1 + 1 + 1 + 1 + 1 + 1 + … (12 more) + 1')
    """
    if len(written) <= TERMS:
        return sign.join(written)
    return sign.join([*written[: TERMS - 1], f"… ({len(written) - TERMS} more)", written[-1]])


def matrix_section(matrix: ConfusionMatrix) -> Section:
    """The counts that the measure is read from."""
    labels, counts = [printable(label) for label in matrix.labels], matrix.counts
    if len(labels) > CLASSES:
        rows = tuple(
            (label, count(a), count(p), count(counts[c, c]))
            for c, (label, a, p) in enumerate(zip(labels, matrix.actual_totals, matrix.predicted_totals, strict=True))
        )
        return Section("Counts", tables=(Grid("", ("class", "rows", "called", "right"), rows),))
    body = [
        (label, *map(count, line), count(total))
        for label, line, total in zip(labels, counts, matrix.actual_totals, strict=True)
    ]
    totals = ("total", *map(count, matrix.predicted_totals), count(matrix.total))
    return Section("Counts", tables=(Grid("", ("actual \\ called", *labels, "total"), (*body, totals)),))
