"""The first run: the kernels of all learners are compiled by two processes at the same time."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from crake.evaluation.protocol import memory
from crake.evaluation.result.data import InMemory
from crake.kernels import cache, threads
from crake.learners.registry import by_name, compared
from crake.plans import CrossValidation
from crake.table.examples import load
from crake.table.schema import Kind, Schema

EXAMPLES = {Kind.NOMINAL: "golf", Kind.NUMERIC: "iris"}
"""A table of each kind of columns; a table with both kinds runs the kernels of both."""
OTHERS = {Kind.NOMINAL: ("id3", "chaid"), Kind.NUMERIC: ("stump", "chaid")}
"""Learners whose kernels the second process compiles."""
LAST = "cart"
"""It shares kernels with the other trees and finds them in the cache when its turn comes."""


def missing_kinds(schema: Schema) -> list[Kind]:
    """Return the kinds of columns in a table whose kernels no earlier run has compiled."""
    columns = {Kind.NOMINAL: schema.nominal, Kind.NUMERIC: schema.numeric}
    return [kind for kind in EXAMPLES if columns[kind] and not cache.is_compiled(_mark(kind))]


def compile_in_two(kinds: Sequence[Kind] = tuple(EXAMPLES)) -> None:
    """Fill the cache with the kernels of all learners for columns of these kinds; on one core by one process."""
    other = _other_process(kinds) if threads.count() > 1 else None
    try:
        with _quietly():
            _evaluate_first(kinds)
            if other is None:
                _fit_others(kinds)
    finally:
        # Whatever it has not compiled is compiled here when it is needed.
        if other is not None:
            other.wait()
    for kind in kinds:
        cache.set_compiled(_mark(kind))


def _mark(kind: Kind) -> str:
    return f"{cache.COMPARING}-{kind.value}"


def _other_process(kinds: Sequence[Kind]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 (this Python, and names of kinds)
        [sys.executable, "-m", "crake.evaluation.protocol.first_compile", *(kind.value for kind in kinds)],
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


def _evaluate_first(kinds: Sequence[Kind]) -> None:
    """Run each kernel of the first process once, on small tables."""
    elsewhere = {name for names in OTHERS.values() for name in names}
    for name in sorted(set(compared()) - elsewhere, key=lambda name: (name == LAST, name)):
        for kind in kinds:
            memory.run([by_name(name)], InMemory(load(EXAMPLES[kind])), CrossValidation(2))


def _fit_others(kinds: Sequence[Kind]) -> None:
    """Fit the other learners and predict. `evaluate` would compile what the first process is about to compile."""
    for kind in kinds:
        rows = load(EXAMPLES[kind])
        for name in OTHERS[kind]:
            by_name(name).fit(rows).probabilities(rows)


if __name__ == "__main__":
    if sys.argv[1:]:
        with _quietly():
            _fit_others([Kind(value) for value in sys.argv[1:]])
    else:
        compile_in_two()
