"""Work of requests: a bounded number at a time, in threads, each within its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from crake.kernels import threads
from crake.server.options import Limits
from crake.server.problems import busy

Made = TypeVar("Made")


class Work:
    """A room for requests that are worked on; who finds it full is asked to come again."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(max(2, threads.count()), thread_name_prefix="crake-serve")
        self.in_flight = 0

    @property
    def is_full(self) -> bool:
        """True while no further request is let in."""
        return self.in_flight >= self._limits.concurrency

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take a place for one request; raise if there is none."""
        if self.is_full:
            message = f"{self._limits.concurrency} requests are being worked on; come again after a moment"
            raise busy(429, "too_many_requests", message)
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    async def in_thread(self, function: Callable[[], Made]) -> Made:
        """Return the result of a function that runs in a thread; raise if it takes longer than allowed.

        Python cannot stop a thread: one that takes too long keeps its place until it ends.
        """
        future = self._pool.submit(_alone, function)
        waiting = asyncio.wrap_future(future)
        done, _ = await asyncio.wait({waiting}, timeout=self._limits.seconds)
        if done:
            return waiting.result()
        if not future.cancel():
            self.in_flight += 1
            loop = asyncio.get_running_loop()
            future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._left))
        seconds = self._limits.seconds
        raise busy(503, "too_slow", f"the answer took longer than {seconds:g} s; send fewer rows a request")

    def close(self) -> None:
        """Let threads end that have nothing to do."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _left(self) -> None:
        self.in_flight -= 1


def _alone(function: Callable[[], Made]) -> Made:
    """Run a function whose kernels use one thread: other requests have the other cores."""
    with threads.limited(1):
        return function()
