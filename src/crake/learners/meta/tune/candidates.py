"""The candidates of a search: every combination of a grid, or a sample from distributions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from crake.errors import CrakeError, did_you_mean
from crake.learners.base.card import card_of
from crake.slow_modules import sklearn_base, sklearn_model_selection

Parameters = dict[str, Any]

MOST_CANDIDATES = 100_000
"""Candidates of one search: they are counted before they are listed, for a short grid can have more than fit."""


def usual_grid(learner: Any) -> dict[str, list[Any]]:
    """Return the grid on a learner's card; of a wrapper without a card that of its inner learner."""
    card = card_of(learner)
    if card is None and card_of(getattr(learner, "estimator", None)) is not None:
        return {f"estimator__{name}": values for name, values in usual_grid(learner.estimator).items()}
    if card is None or card.usual_grid is None:
        name = type(learner).__name__
        raise CrakeError(f"{name} has no usual grid; say what to try, such as grid={{'name': [1, 2, 5]}}")
    return {name: list(values) for name, values in card.usual_grid.items()}


def name_today(name: str) -> str:
    """Return the name of a parameter that a file has: the first files call the inner learner `learner`.

    >>> name_today("learner__learner__alpha"), name_today("learner"), name_today("learner_rate")
    ('estimator__estimator__alpha', 'estimator', 'learner_rate')
    """
    return "__".join("estimator" if part == "learner" else part for part in name.split("__"))


def names_today(space: Any) -> Any:
    """Return a grid, a list of grids, or distributions of a file with the names of today."""
    if isinstance(space, Mapping):
        return {name_today(name) if isinstance(name, str) else name: values for name, values in space.items()}
    return [names_today(each) for each in space] if isinstance(space, list) else space


def candidates(
    learner: Any, grid: Any, distributions: Mapping[str, Any] | None, n_iter: int, random_state: int
) -> tuple[Parameters, ...]:
    """Return the parameters of every candidate, in the order of the grid (the last name changes fastest) or of drawing.

    >>> from crake.learners.one_rule import OneRuleClassifier
    >>> candidates(OneRuleClassifier(), {"min_bucket": [6, 3], "unseen": ["first"]}, None, 10, 1)
    ({'min_bucket': 6, 'unseen': 'first'}, {'min_bucket': 3, 'unseen': 'first'})
    """
    check_space(learner, grid, distributions, n_iter)
    if distributions is not None:
        space = {name: value if hasattr(value, "rvs") else list(value) for name, value in distributions.items()}
        return tuple(sklearn_model_selection.ParameterSampler(space, _fewest(space, n_iter), random_state=random_state))
    return tuple(parameters for each in _grids(learner, grid) for parameters in _product(each))


def check_space(learner: Any, grid: Any, distributions: Mapping[str, Any] | None, n_iter: int) -> None:
    """Raise for names that the learner lacks, empty lists, or too many candidates; no candidate is listed.

    >>> from crake.learners.one_rule import OneRuleClassifier
    >>> check_space(OneRuleClassifier(), {"min_bucket": range(10**4), "unseen": range(10**4)}, None, 10)
    Traceback (most recent call last):
    crake.errors.CrakeError: the grid has 100,000,000 candidates; expected at most 100,000: ...
    """
    if grid is not None and distributions is not None:
        raise CrakeError("both a grid and distributions are given; a search tries the one or draws from the other")
    grids = _grids(learner, grid) if distributions is None else [distributions]
    if not grids:
        raise CrakeError("grid is an empty list; expected {name: values}")
    for each in grids:
        _refuse_unknown(learner, each)
        _refuse_empty(each)
    number = sum(map(_combinations, grids)) if distributions is None else _fewest(distributions, n_iter)
    if number > MOST_CANDIDATES:
        what = "the grid has" if distributions is None else "n_iter asks for"
        hint = "try fewer values, or sample some: distributions=… and n_iter=…"
        raise CrakeError(f"{what} {_written_count(number)} candidates; expected at most {MOST_CANDIDATES:,}: {hint}")


def _grids(learner: Any, grid: Any) -> Sequence[Any]:
    return grid if isinstance(grid, list | tuple) else [grid if grid is not None else usual_grid(learner)]


def _combinations(space: Mapping[str, Any]) -> int:
    return math.prod(len(values) for values in space.values())


def _written_count(number: int) -> str:
    return f"{number:,}" if number < 10**18 else "more than 10^18"


def names_of(tried: Sequence[Parameters]) -> tuple[str, ...]:
    """Return the names that are tuned, in the order they were given."""
    return tuple(dict.fromkeys(name for parameters in tried for name in parameters))


def with_parameters(learner: Any, parameters: Parameters) -> Any:
    """Return a copy of the learner with these parameters, checked by its own constraints."""
    copy = sklearn_base.clone(learner).set_params(
        **{name: sklearn_base.clone(value, safe=False) for name, value in parameters.items()}
    )
    try:
        return copy.checked()
    except CrakeError:
        raise
    except ValueError as error:
        raise CrakeError(f"a candidate cannot be tried: {error}") from None


def written(parameters: Parameters) -> str:
    """Return the parameters as text for tables and titles.

    >>> written({"alpha": 0.5, "numeric": "kernel"})
    'alpha=0.5, numeric=kernel'
    """
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def _product(grid: Mapping[str, Any]) -> list[Parameters]:
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*map(list, grid.values()))]


def _fewest(space: Mapping[str, Any], n_iter: int) -> int:
    """Return the number of candidates to sample: of finite lists at most the number of combinations."""
    if any(hasattr(value, "rvs") for value in space.values()):
        return n_iter
    return min(n_iter, _combinations(space))


def _refuse_unknown(learner: Any, names: Any) -> None:
    if not isinstance(names, Mapping):
        raise CrakeError(f"what to try is {str(names)[:80]}; expected {{name: values}}, such as {{'alpha': [0.5, 1]}}")
    known = learner.get_params(deep=True)
    for name in names:
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise CrakeError(
                f"{type(learner).__name__} has no parameter {name!r}.{hint} Parameters: {', '.join(known)}"
            )


def _refuse_empty(space: Mapping[str, Any]) -> None:
    for name, values in space.items():
        if hasattr(values, "rvs"):
            continue
        if isinstance(values, str | bytes) or not hasattr(values, "__len__") or len(values) == 0:
            raise CrakeError(f"the values of {name!r} to try are {values!r}; expected a list such as [1, 2, 5]")
