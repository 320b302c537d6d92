"""Counters of the server in the text format of Prometheus."""

from __future__ import annotations

import os
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0)
"""Upper bounds of the buckets of request times, in seconds."""


class Metrics:
    """Requests by route and status, their times, and the rows that were predicted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._rows: Counter[str] = Counter()
        self._unseen: Counter[str] = Counter()
        self._started = time.time()
        self.in_flight = 0
        self.reloads = 0
        self.refusals = 0

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        with self._lock:
            self._requests[route, method, status] += 1
            buckets = self._buckets.setdefault(route, [0] * (len(BOUNDS) + 1))
            buckets[bisect_left(BOUNDS, seconds)] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]

    def predicted(self, model: str, rows: int, unseen: int) -> None:
        """Count the rows that a model predicted, and the values that it had never seen."""
        with self._lock:
            self._rows[model] += rows
            self._unseen[model] += unseen

    def text(self, models: Iterable[tuple[str, str, str]]) -> str:
        """Return all counters; `models` are name, checksum and learner of each model."""
        with self._lock:
            return "\n".join(self._lines(models)) + "\n"

    def _lines(self, models: Iterable[tuple[str, str, str]]) -> Iterator[str]:
        yield from _head("crake_requests_total", "counter", "Requests that were answered.")
        for (route, method, status), count in sorted(self._requests.items()):
            yield f'crake_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}'
        yield from _head("crake_request_seconds", "histogram", "Seconds from the head of a request to its answer.")
        for route, buckets in sorted(self._buckets.items()):
            so_far = 0
            for bound, count in zip((*BOUNDS, "+Inf"), buckets, strict=True):
                so_far += count
                yield f'crake_request_seconds_bucket{{route="{route}",le="{bound}"}} {so_far}'
            yield f'crake_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'crake_request_seconds_count{{route="{route}"}} {so_far}'
        yield from _head("crake_rows_predicted_total", "counter", "Rows that were predicted.")
        for model, rows in sorted(self._rows.items()):
            yield f'crake_rows_predicted_total{{model="{_escaped(model)}"}} {rows}'
        yield from _head("crake_unseen_values_total", "counter", "Values that the model had never seen in training.")
        for model, unseen in sorted(self._unseen.items()):
            yield f'crake_unseen_values_total{{model="{_escaped(model)}"}} {unseen}'
        yield from _head("crake_model_info", "gauge", "The models that are served.")
        for name, checksum, learner in models:
            yield f'crake_model_info{{model="{_escaped(name)}",sha256="{checksum}",learner="{_escaped(learner)}"}} 1'
        for name, kind, about, value in (
            ("crake_requests_in_flight", "gauge", "Requests that are being worked on.", self.in_flight),
            ("crake_model_reloads_total", "counter", "Model files that were taken over anew.", self.reloads),
            ("crake_model_refusals_total", "counter", "Newer model files that could not be loaded.", self.refusals),
            ("process_start_time_seconds", "gauge", "Start of the process since 1970.", round(self._started, 3)),
            ("process_resident_memory_bytes", "gauge", "Memory of the process.", resident_bytes()),
        ):
            yield from _head(name, kind, about)
            yield f"{name} {value}"


def _head(name: str, kind: str, about: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"


def _escaped(text: str) -> str:
    r"""Return a label's value as the format wants it.

    >>> print(_escaped('a"b'))
    a\"b
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def resident_bytes() -> int:
    """Return the memory of this process in bytes, 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0
