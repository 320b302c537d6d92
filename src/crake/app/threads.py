"""Threads for work that takes a while: the app can end while one of them still reads a file."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Made = TypeVar("Made")

MOST = 16
"""Threads for pages at a time; further pages wait."""


class Threads:
    """Threads that Python does not wait for when it ends, and how many of them work.

    >>> asyncio.run(Threads().run(lambda: 2 + 2))
    4
    """

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(MOST)
        self._working = 0
        self._lock = threading.Lock()

    @property
    def is_busy(self) -> bool:
        """True while a thread works."""
        return self._working > 0

    def start(self, work: Callable[[], None]) -> None:
        """Begin work that reports its end itself."""

        def counted() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._working -= 1

        with self._lock:
            self._working += 1
        threading.Thread(target=counted, daemon=True).start()

    async def run(self, function: Callable[[], Made]) -> Made:
        """Return the result of a function that is called in a thread."""
        async with self._places:
            loop = asyncio.get_running_loop()
            future: asyncio.Future[Made] = loop.create_future()

            def deliver(tell: Callable[[Any], None], what: Any) -> None:
                if not future.done():  # who asked may have gone
                    tell(what)

            def work() -> None:
                tell: Callable[[Any], None] = future.set_result
                what: Any = None
                try:
                    what = function()
                except BaseException as error:  # noqa: BLE001 (raised where the result is awaited)
                    tell, what = future.set_exception, error
                with suppress(RuntimeError):  # the loop is closed: the app has ended
                    loop.call_soon_threadsafe(deliver, tell, what)

            self.start(work)
            return await future
