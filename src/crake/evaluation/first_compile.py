"""The first run: kernels are compiled by two processes at the same time."""

from __future__ import annotations

import subprocess
import sys
import warnings

from crake.evaluation.evaluate import evaluate
from crake.kernels import are_compiled, cache_folder, threads
from crake.learners.registry import by_name, compared
from crake.plans import CrossValidation
from crake.table.examples import load

OTHERS = ("stump", "id3", "c4.5", "chaid", "logistic")
"""What the other process compiles; CART, which shares the kernels of trees, finds them in the cache later."""


def compile_in_two() -> None:
    """Fill the cache that an earlier run has not filled; on one core, or without a cache, nothing is gained so."""
    if are_compiled() or cache_folder() is None or threads.count() < 2:
        return
    other = subprocess.Popen(
        [sys.executable, "-m", "crake.evaluation.first_compile"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _evaluate_first()
    finally:
        # Whatever it has not compiled is compiled here when it is needed.
        other.wait()


def _evaluate_first() -> None:
    """Each kernel runs once on the small table of golf; CART comes last."""
    golf = load("golf")
    for name in sorted(set(compared()) - set(OTHERS), key=lambda name: (name == "cart", name)):
        evaluate(by_name(name), golf, plan=CrossValidation(2))


def _fit_others() -> None:
    """Only fitted and asked: `evaluate` would compile what the first process is about to compile."""
    golf = load("golf")
    for name in OTHERS:
        by_name(name).fit(golf).probabilities(golf)


if __name__ == "__main__":
    _fit_others()
