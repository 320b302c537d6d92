"""A worked calculation as LaTeX: aligned equations, tables, every name and cell escaped; amsmath is all it needs.

Latin letters are set by pdflatex; Greek, Cyrillic, Hebrew, Chinese … names need xelatex or lualatex and a font that
has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crake.render.grid import Grid
from crake.render.plain_text import shown, visible
from crake.render.workings.formula_latex import WIDEST, broken, mathematics, text_of
from crake.render.workings.numbers import number

if TYPE_CHECKING:
    from crake.render.workings.structure import Section, Step, Workings

LINE = 80
"""Characters of a line with small print at its right."""
LONG_CELL, LONGEST_CELL = 34, 120
"""Characters from which a cell is broken into lines, and at most; TeX cannot set lines of any width."""
_NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_LONG_WORD = re.compile(r"(\S{20})(?=\S{4})")
MOST_ROWS = 40
"""Rows of a table, which has to fit on a page."""


def as_latex(workings: Workings) -> str:
    """Return a part of a document: a subsection, a paragraph a section, steps as aligned equations."""
    parts = [rf"\subsection*{{{_text(workings.title)}}}", *(_section(section) for section in workings.sections)]
    if workings.answer:
        rows = tuple((label, number(value)) for label, value in workings.answer)
        parts.append(_paragraph("Answer") + "\n" + table_latex(Grid("", ("", "value"), rows)))
    parts += [rf"\paragraph{{Note}} {_text(note)}" for note in workings.notes]
    return "\n\n".join(parts) + "\n"


def table_latex(table: Grid) -> str:
    """Return a tabular; its title, where it has one, in bold above. Wide ones are set small, long
    cells in paragraphs.
    """
    table = _on_a_page(table)
    title = [rf"\textbf{{{_text(table.title)}}}\par"] if table.title else []
    cells = [[shown(cell, LONGEST_CELL) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    head, *rows = (" & ".join(map(_cell, row)) + r" \\" for row in cells)
    columns = "".join(_column(at, width) for at, width in enumerate(widths))
    lines = [rf"\noindent\begin{{tabular}}{{{columns}}}", rf"{head} \hline", *rows, r"\end{tabular}\par"]
    total = sum(min(width, LONG_CELL) + 2 for width in widths)
    if total > WIDEST:
        size = r"\small" if total <= 1.2 * WIDEST else r"\scriptsize\setlength{\tabcolsep}{3pt}"
        lines = [rf"{{{size}", *lines, "}"]
    return "\n".join([*title, *lines])


def _on_a_page(table: Grid) -> Grid:
    """Return a tabular is not broken between pages: of very many rows the first and the last, the others counted."""
    if len(table.rows) <= MOST_ROWS:
        return table
    between = (f"… {len(table.rows) - MOST_ROWS} more rows …", *[""] * (len(table.header) - 1))
    return replace(table, rows=(*table.rows[: MOST_ROWS - 1], between, table.rows[-1]))


def _column(at: int, width: int) -> str:
    return r"p{.34\textwidth}" if width > LONG_CELL else "r" if at else "l"


def _cell(cell: str) -> str:
    """Return numbers with their sign and power of ten; text guarded where it begins like the end of
    a line may go on.
    """
    if _NUMBER.fullmatch(cell):
        return f"${mathematics(cell.replace('-', '−', 1) if cell[0] == '-' else cell)}$"
    return f"{{}}{_text(cell)}" if cell[:1] in ("[", "*") else _text(cell)


def _section(section: Section) -> str:
    parts = [_paragraph(section.heading), *(table_latex(table) for table in section.tables)]
    parts += [rf"{_text(line)}\par" for line in section.lines]
    if section.steps:
        layout = _Layout.of(section.steps)
        rows = [row for step in section.steps for row in _rows(step, layout)]
        parts.append("\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}")
    return "\n".join(parts)


@dataclass(frozen=True)
class _Layout:
    """The layout that the steps of a section share: places of the statements and of their sources.

    Long statements stand in lines of their own: else all equal signs would begin in the middle of the page.
    """

    statement_above: bool
    source_beside: bool

    @classmethod
    def of(cls, steps: Sequence[Step]) -> _Layout:
        broken_ones = [step for step in steps if len(str(step)) > WIDEST]
        longest = max(min(WIDEST, len(str(step))) for step in steps)
        beside = longest + max(len(step.source) for step in steps) <= LINE
        return cls(any(len(step.parts[0]) > WIDEST // 2 for step in broken_ones), beside)


def _rows(step: Step, layout: _Layout) -> list[str]:
    """Return one line where it fits, else one for each part, long sums broken; what it was read from at its end or
    below.
    """
    statement, *others = (visible(part) for part in step.parts)
    rows = _equation(shown(statement, LONGEST_CELL), others, layout)
    if not step.source:
        return [row for row, _ in rows]
    source = _text(shown(step.source, 4 * LONGEST_CELL))
    *above, (last, length) = rows
    if layout.source_beside or length + len(step.source) <= WIDEST - 10:
        sign = "&&" if layout.source_beside else r"\qquad"
        return [*(row for row, _ in above), rf"{last} {sign} \text{{\small {source}}}"]
    return [*(row for row, _ in rows), rf"&\quad \parbox{{.65\textwidth}}{{\raggedright\small {source}}}"]


def _equation(statement: str, others: Sequence[str], layout: _Layout) -> list[tuple[str, int]]:
    """Return the lines, each with about as many characters as it takes."""
    left = rf"\text{{{text_of(statement)}}}"
    if not others:
        return [(rf"&{_wrapped(statement)}", len(statement))]
    length = len(statement) + sum(len(part) + 3 for part in others)
    if length <= WIDEST and not layout.statement_above:
        return [(f"{left} &= {' = '.join(map(mathematics, others))}", length)]
    rows = []
    for part in [" = ".join(others)] if length <= WIDEST else others:
        first, *more = (shown(line, 2 * WIDEST) for line in broken(part))
        rows.append((f"&= {' = '.join(map(mathematics, first.split(' = ')))}", len(first)))
        rows += [(rf"&\quad {mathematics(line)}", len(line)) for line in more]
    if layout.statement_above:
        return [(rf"&{_wrapped(statement)}", len(statement)), *rows]
    return [(f"{left} {rows[0][0]}", len(statement) + rows[0][1]), *rows[1:]]


def _wrapped(statement: str) -> str:
    if len(statement) <= WIDEST:
        return rf"\text{{{text_of(statement)}}}"
    return rf"\parbox{{.85\textwidth}}{{\raggedright {text_of(statement)}}}"


def _paragraph(heading: str) -> str:
    return rf"\paragraph{{{_text(heading)}}}\mbox{{}}\par"


def _text(plain: str) -> str:
    """Return text that LaTeX prints as it is; words without end may be broken, which no engine would do by itself."""
    return r"\allowbreak{}".join(map(text_of, _LONG_WORD.sub(r"\1\n", visible(plain)).split("\n")))
