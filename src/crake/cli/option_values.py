"""The values of options as requests hold them: lists of names, widths of columns, paths."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from crake.errors import CrakeError


def names(values: Iterable[str] | None) -> tuple[str, ...]:
    """Return the column names of an option given any number of times, each time with one or more names.

    A name that holds a comma is put in double quotes.

    >>> names(["a,b", '"last, first"', " c "])
    ('a', 'b', 'last, first', 'c')
    """
    split = csv.reader(values or (), skipinitialspace=True)
    return tuple(name.strip() for row in split for name in row if name.strip())


def widths(text: str | None) -> tuple[int, ...]:
    """Return the numbers of characters of the columns.

    >>> widths("3,5, 2"), widths(None)
    ((3, 5, 2), ())
    """
    numbers = [] if text is None else [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 9 for word in numbers):
        raise CrakeError(f"--widths {text}: expected whole numbers with commas between them, such as 3,5,2")
    return tuple(map(int, numbers))


def parts(values: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the columns of dates whose parts are added; () for none, None if the option is not given.

    >>> parts(["day,at"]), parts(["none"]), parts(None)
    (('day', 'at'), (), None)
    """
    columns = names(values)
    return None if values is None else () if columns == ("none",) else columns


def text(path: Path | None) -> str | None:
    """Return a path as text, as requests hold it."""
    return None if path is None else str(path)
