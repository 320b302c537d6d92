"""Examples that hypothesis tries: fixed ones everywhere, new ones in the long run only.

Profiles, chosen by `pytest --hypothesis-profile=…`:

- `fixed` (the default): every test has a seed of its own, so every run tries the same examples. A test that names no
  number tries 40: more of the same examples in every run find nothing new.
- `few`: the same with a quarter of the examples, for the inner loop (`make test-fast`).
- `exploring`: random examples (`make test-long`), five times the number that a test names, or 500.

An example that fails while exploring is kept in `tests/examples_found`. All profiles try what is kept there first.
Commit such a file with the repair. It counts as long as its test and its strategies stay as they are:
an example that must outlive them is written into the test as `@example(...)`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase, ReadOnlyDatabase
from hypothesis.internal.conjecture import providers

FOLDER = Path(__file__).parent / "examples_found"
FIXED, FEW, EXPLORING = "fixed", "few", "exploring"
SHARE = {FIXED: 1.0, FEW: 0.25, EXPLORING: 5.0}
"""Share of the examples that a test names, by profile."""
USUAL = {FIXED: 40, FEW: 40, EXPLORING: 100}
"""Examples, before the share, of a test that names no number."""


class Kept(ExampleDatabase):
    """A folder that keeps the smallest failing examples.

    Hypothesis deletes an example once it no longer fails. Here only an example of this run is deleted, when a smaller
    one takes its place.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = DirectoryBasedExampleDatabase(folder)
        self._new: set[tuple[bytes, bytes]] = set()

    def fetch(self, key: bytes) -> Iterable[bytes]:
        yield from self._folder.fetch(key)

    def save(self, key: bytes, value: bytes) -> None:
        if key.endswith((b".secondary", b".pareto")):  # larger examples, and those that only came near to failing
            return
        self._new.add((key, value))
        self._folder.save(key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        if (key, value) in self._new:
            self._folder.delete(key, value)


def register() -> None:
    """Register the profiles, and load the fixed one."""
    # The first call of a kernel compiles it, and a busy machine is slow: no example is held to a time.
    common = settings(deadline=None, derandomize=False, suppress_health_check=[HealthCheck.too_slow])
    replayed = ReadOnlyDatabase(DirectoryBasedExampleDatabase(FOLDER))
    for profile, number in USUAL.items():
        database = Kept(FOLDER) if profile == EXPLORING else replayed
        settings.register_profile(profile, common, max_examples=number, database=database)
    settings.load_profile(FIXED)


def prepare(items: Iterable[pytest.Item]) -> None:
    """Give every hypothesis test its seed and its number of examples."""
    profile = settings.get_current_profile_name()
    if profile not in SHARE:
        return
    if profile != EXPLORING:
        # Hypothesis picks up numbers and words from the modules loaded so far: these depend on the order of the tests.
        providers._get_local_constants = lambda: providers._local_constants  # type: ignore[attr-defined]
    tests = {
        id(test): test for item in items if getattr(test := getattr(item, "obj", None), "is_hypothesis_test", False)
    }
    for test in tests.values():
        used = test._hypothesis_internal_use_settings
        if profile != EXPLORING:
            seed(zlib.crc32(f"{test.__module__}.{test.__qualname__}".encode()))(test)  # this takes the database away
        number = max(5, round(SHARE[profile] * used.max_examples))
        test._hypothesis_internal_use_settings = settings(used, max_examples=number, database=settings.default.database)
