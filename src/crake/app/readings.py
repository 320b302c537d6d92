"""Readings: tables that are read, scanned or described in a thread, once for all who ask, with progress and an end."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from crake.app.threads import Threads
from crake.server.problems import Problem

Tell = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


class Reading:
    """Something that is being read: its progress, and its result or error when it has ended."""

    def __init__(self, words: str) -> None:
        self.id = secrets.token_hex(8)
        self.words = words
        self.done = self.total = 0
        self.has_failed = self.is_seen = False
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._result: Any = None

    @property
    def has_ended(self) -> bool:
        """True when the result or the error is there."""
        return self._ended.is_set()

    def cancel(self) -> None:
        """End the reading. Its thread ends at its next step; if it tells none, it goes on and its result is dropped."""
        words = f"{self.words} was cancelled; open the page again to begin anew"
        self._end(Problem(409, "cancelled", words), has_failed=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the progress for those who watch, in the form that runs have."""
        state = "running" if not self.has_ended else "failed" if self.has_failed else "done"
        step = {"step": self.words, "done": self.done, "total": self.total, "learner": 1, "of": 1}
        return {"id": self.id, "state": state, "step": step, "notes": []}

    def work(self, make: Callable[[Tell], Any]) -> None:
        """Make the result; called in a thread."""
        try:
            self._end(make(self._tell), has_failed=False)
        except BaseException as error:  # noqa: BLE001 (raised to all who wait)
            self._end(error, has_failed=True)

    def value(self) -> Any:
        """Wait for the end; return the result, or raise the error."""
        self._ended.wait()
        if self.has_failed:
            self.is_seen = True
            raise self._result
        return self._result

    def _tell(self, done: int, total: int) -> None:
        if self.has_ended:
            raise self._result  # cancelled: only that ends a reading before its work does
        self.done, self.total = done, total

    def _end(self, result: Any, *, has_failed: bool) -> None:
        with self._lock:
            if not self.has_ended:
                self._result, self.has_failed = result, has_failed
                self._ended.set()


class StillReading(Exception):
    """A page has to wait for a reading."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading.words)
        self.reading = reading


class Readings:
    """Readings by key: those that go on, and the few that ended last."""

    def __init__(self, most: int, threads: Threads) -> None:
        self._most = most
        self._threads = threads
        self._kept: OrderedDict[Hashable, Reading] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, words: str, make: Callable[[Tell], Any]) -> Reading:
        """Return the reading of a key, begun if there is none; an error is shown once, and then tried anew."""
        with self._lock:
            known = self._kept.get(key)
            if known is not None and not (known.has_failed and known.is_seen):
                self._kept.move_to_end(key)
                return known
            reading = self._kept[key] = Reading(words)
            self._kept.move_to_end(key)
            ended = [each for each, one in self._kept.items() if one.has_ended]
            for each in ended[: max(0, len(self._kept) - self._most)]:
                del self._kept[each]
        self._threads.start(lambda: reading.work(make))
        return reading

    def named(self, id: str) -> Reading:  # noqa: A002 (the word of the index)
        """Return a reading by its id; raise if there is none."""
        with self._lock:
            for reading in self._kept.values():
                if reading.id == id:
                    return reading
        raise Problem(404, "no_reading", "there is no such table being read")
