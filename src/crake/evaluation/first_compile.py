"""The first run: kernels are compiled by two processes at the same time, trees in the one, all others in the other."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

from crake.evaluation.evaluate import evaluate
from crake.kernels import are_compiled, cache_folder, threads
from crake.learners.registry import by_name, compared
from crake.learners.tree.base import TreeClassifier
from crake.plans import CrossValidation
from crake.table.examples import load


def compile_in_two() -> None:
    """Fill the cache that an earlier run has not filled; on one core, or without a cache, nothing is gained so."""
    if are_compiled() or cache_folder() is None or threads.count() < 2:
        return
    other = subprocess.Popen(
        [sys.executable, "-m", "crake.evaluation.first_compile"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _use(lambda learner: not isinstance(learner, TreeClassifier))
    finally:
        # Whatever it has not compiled is compiled here when it is needed.
        other.wait()


def _use(wanted: Callable[[Any], bool]) -> None:
    """Each kernel runs once on the small table of golf."""
    golf = load("golf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for learner in map(by_name, compared()):
            if wanted(learner):
                evaluate(learner, golf, plan=CrossValidation(2))


if __name__ == "__main__":
    _use(lambda learner: isinstance(learner, TreeClassifier))
