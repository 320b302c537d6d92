"""Dates of ARFF: a pattern of letters (yyyy-MM-dd'T'HH:mm:ss) and milliseconds since 1970 in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from crake.errors import ReadError

DEFAULT_FORMAT = "yyyy-MM-dd'T'HH:mm:ss"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PIECE = re.compile(r"'(?:[^']++|'')*+'|([A-Za-z])\1*|[^A-Za-z']+")
_FIELDS = {"yyyy": "year", "MM": "month", "dd": "day", "HH": "hour", "mm": "minute", "ss": "second", "SSS": "milli"}


class DateFormat:
    """A pattern of the letters yyyy MM dd HH mm ss SSS, other signs, and letters in single quotes.

    >>> DateFormat("dd.MM.yyyy").milliseconds("02.01.1970")
    86400000.0
    """

    def __init__(self, pattern: str = DEFAULT_FORMAT) -> None:
        self.pattern = pattern
        pieces = [match.group() for match in _PIECE.finditer(pattern)]
        if "".join(pieces) != pattern:
            raise ReadError(f"the date format {pattern!r} has a quote that is never closed")
        expressions = [
            _expression(piece, glued=following in _FIELDS)
            for piece, following in zip(pieces, [*pieces[1:], ""], strict=True)
        ]
        fields = [_FIELDS[piece] for piece in pieces if piece in _FIELDS]
        if len(set(fields)) < len(fields):
            raise ReadError(f"the date format {pattern!r} names a field twice")
        self._expression = re.compile("".join(expressions))
        self.epoch = "".join(_epoch_text(piece) for piece in pieces)

    def milliseconds(self, text: str) -> float:
        """Return milliseconds from 1970-01-01T00:00:00 UTC to the date in the text."""
        match = self._expression.fullmatch(text.strip())
        if match is None:
            raise ReadError(f"{text!r} is not a date of the form {self.pattern}")
        fields = {name: int(digits) for name, digits in match.groupdict().items()}
        milli = fields.pop("milli", 0)
        try:
            date = datetime(**{"year": 1970, "month": 1, "day": 1, **fields}, tzinfo=UTC)
        except ValueError as error:
            raise ReadError(f"{text!r} is not a date: {error}") from None
        return float((date - _EPOCH) // timedelta(milliseconds=1) + milli)


def _expression(piece: str, *, glued: bool) -> str:
    if piece in _FIELDS:
        width = len(piece)
        # Only the width tells two neighbouring numbers apart.
        digits = f"{{{width}}}" if glued or piece == "yyyy" else f"{{1,{width}}}"
        return f"(?P<{_FIELDS[piece]}>[0-9]{digits})"
    if piece[0].isalpha():
        known = " ".join(_FIELDS)
        raise ReadError(f"the date format has {piece!r}; crake reads {known} and text in single quotes")
    return re.escape(_literal(piece))


def _literal(piece: str) -> str:
    if piece == "''":
        return "'"
    return piece[1:-1].replace("''", "'") if piece[0] == "'" else piece


def _epoch_text(piece: str) -> str:
    if piece not in _FIELDS:
        return _literal(piece)
    return {"yyyy": "1970", "MM": "01", "dd": "01"}.get(piece, "0" * len(piece))
