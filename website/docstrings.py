"""Docstrings as Markdown: parameters as a table, examples as blocks of code.

crake's docstrings say `name : meaning` where numpydoc has `name : type`, so that no parser of numpydoc reads them.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import griffe

HEADING = "Parameters\n----------\n"
COMPLETION = runpy.run_path(str(Path(__file__).parents[1] / "src/crake/learners/base/completion.py"))
HIDDEN = COMPLETION["HOOKS"] | COMPLETION["PARTS"] | COMPLETION["SETTINGS"]


class Docstrings(griffe.Extension):
    """Rewrite each docstring before it is parsed, and leave out the names that tab completion leaves out."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.is_class and obj.path.startswith("crake.learners."):
            for name in HIDDEN & set(obj.members):
                obj.del_member(name)
        if obj.docstring is not None:
            obj.docstring.value = with_blocks(with_table(obj.docstring.value))


def with_table(text: str) -> str:
    r"""Return the docstring with its parameters as a table.

    >>> print(with_table("Fit.\n\nParameters\n----------\nm, p : the m-estimate\n    of |counts|.\n\nMore."))
    Fit.
    <BLANKLINE>
    | parameter | meaning |
    |---|---|
    | `m`, `p` | the m-estimate of &#124;counts&#124;. |
    <BLANKLINE>
    More.
    """
    before, heading, rest = text.partition(HEADING)
    if not heading:
        return text
    section, gap, after = rest.partition("\n\n")
    rows = [_row(part) for part in re.split(r"\n(?! )", section.strip("\n"))]
    return "\n".join([f"{before}| parameter | meaning |", "|---|---|", *rows]) + gap + after


def _row(part: str) -> str:
    names, _, meaning = part.partition(" : ")
    listed = ", ".join(f"`{name.strip()}`" for name in names.split(","))
    return f"| {listed} | {' '.join(meaning.split()).replace('|', '&#124;')} |"


def with_blocks(text: str) -> str:
    r"""Return the docstring with each example, from its prompt to the next blank line, as a block of code.

    >>> with_blocks("Add.\n\n>>> 1 + 1\n2\n\nDone.").split("\n")
    ['Add.', '', '```pycon', '>>> 1 + 1', '2', '```', '', 'Done.']
    """
    lines: list[str] = []
    is_example = False
    for line in [*text.split("\n"), ""]:
        if line.startswith(">>>") and not is_example:
            lines.append("```pycon")
            is_example = True
        elif is_example and not line.strip():
            lines.append("```")
            is_example = False
        lines.append("" if line.strip() == "<BLANKLINE>" else line)
    return "\n".join(lines[:-1])
