"""`tune=` and `select=`: the search, and the choice of columns, around a learner in `evaluate` and `compare`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.base import clone

from crake.errors import CrakeError
from crake.learners.base.card import card_of
from crake.learners.base.classifier import reads_tables
from crake.learners.meta.select import Selected
from crake.learners.meta.tune import Tuned
from crake.learners.registry import by_name, is_baseline, names
from crake.metrics.cost.matrix import CostMatrix


def tuned(learner: Any, tune: Any) -> Any:
    """Return the learner with a search around it, which is repeated within every training part.

    `tune` is a grid {name: values} (or a list of grids), True for the learner's usual grid, or a Tuned without a
    learner that says how; None and False leave the learner as it is.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> tuned(NaiveBayesClassifier(), {"alpha": [0.1, 1]})
    Tuned(grid={'alpha': [0.1, 1]}, learner=NaiveBayesClassifier())
    """
    if tune is None or tune is False:
        return learner
    if isinstance(tune, Tuned):
        if tune.learner is not None:
            raise CrakeError("tune= is a Tuned with a learner of its own; give that as the learner, or leave it away")
        return clone(tune).set_params(learner=learner)
    if tune is not True and not isinstance(tune, Mapping | list | tuple):
        raise CrakeError(f"tune = {tune!r}; expected {{name: values}}, True for the usual grid, or a crake.Tuned")
    search = Tuned(learner, None if tune is True else tune)
    search.candidates()  # what is wrong with the grid is said before any learning
    return search


def tuned_each(
    learners: list[Any], tune: Any, measure: str | None = None, *, cost: Any = None, positive: Any = None
) -> list[Any]:
    """Tune the learners of a comparison: with True all that have a usual grid, with {learner: grid} those named.

    The search goes by the measure that ranks; a cost matrix by its name, a file of costs is read for it.

    >>> [type(each).__name__ for each in tuned_each([by_name("majority"), by_name("c4.5")], True)]
    ['MajorityClassifier', 'Tuned']
    """
    if tune is None or tune is False:
        return learners
    by: dict[str, Any] = {} if measure in (None, "accuracy") else {"measure": measure, "positive": positive}
    if cost is not None:
        by |= {"cost": CostMatrix.read(cost) if isinstance(cost, str | Path) else cost}
    if tune is True:
        return [Tuned(each, **by) if _has_usual_grid(each) else each for each in learners]
    if not isinstance(tune, Mapping):
        raise CrakeError(
            f"tune = {tune!r}; expected True, or {{learner: grid}} such as {{'c4.5': {{'confidence': [0.1]}}}}"
        )
    grids = {type(by_name(name)): grid for name, grid in tune.items() if name in names()}
    if unknown := [name for name in tune if name not in names()]:
        raise CrakeError(
            f"tune= names {unknown[0]!r}, which is not a learner; expected names such as {', '.join(names())}"
        )
    if absent := [name for name in tune if not any(type(each) is type(by_name(name)) for each in learners)]:
        raise CrakeError(f"tune= names {absent[0]!r}, which is not in the comparison")
    searched = [tuned(each, grids.get(type(each))) for each in learners]
    return [each.set_params(**by) if type(each) is Tuned and by else each for each in searched]


def selected_each(learners: list[Any], select: str | None) -> list[Any]:
    """Let crake's classifiers choose their columns by a method of `Select`; baselines and others stay as they are.

    >>> selected_each([by_name("majority"), by_name("c4.5")], "cfs")
    [MajorityClassifier(), Selected(learner=C45Classifier())]
    """
    if select is None:
        return learners
    chosen = [Selected(each, select) if reads_tables(each) and not is_baseline(each) else each for each in learners]
    wrapped = [each for each in chosen if isinstance(each, Selected)]
    if not wrapped:
        raise CrakeError(f"select = {select!r} chooses columns for crake's classifiers, got none; leave it out")
    wrapped[0].checked()
    return chosen


def _has_usual_grid(learner: Any) -> bool:
    card = card_of(learner)
    return card is not None and card.usual_grid is not None
