"""Names and labels come from strangers' files: here they become text that cannot steer a terminal."""

from __future__ import annotations

import re
import unicodedata

_STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories that move cursors, change colours, reverse the reading direction or break lines."""
_JOINERS = "\u200c\u200d"
"""Format characters that whole scripts and emoji need; they steer nothing."""

_ROOM_TO_COUNT = 32
"""With less room, what is left out is not counted."""

_SIGN = re.compile(r"(?<![\w.])-(?=[\d.∞])")
"""The sign before a number; not the hyphen of an exponent, a date or a name."""


def visible(text: object) -> str:
    r"""Return the text with every control, line break and direction mark written out.

    >>> print(visible("a\x1b[31mred\nnext"), visible("\u202ereversed"), visible("é 中 ok"))
    a\x1b[31mred\nnext \u202ereversed é 中 ok
    """
    whole = str(text)
    if whole.isprintable():  # then no letter is of a steering category
        return whole
    return "".join(_written_out(letter) if _steers(letter) else letter for letter in whole)


def shown(text: object, limit: int = 60) -> str:
    """Visible text of at most `limit` characters: the middle of a longer one is left out, and counted.

    >>> shown("x" * 1000, 40), shown("petal width and length", 12), shown("petal width")
    ('xxxxxxxxxxxxxxxxxxxxx… (975 more) …xxxx', 'petal wi…gth', 'petal width')
    """
    whole = visible(text)
    if len(whole) <= limit:
        return whole
    if limit < _ROOM_TO_COUNT:
        return f"{whole[: limit - 4]}…{whole[-3:]}"
    head = limit - len(f"… ({len(whole)} more) …") - 4
    middle = f"… ({len(whole) - head - 4} more) …"
    return f"{whole[:head]}{middle}{whole[-4:]}"


def unbroken(text: object) -> str:
    r"""Visible text in which no line is broken inside [0.60, 0.96], p = 0.03 or 5.4 %.

    >>> unbroken("best, p < 0.001"), unbroken("(5.4 %)")
    ('best, p\xa0<\xa00.001', '(5.4\xa0%)')
    """
    whole = r"\[[−\d.,]+, [−\d.,]+\]|\bp [=<] [\d.]+|[\d.] %"
    return re.sub(whole, lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), visible(text))


def clipped(text: object) -> str:
    """Visible text in which a word of more than 120 letters is shown without its middle.

    >>> clipped(f"P({'x' * 1000} | row)")
    'P(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (957 more) …xxxx | row)'
    """
    return re.sub(r"\S{121,}", lambda word: shown(word[0]), visible(text))


def _steers(letter: str) -> bool:
    return letter not in _JOINERS and unicodedata.category(letter) in _STEERING


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def minus(text: str) -> str:
    """Return a written number with the sign that formulas and axes have; the exponent keeps its hyphen.

    >>> minus("-1.5e-07"), minus("2"), minus("[-0.5, 1]")
    ('−1.5e-07', '2', '[−0.5, 1]')
    """
    return _SIGN.sub("−", text) if "-" in text else text
