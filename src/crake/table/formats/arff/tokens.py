r"""ARFF's words: what separates values, what quotes them, what a backslash means.

A line is words between separators. A separator is white space, a comma, or a comma within white space; two
commas in a row are refused, for nobody can say which value is missing. A word is bare, or stands in
single or double quotes, in which a backslash escapes. Words are kept raw, quotes and all: `?` is a missing value
and `'?'` is a value, and a column of n equal words is unquoted once.

All patterns are possessive (`++`, `*+`): nothing is tried twice, so that time is linear in the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from crake.errors import ReadError

BLANK = r"\t\x0b\x0c\x1c-\x20"
_QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
_BARE = rf"""[^{BLANK},'"{{}}%]++"""

WORD = re.compile(rf"{_QUOTED}|{_BARE}", re.DOTALL)
"""One word."""

ROW = re.compile(rf"[{BLANK}]*+(?:(?:{_QUOTED}|{_BARE})(?:[{BLANK}]*+,[{BLANK}]*+|[{BLANK}]++|$))*+", re.DOTALL)
"""A line of words only: no brace, no comment, no field left empty."""

NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
"""A number as text; neither Python's 1_000 nor inf."""

_STEP = re.compile(
    rf"[{BLANK}]++|(?P<comment>%.*)|(?P<comma>,)|(?P<brace>[{{}}])|(?P<word>{_QUOTED}|{_BARE})|(?P<bad>.)", re.DOTALL
)
_SAFE = re.compile(r"[A-Za-z0-9_.+\-/<>=:;&*()\[\]!#$^~|@]+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPES = {"\\": r"\\", "'": r"\'", "\n": r"\n", "\t": r"\t", "\r": r"\r"}
# Control characters and what editors take for the end of a line.
_TO_ESCAPE = re.compile("[\\\\'\x00-\x1f\x7f-\x9f\u2028\u2029]")


def words(line: str) -> Iterator[str]:
    """Yield the words, braces and commas of a line, up to its comment.

    >>> list(words("a, 'b, c' {1} % the rest"))
    ['a', ',', "'b, c'", '{', '1', '}']
    """
    before = ""
    for match in _STEP.finditer(line):
        kind, text = match.lastgroup, match.group()
        if kind == "comment" and before != "word":
            return
        if kind == "bad" or (kind in ("word", "comment") and before == "word"):
            raise ReadError(_explain(text, line, match.start()))
        if kind is not None:
            yield text
        before = kind or ""


def _explain(text: str, line: str, start: int) -> str:
    place = f"at character {start + 1}"
    if text[0] == "%":
        return f"a % {place} within an unquoted value; put the value in quotes (or a space before a comment)"
    if len(text) > 1 or text not in "'\"":
        return f"{_short(text)} {place} follows a value without a comma or space; separate or quote them"
    if start > 0 and not line[start - 1].isspace() and line[start - 1] not in ",{":
        return f"a quote {place} within an unquoted value; put the value in quotes and write \\{text} inside"
    return f"the quote {text} {place} is never closed; close it on the same line"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "…")


def unquote(word: str) -> str:
    r"""Return the text a raw word stands for.

    >>> unquote(r"'it\'s 5\% \u00e9'"), unquote(r"C:\temp")
    ("it's 5% é", 'C:\\temp')
    """
    if word[0] not in "'\"":
        return word
    inner = word[1:-1]
    if "\\" not in inner:
        return inner
    text = _ESCAPE.sub(_unescape, inner)
    try:
        # Two \u escapes may be the halves of one character.
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ReadError(f"{_short(word)} holds half a character (a lone \\uD8… or \\uDC…)") from None


def _unescape(match: re.Match[str]) -> str:
    digits, letter = match.groups()
    if digits is not None:
        return chr(int(digits, 16))
    if letter == "u":
        raise ReadError(f"\\u needs four hexadecimal digits, found {match.string[match.start() :][:6]!r}")
    return _ESCAPED.get(letter, letter)


def quote(text: str) -> str:
    r"""Return the word that stands for a text: bare where that is safe, otherwise in single quotes.

    >>> print(quote("Iris-setosa"), quote("?"), quote("it's\n5%"))
    Iris-setosa '?' 'it\'s\n5%'
    """
    if _SAFE.fullmatch(text) and not text.startswith("@"):
        return text
    return "'" + _TO_ESCAPE.sub(_escape, text) + "'"


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _ESCAPES.get(character, f"\\u{ord(character):04x}")
