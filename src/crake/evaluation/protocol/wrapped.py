"""Learners with what is put around them for an evaluation: a balanced sample, a search, a choice of columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crake.balance.names import sampler_by_name
from crake.errors import CrakeError
from crake.learners.base.card import card_of
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.learners.base.scikit_learn import clone
from crake.learners.meta.balance import Balanced
from crake.learners.meta.select import Selected, SelectedRegressor
from crake.learners.meta.tune import Tuned
from crake.learners.registry import by_name, is_baseline, names
from crake.metrics.cost.matrix import CostMatrix


def balanced_each(learners: list[Any], balance: Any, random_state: int = 1) -> list[Any]:
    """Let classifiers learn from balanced classes; baselines stay as they are.

    `balance` is the name of a sampler, which gets the seed, or a sampler; None leaves the learners as they are.

    >>> balanced_each([by_name("majority"), by_name("c4.5")], "under")
    [MajorityClassifier(), Balanced(estimator=C45Classifier(), sampler=Undersample())]
    """
    if balance is None:
        return learners
    chosen = [each if is_baseline(each) else balancing(each, balance, random_state) for each in learners]
    wrapped = [each for each in chosen if isinstance(each, Balanced)]
    if not wrapped:
        raise CrakeError(f"balance = {balance!r} is for classifiers that are no baselines, got none; leave it out")
    for each in wrapped:
        each.checked()
    return chosen


def balancing(learner: Any, balance: Any, random_state: int = 1) -> Any:
    """Return a classifier that learns from balanced classes; raise for a regressor."""
    if isinstance(learner, TableRegressor):
        raise CrakeError(f"balance = {balance!r} is for classes, and {type(learner).__name__} predicts a number")
    sampler = sampler_by_name(balance) if isinstance(balance, str) else balance
    if isinstance(balance, str) and "random_state" in sampler.get_params(deep=False):
        sampler.set_params(random_state=random_state)
    return Balanced(learner, sampler)


def tuned(learner: Any, tune: Any) -> Any:
    """Return the learner with a search around it, which is repeated within every training part.

    `tune` is a grid {name: values} (or a list of grids), True for the learner's usual grid, or a Tuned without a
    learner that says how; None and False leave the learner as it is.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> tuned(NaiveBayesClassifier(), {"alpha": [0.1, 1]})
    Tuned(estimator=NaiveBayesClassifier(), grid={'alpha': [0.1, 1]})
    """
    if tune is None or tune is False:
        return learner
    if isinstance(tune, Tuned):
        if tune.estimator is not None:
            raise CrakeError("tune= is a Tuned with a learner of its own; give that as the learner, or leave it out")
        return clone(tune).set_params(estimator=learner)
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
    if absent := [name for name in tune if not any(type(_inner(each)) is type(by_name(name)) for each in learners)]:
        raise CrakeError(f"tune= names {absent[0]!r}, which is not in the comparison")
    searched = [tuned(each, _grid_for(each, grids.get(type(_inner(each))))) for each in learners]
    return [each.set_params(**by) if type(each) is Tuned and by else each for each in searched]


def selected_each(learners: list[Any], select: str | None) -> list[Any]:
    """Let crake's learners choose their columns by a method of `Select`; baselines and others stay as they are.

    >>> selected_each([by_name("majority"), by_name("c4.5")], "cfs")
    [MajorityClassifier(), Selected(estimator=C45Classifier())]
    """
    if select is None:
        return learners
    chosen = [each if is_baseline(each) else selecting(each, select) for each in learners]
    wrapped = [each for each in chosen if isinstance(each, Selected | SelectedRegressor)]
    if not wrapped:
        raise CrakeError(f"select = {select!r} chooses columns for crake's learners, got none; leave it out")
    wrapped[0].checked()
    return chosen


def selecting(learner: Any, method: str) -> Any:
    """Return one of crake's learners so that it chooses its columns by this method; another learner as it is."""
    if isinstance(learner, TableRegressor):
        return SelectedRegressor(learner, method)
    return Selected(learner, method) if reads_tables(learner) else learner


def _has_usual_grid(learner: Any) -> bool:
    card = card_of(_inner(learner))
    return card is not None and card.usual_grid is not None


def _inner(learner: Any) -> Any:
    return learner.estimator if isinstance(learner, Balanced) else learner


def _grid_for(learner: Any, grid: Any) -> Any:
    """Return the grid of a learner by the names that it has inside a Balanced."""
    if not isinstance(learner, Balanced) or not isinstance(grid, Mapping):
        return grid
    return {f"estimator__{name}": values for name, values in grid.items()}
