"""Learners that cannot be balanced: they weigh classes, balance or hold rows out themselves, at any depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crake.balance.random_rows import Oversample
from crake.balance.sampler import Sampler
from crake.errors import CrakeError
from crake.learners.base.card import title_of
from crake.learners.base.classifier import reads_tables
from crake.learners.meta.base import MetaClassifier
from crake.learners.meta.cutoff.learner import has_cutoff
from crake.learners.meta.inner_folds import DEALS_ROWS

CLASS_WEIGHTS = ("class_weight", "class_weights", "auto_class_weights", "scale_pos_weight", "is_unbalance")
"""Parameters that weigh classes: the first of crake and scikit-learn, the others of libraries of boosted trees."""

TESTED_PRUNINGS = ("reduced-error", "error-complexity", "critical-value", "cost-complexity")
"""Prunings of trees that test them by some of the rows."""


def refuse_inner(learner: Any, sampler: Sampler) -> None:
    """Raise if a learner, or one within it, cannot be fitted to the balanced sample of this sampler."""
    if has_cutoff(learner):
        raise CrakeError("a cutoff is for the probabilities it was chosen on: write WithCutoff(Balanced(learner))")
    copies_are_rows = isinstance(sampler, Oversample) and not (learner is None or reads_tables(learner))
    for part in learners_in(learner):
        _refuse_class_weights(part)
        if callable(getattr(part, "fit_resample", None)):
            raise CrakeError(
                f"the learner within balances rows itself, by {type(part).__name__}, and would balance the balanced "
                "rows once more; leave one away"
            )
        if (sampler.makes_rows or copies_are_rows) and _holds_rows_out(part):
            name, rows = type(part).__name__, "made-up rows" if sampler.makes_rows else "copies of the other rows"
            own = type(getattr(sampler, "sampler", sampler)).__name__
            raise CrakeError(
                f"{name} holds rows out, and {rows} would be among them: write {name}(Balanced(learner, {own}()))"
            )


def learners_in(value: Any) -> Iterator[Any]:
    """Yield a learner and everything with parameters within it, also in lists of members and in grids of a search.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> [type(part).__name__ for part in learners_in([("nb", NaiveBayesClassifier())])]
    ['NaiveBayesClassifier']
    """
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from learners_in(each)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        yield value
        for each in value.get_params(deep=False).values():
            yield from learners_in(each)


def notes_on_held_out(learner: Any) -> tuple[str, ...]:
    """Return a note on each learner, at any depth, that tests itself by some of the rows, made-up ones among them.

    >>> from crake.learners.tree.algorithms.rep import REPTreeClassifier
    >>> notes_on_held_out(REPTreeClassifier(pruning=None))
    ()
    """
    found = {title_of(part): does for part in learners_in(learner) if (does := _by_held_out(part))}
    return tuple(
        f"Made-up rows are among those by which {title} {does}: they resemble rows that it learned from, and too large "
        "a model passes. Weights() makes no row up."
        for title, does in found.items()
    )


def _by_held_out(part: Any) -> str:
    """Return what a learner does by rows that it holds out of its training; empty if it holds none out."""
    given = part.get_params(deep=False)
    pruning = given.get("pruning", False)
    if pruning in TESTED_PRUNINGS or (pruning is True and "folds" in given):
        return "is pruned"
    if given.get("n_iter_no_change") is not None and given.get("early_stopping", True) is True:
        return "is stopped"
    return "decides about splits" if "folds" in given and "pruning" not in given else ""


def _refuse_class_weights(part: Any) -> None:
    for name, value in part.get_params(deep=False).items():
        for weigher, given in [(name, value), *_searched(value)]:
            if weigher.rpartition("__")[2] in CLASS_WEIGHTS and not _is_neutral(given):
                raise CrakeError(
                    f"the learner within has {weigher}={given!r}, which would weigh the balanced rows once more; "
                    "leave one away"
                )


def _is_neutral(weight: Any) -> bool:
    """Return True if this value of a parameter weighs no class."""
    return weight is None or weight is False or (isinstance(weight, int | float) and weight == 1 and weight is not True)


def _searched(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a grid to search, or of a list of grids."""
    for grid in value if isinstance(value, list | tuple) else (value,):
        if isinstance(grid, Mapping):
            for name, values in grid.items():
                for each in values if isinstance(values, list | tuple) else ():
                    yield str(name), each


def _holds_rows_out(part: Any) -> bool:
    if isinstance(part, MetaClassifier):
        return part._weight_exception() == DEALS_ROWS  # noqa: SLF001 (the same question)
    return not reads_tables(part) and part.get_params(deep=False).get("cv", "prefit") != "prefit"
