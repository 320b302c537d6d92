"""The first run: the kernels of all learners are compiled by two processes at the same time."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from crake.evaluation.protocol import memory
from crake.evaluation.result.data import InMemory
from crake.kernels import cache, threads
from crake.learners.registry import by_name, compared
from crake.plans import CrossValidation
from crake.table.examples import load

OTHERS = {"golf": ("id3", "c4.5", "chaid"), "iris": ("c4.5", "stump", "chaid")}
"""Learners whose kernels the second process compiles, on names and on numbers."""
LAST = "cart"
"""It shares kernels with the other trees and finds them in the cache when its turn comes."""


def compile_in_two() -> None:
    """Fill the cache that no earlier run has filled; on one core by one process."""
    if cache.is_compiled(cache.COMPARING):
        return
    other = _other_process() if threads.count() > 1 else None
    try:
        with _quietly():
            _evaluate_first()
            if other is None:
                _fit_others()
    finally:
        # Whatever it has not compiled is compiled here when it is needed.
        if other is not None:
            other.wait()
    cache.set_compiled(cache.COMPARING)


def _other_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "crake.evaluation.protocol.first_compile", "others"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def _quietly() -> Iterator[None]:
    """Run without warnings about small tables, and without garbage collection, which slows the compiler down."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if was_enabled:
            gc.enable()


def _evaluate_first() -> None:
    """Run each kernel of the first process once, on the small table of golf."""
    golf = load("golf")
    elsewhere = {name for names in OTHERS.values() for name in names}
    for name in sorted(set(compared()) - elsewhere, key=lambda name: (name == LAST, name)):
        memory.run([by_name(name)], InMemory(golf), CrossValidation(2))


def _fit_others() -> None:
    """Fit the other learners and predict. `evaluate` would compile what the first process is about to compile."""
    for table, names in OTHERS.items():
        rows = load(table)
        for name in names:
            by_name(name).fit(rows).probabilities(rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["others"]:
        with _quietly():
            _fit_others()
    else:
        compile_in_two()
