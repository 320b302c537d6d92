"""One line for `repr` of a result: an interactive session shows what it is, `print` shows it whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

LONGEST_FIELD, LONGEST = 40, 200
"""Letters of one field, and of the whole line."""
MOST_ITEMS = 3
"""Items of a tuple that may be shown."""


def short_repr(result: Any) -> str:
    """Return the name of a dataclass with its short fields; of arrays and tuples only how long they are.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Curve:
    ...     name: str
    ...     points: list[float]
    ...     __repr__ = short_repr
    >>> Curve("roc", [0.0] * 500)
    Curve(name='roc', points=<500>)
    """
    name = type(result).__name__
    parts = [f"{each.name}={_short(getattr(result, each.name))}" for each in fields(result) if each.repr]
    line = f"{name}({', '.join(parts)})"
    while len(line) > LONGEST and parts:
        parts = parts[:-1]
        line = f"{name}({', '.join([*parts, '…'])})"
    return line


def _short(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape:
        return f"<{' × '.join(map(str, shape))}>"
    if isinstance(value, Mapping | tuple | list | set | frozenset) and len(value) > MOST_ITEMS:
        return f"<{len(value)}>"
    text = repr(value)
    if len(text) <= LONGEST_FIELD and "\n" not in text:
        return text
    if isinstance(value, str):
        return f"{text[: LONGEST_FIELD - 2]}…'"
    return f"<{len(value)}>" if isinstance(value, Mapping | tuple | list) else f"<{type(value).__name__}>"
