"""A line of results: our time, the peer's, the ratio, and the bar it must clear."""

from __future__ import annotations

import time
from collections.abc import Callable

HEADER = f"{'work':58} | {'crake':>9} | {'peer':>9} | {'ratio':>7} | bar"


def best_of(times: int, *works: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """The best time of each, run in turn (ours, peer's, ours, peer's …) so that both meet the same machine."""
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(times):
        for spent, work in zip(seconds, works, strict=True):
            start = clock()
            work()
            spent.append(clock() - start)
    return [min(spent) for spent in seconds]


def line(work: str, ours: float, peer: float, ratio: float, bar: str) -> str:
    return f"{work:58} | {ours:7.3f} s | {peer:7.3f} s | {ratio:6.2f}× | {bar}"
