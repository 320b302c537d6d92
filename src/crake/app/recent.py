"""The few results that were asked for last, kept in memory; threads may ask at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """Results by key, the most recent ones only.

    >>> recent = Recent[int](2)
    >>> [recent.get(key, lambda: len(recent)) for key in ("a", "b", "a", "c", "b")]
    [0, 1, 0, 2, 2]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Made] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the result of a key, made if it is not kept; two threads may both make it, and either stays."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made
