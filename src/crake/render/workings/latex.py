"""A worked calculation as LaTeX: aligned equations, tables, every name and cell escaped; amsmath is all it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings.figures import number
from crake.render.workings.mathematics import WIDEST, broken, mathematics, text_of

if TYPE_CHECKING:
    from crake.render.workings.structure import Section, Step, Workings


def as_latex(workings: Workings) -> str:
    """A part of a document: a subsection, a paragraph a section, steps as aligned equations."""
    parts = [rf"\subsection*{{{_text(workings.title)}}}", *(_section(section) for section in workings.sections)]
    if workings.answer:
        rows = tuple((label, number(value)) for label, value in workings.answer)
        parts.append(_paragraph("Answer") + "\n" + table_latex(Grid("", ("", "value"), rows)))
    parts += [rf"\paragraph{{Note}} {_text(note)}" for note in workings.notes]
    return "\n\n".join(parts) + "\n"


def table_latex(table: Grid) -> str:
    """A tabular; its title, where it has one, in bold above."""
    width = len(table.header)
    title = [rf"\textbf{{{_text(table.title)}}}\par"] if table.title else []
    rows = [" & ".join(map(_text, row)) + r" \\" for row in table.rows]
    head = " & ".join(map(_text, table.header)) + r" \\ \hline"
    return "\n".join([
        *title, rf"\noindent\begin{{tabular}}{{l{'r' * (width - 1)}}}", head, *rows, r"\end{tabular}",
    ])  # fmt: skip


def _section(section: Section) -> str:
    parts = [_paragraph(section.heading), *(table_latex(table) for table in section.tables)]
    parts += [rf"{_text(line)}\par" for line in section.lines]
    if section.steps:
        rows = [row for step in section.steps for row in _rows(step)]
        # Without the bracket's guard a line that starts with [ would be read as a distance.
        lines = " \\\\\n".join(rows)
        parts.append(f"\\begin{{align*}}\n{lines}\n\\end{{align*}}")
    return "\n".join(parts)


def _rows(step: Step) -> list[str]:
    """One line where it fits, else one for each part, long sums broken."""
    statement, *others = (visible(part) for part in step.parts)
    left = rf"\text{{{text_of(statement)}}}"
    source = rf" && \text{{\small {_text(step.source)}}}" if step.source else ""
    if not others:
        return [rf"&{left}{source}"]
    if len(statement) + sum(len(part) + 3 for part in others) <= WIDEST:
        return [f"{left} &= {' = '.join(map(mathematics, others))}{source}"]
    rows = []
    for part in others:
        first, *more = broken(part)
        rows += [f"&= {mathematics(first)}", *(rf"&\quad {mathematics(line)}" for line in more)]
    return [f"{left} {rows[0]}", *rows[1:-1], f"{rows[-1]}{source}"] if len(rows) > 1 else [f"{left} {rows[0]}{source}"]


def _paragraph(heading: str) -> str:
    return rf"\paragraph{{{_text(heading)}}}\mbox{{}}\par"


def _text(plain: str) -> str:
    return text_of(visible(plain))
