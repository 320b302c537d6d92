"""The fast run (`make test-fast`): the tests of the inner loop, chosen by a rule, the same in every run.

It takes one case of each test function and class of learner, unless the function is marked `slow` or `long`, is on
record as slow (`tests/slow_tests.txt`, see `tests/costs.py`), or lies in one of the folders in `NOT_FAST`. A new test
is part of it until somebody records it as slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests import costs

HERE = Path(__file__).parent
NOT_FAST = ("browser", "engines", "weka", "published", "faults")
"""Folders that the fast run does not look into: they hold what seldom breaks, or need a browser, engines or data."""
LEFT_OUT = "left_out"


class FastRun:
    """Hooks that choose the cases and say how many are left out, with or without the processes of xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.slow = costs.read()
        self.left_out, self.slow_functions = 0, 0

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        folders = collection_path.relative_to(HERE).parts if collection_path.is_relative_to(HERE) else ()
        return True if folders[:1] and folders[0] in NOT_FAST else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: pytest.Collector, name: str) -> list[pytest.Item] | None:
        """Make no cases of a function on record as slow: making all of them takes longer than many tests do."""
        if name not in self.slow.get(collector.nodeid.partition("::")[0], ()):
            return None
        self.slow_functions += 1
        return []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = choose(items, self.slow)
        self.left_out = len(items) - len(chosen)
        items[:] = chosen
        if hasattr(self.config, "workeroutput"):  # a process of xdist: the first process prints the number
            self.config.workeroutput[LEFT_OUT] = self.left_out, self.slow_functions

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        own = self.left_out, self.slow_functions
        self.left_out, self.slow_functions = getattr(node, "workeroutput", {}).get(LEFT_OUT, own)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        folders = ", ".join(f"tests/{name}" for name in NOT_FAST)
        left_out = f"{self.left_out:,} cases, {self.slow_functions:,} slow functions and {folders}"
        terminalreporter.write_line(f"Left out: {left_out}. make test runs them.")


def choose(items: Iterable[pytest.Item], slow: Mapping[str, Iterable[str]]) -> list[pytest.Item]:
    """Return the first case of each function and class of learner, in their order, without slow functions."""
    # Imported by who collects: the first process of xdist does not, and spares most of a second.
    from sklearn.base import BaseEstimator  # noqa: PLC0415

    cases: dict[object, pytest.Item] = {}
    for item in items:
        file, function = item.nodeid.partition("::")[0], getattr(item, "originalname", item.name)
        is_marked = item.get_closest_marker("slow") or item.get_closest_marker("long")
        if not is_marked and function not in slow.get(file, ()):
            parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
            learners = [type(value) for value in parameters if isinstance(value, BaseEstimator)]
            cases.setdefault((file, function, *learners), item)
    return list(cases.values())
