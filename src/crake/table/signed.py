"""Numbers with signs: thousands separators, currency, percent and decimal commas, where a whole column is such.

- `point`: a point before the fraction and commas (or apostrophes) between thousands: 1,002.59.
- `comma`: a comma before the fraction and points or spaces between thousands: 1.002,59.
- Before or after the number one sign of a currency or of percent may stand, the same in the whole column; it is left
  out: 11.1% is 11.1. A number in parentheses is negative.

A column is of such numbers if one notation fits every cell. Where both fit and give other numbers (1,234), the cells
are read with the point if commas delimit the fields, and stay text otherwise: crake does not guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

POINT, COMMA = "point", "comma"
_SIGN = r"[$€£¥₹₩₽%‰]|USD|EUR|GBP|CHF|JPY|US\$"
_GROUPED = {
    POINT: r"[1-9]\d{0,2}(?:(?:,\d{3})+|(?:'\d{3})+)(?:\.\d*)?|(?:0|[1-9]\d*)?\.\d+|(?:0|[1-9]\d*)\.?",
    COMMA: r"[1-9]\d{0,2}(?:[. \u00a0\u202f]\d{3})+(?:,\d*)?|(?:0|[1-9]\d*)?,\d+|(?:0|[1-9]\d*),?",
}
_CELL = {
    notation: re.compile(
        rf"(?P<open>\()?(?P<minus>[-+\u2212])?(?P<before>{_SIGN})?\s?(?P<minus2>[-+\u2212])?(?P<number>{number})"
        rf"\s?(?P<after>{_SIGN})?(?(open)\))"
    )
    for notation, number in _GROUPED.items()
}
EXACT = 2**53
"""Whole numbers up to here are exact in float64."""
_GROUPS = re.compile(r"[ \u00a0\u202f']")


@dataclass(frozen=True)
class Signed:
    """A column of numbers with signs: the notation and the numbers, or two notations that both fit (`other`)."""

    notation: str
    numbers: NDArray[np.float64]
    other: str = ""


def find_signed(texts: Sequence[str], *, comma_delimits: bool) -> Signed | None:
    """Return the notation that fits every text, and the numbers; None if there is none.

    >>> find_signed(["$1,002.59", "$7"], comma_delimits=False)
    Signed(notation='point', numbers=array([1002.59,    7.  ]), other='')
    >>> find_signed(["1,5"], comma_delimits=False).notation, find_signed(["1,234"], comma_delimits=False).other
    ('comma', 'comma')
    """
    fits = {notation: n for notation in (POINT, COMMA) if (n := numbers_of(texts, notation)) is not None}
    if len(fits) == 2:
        is_sure = comma_delimits or np.array_equal(fits[POINT], fits[COMMA])
        return Signed(POINT, fits[POINT], "" if is_sure else COMMA)
    return next((Signed(notation, numbers) for notation, numbers in fits.items()), None)


def numbers_of(texts: Sequence[str], notation: str) -> NDArray[np.float64] | None:
    """Return the numbers of the texts in this notation; None if one of them does not fit, or signs differ.

    >>> numbers_of(["11.1%", "(5%)"], "point").tolist(), numbers_of(["$1", "€1"], "point")
    ([11.1, -5.0], None)
    """
    expression, values, signs = _CELL[notation], np.empty(len(texts)), set()
    for place, text in enumerate(texts):
        cell = expression.fullmatch(text)
        if cell is None or (cell["minus"] and cell["minus2"]) or (cell["before"] and cell["after"]):
            return None
        signs.add(cell["before"] or cell["after"])
        if len(signs - {None}) > 1:
            return None
        digits = _GROUPS.sub("", cell["number"])
        digits = digits.replace(",", "") if notation == POINT else digits.replace(".", "").replace(",", ".")
        minus = cell["minus"] or cell["minus2"]
        values[place] = float(digits) * (-1 if cell["open"] or minus in ("-", "\u2212") else 1)
    return values if (np.abs(values) <= EXACT).all() else None
