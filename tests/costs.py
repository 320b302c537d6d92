"""CPU seconds of every test: the most expensive ones are printed, and the fast run leaves out those on record as slow.

A test's cost is that of its call, its fixtures and its child processes. CPU seconds are used because a busy machine
does not change them much. What a shared fixture costs is counted for every test that uses it, not only for the first.

- `pytest --costs`: print the test functions that took longest, all cases together.
- `pytest --record-slow`: add every function with a case above `LIMIT` to the record, `tests/slow_tests.txt`.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

RECORD = Path(__file__).parent / "slow_tests.txt"
LIMIT = 0.07
"""CPU seconds that one case of a test may take in the fast run."""
PRINTED = 10
PROPERTY = "cost"

Names = Mapping[str, Iterable[str]]
"""Names of test functions by the file that holds them."""


class Costs:
    """Hooks that measure each test, in the process that runs it, and sum the costs up in the first process."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.fixtures: dict[tuple[str, str], float] = {}
        self.totals: Counter[str] = Counter()
        self.cases: Counter[str] = Counter()
        self.slow: defaultdict[str, set[str]] = defaultdict(set)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        start = _cpu_seconds()
        value = yield
        if fixturedef.scope != "function":
            self.fixtures[fixturedef.baseid, fixturedef.argname] = _cpu_seconds() - start
        return value

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        start = _cpu_seconds()
        try:
            return (yield)
        finally:
            item.user_properties.append((PROPERTY, (_cpu_seconds() - start, self._shared(item))))

    def _shared(self, item: pytest.Item) -> float:
        """Return the cost of the shared fixtures that the test uses."""
        names = set(getattr(item, "fixturenames", ()))
        return sum(
            cost for (home, name), cost in self.fixtures.items() if name in names and item.nodeid.startswith(home)
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        properties = dict(report.user_properties)
        if report.when != "call" or PROPERTY not in properties:
            return
        own, shared = properties[PROPERTY]
        name = report.nodeid.partition("[")[0]
        self.totals[name] += own
        self.cases[name] += 1
        file, _, function = name.rpartition("::")
        if own + shared > LIMIT and file.endswith(".py"):
            self.slow[file.partition("::")[0]].add(function)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.config.getoption("--costs"):
            terminalreporter.section(f"{sum(self.totals.values()):.0f} CPU seconds in tests; the most expensive")
            for name, seconds in self.totals.most_common(PRINTED):
                terminalreporter.write_line(f"{seconds:6.1f} s  {self.cases[name]:5d} cases  {name}")
        if self.config.getoption("--record-slow"):
            write(merged(read(), self.slow))


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def read(record: Path = RECORD) -> dict[str, set[str]]:
    """Return the recorded functions by file; each line has a file, then its functions."""
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return {file: set(functions) for file, *functions in (line.split() for line in lines if line)}


def merged(one: Names, other: Names) -> dict[str, set[str]]:
    """Return the functions that either names."""
    return {file: {*one.get(file, ()), *other.get(file, ())} for file in {*one, *other}}


def write(names: Names, record: Path = RECORD) -> None:
    """Write the record, sorted, so that a change of it is easy to read."""
    lines = (" ".join([file, *sorted(functions)]) for file, functions in sorted(names.items()) if functions)
    record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
