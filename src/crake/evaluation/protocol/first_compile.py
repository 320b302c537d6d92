"""The first run: the kernels of the learners are compiled by two processes at the same time."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from crake.evaluation.protocol import memory
from crake.evaluation.result.data import InMemory
from crake.kernels import cache, threads, tiered
from crake.learners.registry import by_name, compared
from crake.plans import CrossValidation
from crake.table.examples import load
from crake.table.schema import Kind
from crake.table.table import Table

TWO_CLASSES = "two-classes"
EXAMPLES = {Kind.NOMINAL.value: "golf", Kind.NUMERIC.value: "iris", TWO_CLASSES: "breast-cancer"}
"""A table of each kind of columns; a table with both kinds runs the kernels of both. Numbers of two classes have one
kernel more."""
TWO_CLASSES_BY = "id3"
"""The tree that runs that kernel, for all others."""
SMALL_CELLS = 10_000
"""Cells up to which a table leaves the tiered kernels cold."""
HOT = ("1r", "c4.5", "cart", "chaid", "naive-bayes")
"""Learners with tiered kernels; iris runs all of them."""
SECOND = {
    Kind.NOMINAL.value: ("logistic", "id3", "stump"),
    Kind.NUMERIC.value: ("logistic",),
    TWO_CLASSES: (TWO_CLASSES_BY,),
}
"""Learners whose kernels the second process compiles, if no tiered ones take its time: about half of the work."""
SECOND_HOT = dict.fromkeys(EXAMPLES, ("chaid", "id3", "stump"))
LAST = "cart"
"""It shares kernels with the other trees and finds them in the cache when its turn comes."""


class Task(NamedTuple):
    """Kernels to compile: those of a learner for columns of a kind; tiered ones are compiled if it is hot."""

    learner: str
    kind: str
    is_hot: bool

    @property
    def mark(self) -> str:
        """The mark in the cache that this is done."""
        return "-".join(("compared", self.learner, self.kind, *(["hot"] if self.is_hot else [])))


def missing_tasks(table: Table, learners: Sequence[str]) -> list[Task]:
    """Return what these learners need for such a table, as far as no earlier run compiled it."""
    is_small = len(table) * len(table.schema.features) <= SMALL_CELLS
    has_two = bool(table.schema.numeric) and len(table.schema.classes) == 2
    columns = {Kind.NOMINAL.value: table.schema.nominal, Kind.NUMERIC.value: table.schema.numeric, TWO_CLASSES: has_two}
    known = [name for name in compared() if name in learners]
    return _missing(_tasks(known, [kind for kind in EXAMPLES if columns[kind]], is_hot=not is_small))


def compile_in_two(tasks: Sequence[Task]) -> None:
    """Fill the cache; on one core, or for one learner, by one process."""
    first, second = _shares(tasks)
    other = _other_process(second) if second and first and threads.count() > 1 else None
    try:
        with _quietly():
            _evaluate(first)
            if other is None:
                _fit(second)
    finally:
        # Whatever it has not compiled is compiled here when it is needed.
        if other is not None:
            other.wait()
    for task in tasks:
        cache.set_compiled(task.mark)


def _tasks(learners: Sequence[str], kinds: Sequence[str], *, is_hot: bool) -> list[Task]:
    tasks = [Task(name, kind, is_hot=False) for kind in kinds if kind != TWO_CLASSES for name in learners]
    if TWO_CLASSES in kinds and TWO_CLASSES_BY in learners:
        tasks.append(Task(TWO_CLASSES_BY, TWO_CLASSES, is_hot=False))
    return tasks + [Task(name, Kind.NUMERIC.value, is_hot=True) for name in HOT if is_hot and name in learners]


def _missing(tasks: Sequence[Task]) -> list[Task]:
    return [task for task in tasks if not cache.is_compiled(task.mark)]


def _shares(tasks: Sequence[Task]) -> tuple[list[Task], list[Task]]:
    """Return what each process compiles; the hot tasks of a process come first."""
    second = SECOND_HOT if any(task.is_hot for task in tasks) else SECOND
    ordered = sorted(tasks, key=lambda task: (not task.is_hot, task.learner == LAST, task.learner))
    is_second = [task.learner in second[task.kind] for task in ordered]
    first = [task for task, its in zip(ordered, is_second, strict=True) if not its]
    return first, [task for task, its in zip(ordered, is_second, strict=True) if its]


def _other_process(tasks: Sequence[Task]) -> subprocess.Popen[bytes]:
    words = [f"{task.learner},{task.kind},{task.is_hot:d}" for task in tasks]
    return subprocess.Popen(  # noqa: S603 (this Python, and names of learners and kinds)
        [sys.executable, "-m", "crake.evaluation.protocol.first_compile", *words],
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


def _evaluate(tasks: Sequence[Task]) -> None:
    """Run each kernel of the first process once, on small tables."""
    for task in tasks:
        _heat(task)
        memory.run([by_name(task.learner)], InMemory(load(EXAMPLES[task.kind])), CrossValidation(2))


def _fit(tasks: Sequence[Task]) -> None:
    """Fit the other learners and predict. `_evaluate` would compile what the first process is about to compile."""
    for task in tasks:
        _heat(task)
        rows = load(EXAMPLES[task.kind])
        by_name(task.learner).fit(rows).probabilities(rows)


def _heat(task: Task) -> None:
    """Have the tiered kernels compiled if the task is hot. The module of a kernel is imported by fitting once."""
    if task.is_hot:
        by_name(task.learner).fit(load(EXAMPLES[task.kind]))
        for kernel in tiered.kernels:
            kernel.heat()


if __name__ == "__main__":
    if sys.argv[1:]:
        with _quietly():
            _fit([Task(name, kind, hot == "1") for name, kind, hot in (word.split(",") for word in sys.argv[1:])])
    else:
        compile_in_two(_missing(_tasks(list(compared()), list(EXAMPLES), is_hot=True)))
