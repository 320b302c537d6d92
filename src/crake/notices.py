"""Warnings that point at the user's line, not at crake's."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from crake.errors import CrakeWarning

_SAID: ContextVar[set[str] | None] = ContextVar("said", default=None)


@contextmanager
def each_once() -> Iterator[None]:
    """Let `warn_once` warn of each thing once within the block, though many parts of the rows are learned from.

    The outermost block counts: the fits of an evaluation, or those of a search, share what was said.
    """
    if _SAID.get() is not None:
        yield
        return
    token = _SAID.set(set())
    try:
        yield
    finally:
        _SAID.reset(token)


def warn_once(message: str) -> None:
    """Warn, unless the same was said in this `each_once`: messages that agree up to the first colon are the same."""
    said, thing = _SAID.get(), message.partition(":")[0]
    if said is None or thing not in said:
        warn(message)
    if said is not None:
        said.add(thing)


def warn(message: str) -> None:
    """Warn at the line that called crake."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("crake."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, CrakeWarning, stacklevel=level)
