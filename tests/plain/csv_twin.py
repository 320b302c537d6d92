"""Slow and obvious CSV: the csv module cuts the text, a regular expression says what a number is."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
INFINITY = re.compile(r"[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
MISSING = {"", "?", "NA", "N/A", "NaN", "nan", "None", "null", "NULL"}


@dataclass
class Infinite(Exception):
    column: str


@dataclass
class PlainColumn:
    name: str
    kind: str
    levels: list[str | int]
    cells: list[str | int | float | None]


def read(text: str) -> list[PlainColumn]:
    """The columns of a text whose fields begin and end with spaces only inside quotes."""
    header, *rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    return [column(name, [row[place] for row in rows]) for place, name in enumerate(header)]


def column(name: str, cells: list[str]) -> PlainColumn:
    known = [cell for cell in cells if cell not in MISSING]
    if known and all(is_number(cell) or is_infinite(cell) for cell in known):
        if any(is_infinite(cell) for cell in known):
            raise Infinite(name)
        return PlainColumn(name, "numeric", [], [None if cell in MISSING else float(cell) for cell in cells])
    long = sum(map(len, known)) >= 40 * len(known)
    varied = 2 * len(set(known)) > len(known)
    if long and varied and 2 * sum(" " in cell for cell in set(known)) > len(set(known)):
        return PlainColumn(name, "text", [], [None if cell in MISSING else cell for cell in cells])
    whole = bool(known) and all(is_whole(cell) for cell in known)
    named = [None if cell in MISSING else int(cell) if whole else cell for cell in cells]
    levels = sorted({label for label in named if label is not None})
    return PlainColumn(name, "nominal", levels, named)


def is_number(cell: str) -> bool:
    if not NUMBER.fullmatch(cell) or re.match(r"[+-]?0\d", cell):
        return False
    if re.fullmatch(r"[+-]?\d+", cell):
        return abs(int(cell)) <= 2**53
    return abs(float(cell)) < float("inf")


def is_infinite(cell: str) -> bool:
    if INFINITY.fullmatch(cell):
        return True
    beyond = NUMBER.fullmatch(cell) and not re.fullmatch(r"[+-]?\d+", cell)
    return bool(beyond) and not re.match(r"[+-]?0\d", cell) and abs(float(cell)) == float("inf")


def is_whole(cell: str) -> bool:
    return bool(re.fullmatch(r"-?\d+", cell, re.ASCII)) and str(int(cell)) == cell and -(2**63) <= int(cell) < 2**63
