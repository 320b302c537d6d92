"""Widths of texts, estimated without a font, and texts shortened to the room there is.

The widths are those of DejaVu Sans, the widest of the fonts that pages fall back to: what fits by them fits in others.
"""

from __future__ import annotations

import unicodedata

from crake.render.plain_text import visible

# Thousandths of the font size, from the space (32) to the tilde (126).
_WIDTHS = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
)  # fmt: skip
_OTHER = {"…": 1000, "·": 318, "–": 500, "√": 637, "\N{NO-BREAK SPACE}": 318}
_BOLD = 1.13
"""The largest ratio of the width of a bold word to that of the plain word."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line of text, rather too wide than too narrow.

    >>> text_width("petal width", 10), text_width("中文", 10)
    (56.08, 21.0)
    """
    width = sum(_letter(letter) for letter in text) * size / 1000
    return round(width * _BOLD if bold else width, 2)


def fitted(text: object, room: float, size: float, *, bold: bool = False) -> str:
    """Visible text no wider than `room`: the middle of a longer one is left out.

    >>> fitted("a very long name of a column", 100, 10), fitted("short", 100, 10), fitted("anything", 3, 10)
    ('a very long…olumn', 'short', '…')
    """
    whole = visible(text)[:2000]
    if text_width(whole, size, bold=bold) <= room:
        return whole
    space = room - text_width("…", size, bold=bold)
    head, used = _taken(whole, 0.65 * space, size, bold=bold)
    tail, _ = _taken(whole[::-1], space - used, size, bold=bold)
    # Widths are rounded letter by letter; of a long text that may add up to a little more than its own.
    while head and text_width(f"{head}…{tail[::-1]}", size, bold=bold) > room:
        head = head[:-1]
    return f"{head}…{tail[::-1]}"


def _taken(text: str, room: float, size: float, *, bold: bool) -> tuple[str, float]:
    """As many letters from the start as there is room for, and the room they take."""
    used, count = 0.0, 0
    for letter in text:
        wide = text_width(letter, size, bold=bold)
        if used + wide > room:
            break
        used, count = used + wide, count + 1
    return text[:count], used


def _letter(letter: str) -> int:
    code = ord(letter)
    if 32 <= code < 127:
        return _WIDTHS[code - 32]
    if letter in _OTHER:
        return _OTHER[letter]
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    if unicodedata.east_asian_width(letter) in {"W", "F"}:
        return 1050
    return 840 if unicodedata.category(letter) in {"Sm", "So", "Lu"} else 700
