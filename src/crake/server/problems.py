"""Errors of the server: one shape for all, with a status of HTTP, a word for programs and a sentence for people."""

from __future__ import annotations

from typing import Any

from crake.errors import CrakeError, ReadError, SchemaError

RETRY_SECONDS = 1
"""Seconds after which a client that was turned away may come again."""


class Problem(Exception):
    """An answer that is an error.

    >>> Problem(404, "not_found", "there is no /predcit").document()
    {'error': {'status': 404, 'code': 'not_found', 'message': 'there is no /predcit'}}
    """

    def __init__(self, status: int, code: str, message: str, *, headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers

    def document(self) -> dict[str, Any]:
        """Return the body of the answer."""
        return {"error": {"status": self.status, "code": self.code, "message": self.message}}


def refused(error: CrakeError) -> Problem:
    """Return the answer for rows that crake cannot predict, with the sentence that `crake predict` prints."""
    if isinstance(error, SchemaError):
        return Problem(422, "columns", str(error))
    return Problem(422, "unreadable_rows" if isinstance(error, ReadError) else "refused", str(error))


def busy(status: int, code: str, message: str) -> Problem:
    """Return the answer to a client that shall come again."""
    return Problem(status, code, message, headers=(("retry-after", str(RETRY_SECONDS)),))
