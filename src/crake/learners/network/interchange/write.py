"""A network as BIF or XMLBIF: every number with all its digits, so that reading gives the same network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from itertools import product
from os import PathLike
from pathlib import Path

from crake.errors import CrakeError
from crake.files import replace_file
from crake.learners.network.model import NetworkModel

_PLAIN = re.compile(r"(?!//|/\*|#)[^\s{}()\[\]|,;\"\\]+")
"""Names that need no quotes: no blank, no sign of the notation, no start of a comment."""
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold."""


def bif_text(model: NetworkModel) -> str:
    """Return the network as BIF; names with blanks or brackets are quoted."""
    lines = ["network unknown {", "}"]
    for column in model.columns:
        levels = ", ".join(map(_word, column.levels))
        lines += [
            f"variable {_word(column.name)} {{",
            f"  type discrete [ {len(column.levels)} ] {{ {levels} }};",
            "}",
        ]
    for at, column in enumerate(model.columns):
        parents = [model.columns[parent] for parent in model.graph.parents[at]]
        given = f" | {', '.join(_word(parent.name) for parent in parents)}" if parents else ""
        lines.append(f"probability ( {_word(column.name)}{given} ) {{")
        for key, numbers in _lines(model, at):
            start = f"({', '.join(map(_word, key))})" if parents else "table"
            lines.append(f"  {start} {', '.join(numbers)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def xmlbif_text(model: NetworkModel) -> str:
    """Return the network as XMLBIF 0.3; the variable's own levels run fastest in a table."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>unknown</NAME>"]
    for column in model.columns:
        outcomes = "".join(f"<OUTCOME>{_xml(level)}</OUTCOME>" for level in column.levels)
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{_xml(column.name)}</NAME>{outcomes}</VARIABLE>')
    for at, column in enumerate(model.columns):
        given = "".join(f"<GIVEN>{_xml(model.columns[p].name)}</GIVEN>" for p in model.graph.parents[at])
        lines += [f"<DEFINITION><FOR>{_xml(column.name)}</FOR>{given}", "<TABLE>"]
        lines += [" ".join(numbers) for _, numbers in _lines(model, at)]
        lines.append("</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"


def write_text(text: str, path: str | Path | None) -> str:
    """Return the text, and write it to the file if there is one, whole or not at all."""
    if path is not None:
        if not isinstance(path, str | PathLike):
            raise CrakeError(f"expected a path to write to, got {type(path).__name__}")
        replace_file(path, text.encode())
    return text


def _lines(model: NetworkModel, at: int) -> Iterator[tuple[tuple[object, ...], list[str]]]:
    """Yield the levels of the parents and the probabilities of each line."""
    keys = product(*(model.columns[parent].levels for parent in model.graph.parents[at]))
    numbers = model.tables[at].reshape(-1, model.sizes[at]).tolist()
    for key, line in zip(keys, numbers, strict=True):
        yield key, [repr(value) for value in line]


def _word(value: object) -> str:
    text = str(value)
    if "\n" in text or _CONTROL.search(text):
        raise CrakeError(f"expected names that BIF can hold, got {text[:100]!r}; rename it without control characters")
    if _PLAIN.fullmatch(text):
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def _xml(value: object) -> str:
    text = str(value)
    if _CONTROL.search(text) or text != text.strip() or not text:
        raise CrakeError(f"expected names that XMLBIF can hold, got {text[:100]!r}; rename it without outer blanks")
    return escape(text, quote=False).replace("\r", "&#13;")  # a plain one is read as an end of line
