"""Reading ahead: the next portion is read and coded while the last one is counted."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from crake.kernels import threads

Item = TypeVar("Item")


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """Yield the items in their order, each made in a thread of its own while the one before is used.

    >>> list(ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """
    if threads.count() == 1:
        yield from items
        return
    context = copy_context()  # the limit on threads holds in the thread, too
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(context.run, _next, items)
        try:
            while ready := coming.result():
                coming = reader.submit(context.run, _next, items)
                yield ready[0]
        finally:
            _close(items, coming)


def _next(items: Iterator[Item]) -> tuple[Item] | None:
    """Return the next item; None at the end, where StopIteration would be lost in a future."""
    for item in items:
        return (item,)
    return None


def _close(items: Iterator[Item], coming: Future[tuple[Item] | None]) -> None:
    """Close the files behind the items as soon as nobody wants more of them."""
    coming.cancel()
    coming.exception() if not coming.cancelled() else None
    close = getattr(items, "close", None)
    if close is not None:
        close()
