"""Names and constants as standard SQL writes them."""

from __future__ import annotations

import numpy as np

from crake.errors import CrakeError
from crake.table.schema import Label


def quoted(name: str) -> str:
    """An identifier of standard SQL.

    >>> print(quoted('a"b'))
    "a""b"
    """
    return '"' + _printable(name).replace('"', '""') + '"'


def literal(label: Label) -> str:
    """A constant of standard SQL.

    >>> print(literal("it's"), literal(True), literal(3), literal(2.5))
    'it''s' TRUE 3 2.5
    """
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, str):
        return "'" + _printable(label).replace("'", "''") + "'"
    return str(label) if isinstance(label, int) else number_text(label)


def number_text(value: float) -> str:
    """A float with all its digits; long ones with an exponent, so that no engine reads them as a decimal.

    >>> number_text(2.45), number_text(0.1 + 0.2), number_text(float(2**60))
    ('2.45', '3.0000000000000004e-01', '1.152921504606847e+18')
    """
    text = repr(float(value))
    return text if "e" in text or sum(c.isdigit() for c in text) <= 15 else double_text(value)


def double_text(value: float) -> str:
    """A float with an exponent: products of decimals would soon have too many digits.

    >>> double_text(0.4), double_text(0.1 + 0.2)
    ('4e-01', '3.0000000000000004e-01')
    """
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=2)


def _printable(text: str) -> str:
    if "\0" in text:
        raise CrakeError(f"{text!r} has a character of code 0, which SQL cannot hold; rename it")
    return text
