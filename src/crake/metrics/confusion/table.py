"""A confusion matrix as a table with totals and rates: first its cells, then text or HTML of them."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LONGEST_LABEL = 30

Cells = list[list[str]]


def cells(labels: Sequence[object], counts: NDArray[np.float64]) -> Cells:
    """One list of texts a line: header, a line for each actual class, totals, precision.

    >>> cells(["a", "b"], np.array([[3.0, 1.0], [0.0, 0.0]]))[1:3]
    [['a', '3', '1', '4', '75.00 %'], ['b', '0', '0', '0', '–']]
    """
    names = [printable(label) for label in labels]
    actual, predicted, right = counts.sum(axis=1), counts.sum(axis=0), np.diag(counts)
    header = ["actual \\ predicted", *names, "total", "recognised"]
    body = [
        [name, *map(count, line), count(total), share(hit, total)]
        for name, line, total, hit in zip(names, counts, actual, right, strict=True)
    ]
    totals = ["total", *map(count, predicted), count(counts.sum()), share(right.sum(), counts.sum())]
    precision = ["precision", *(share(hit, n) for hit, n in zip(right, predicted, strict=True)), "", ""]
    return [header, *body, totals, precision]


def as_text(table: Cells) -> str:
    """The first column left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(_text_line(line, widths) for line in table)


def as_html(table: Cells) -> str:
    """A table element; every cell is escaped, as class names are whatever stood in the file."""
    header, *body = [[html.escape(cell) for cell in line] for line in table]
    head = "".join(f'<th scope="col">{cell}</th>' for cell in header)
    lines = "\n".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for name, *rest in body
    )
    return (
        '<table class="crake-confusion">\n<caption>Confusion matrix: rows actual, columns predicted</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>"
    )


def printable(label: object) -> str:
    r"""A label on one line: control characters shown as escapes, long ones shortened.

    >>> printable("a\x1b[31m\n"), printable("x" * 40)
    ('a\\x1b[31m\\n', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx…')
    """
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(label))
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def count(value: float) -> str:
    """Whole numbers plain, sums of fractional weights with two decimals.

    >>> count(9560.0), count(2.5)
    ('9560', '2.50')
    """
    return f"{value:.0f}" if value == np.floor(value) else f"{value:.2f}"


def share(part: float, whole: float) -> str:
    """A percentage, or a dash where there is nothing to divide by."""
    return f"{part / whole:.2%}".replace("%", " %") if whole > 0 else "–"


def _text_line(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (
        cell.rjust(width) if position else cell.ljust(width)
        for position, (cell, width) in enumerate(zip(line, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()
