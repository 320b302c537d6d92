"""Constraints on the parameters of an estimator, declared without scikit-learn.

They are scikit-learn's, by the same names. Values that satisfy them are accepted here. For any other value
scikit-learn is loaded and decides: its message is the one that users of scikit-learn know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Interval:
    """Numbers of one kind between two bounds; a bound of None is infinite.

    >>> Interval(Integral, 1, None, closed="left").holds(0), Interval(Integral, 1, None, closed="left").holds(1)
    (False, True)
    """

    kind: Any
    left: float | None
    right: float | None
    closed: str

    def holds(self, value: Any) -> bool:
        """Return True if the value is of the kind and between the bounds."""
        if not isinstance(value, self.kind) or (not isinstance(value, Integral) and math.isnan(value)):
            return False
        left = -math.inf if self.left is None else self.left
        right = math.inf if self.right is None else self.right
        above = value >= left if self.closed in {"left", "both"} else value > left
        below = value <= right if self.closed in {"right", "both"} else value < right
        return bool(above and below)

    def as_scikit_learn(self, module: Any) -> Any:
        """Return scikit-learn's object of the same meaning."""
        return module.Interval(self.kind, self.left, self.right, closed=self.closed)


@dataclass(frozen=True)
class StrOptions:
    """One of several words."""

    options: Iterable[str]

    def holds(self, value: Any) -> bool:
        """Return True if the value is one of the words."""
        return isinstance(value, str) and value in self.options

    def as_scikit_learn(self, module: Any) -> Any:
        """Return scikit-learn's object of the same meaning."""
        return module.StrOptions(set(self.options))


@dataclass(frozen=True)
class HasMethods:
    """An object with these methods."""

    methods: Sequence[str]

    def holds(self, value: Any) -> bool:
        """Return True if the value has all of the methods."""
        return all(callable(getattr(value, method, None)) for method in self.methods)

    def as_scikit_learn(self, module: Any) -> Any:
        """Return scikit-learn's object of the same meaning."""
        return module.HasMethods(list(self.methods))


N_JOBS: list[Any] = [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None]
"""What `n_jobs` may be: a number of threads, −1 for all cores, −2 for all but one."""


def check_parameters(constraints: Mapping[str, list[Any]], parameters: Mapping[str, Any], owner: str) -> None:
    """Raise scikit-learn's InvalidParameterError if a parameter satisfies none of its constraints."""
    doubtful = {
        name: value
        for name, value in parameters.items()
        if name in constraints and not any(_holds(constraint, value) for constraint in constraints[name])
    }
    if not doubtful:
        return
    from sklearn.utils import _param_validation as module  # noqa: PLC0415 (slow to import)

    translated = {
        name: [each.as_scikit_learn(module) if hasattr(each, "as_scikit_learn") else each for each in constraints[name]]
        for name in doubtful
    }
    module.validate_parameter_constraints(translated, doubtful, caller_name=owner)


def _holds(constraint: Any, value: Any) -> bool:
    """Return True if the value surely satisfies the constraint; False leaves the decision to scikit-learn."""
    if isinstance(constraint, Interval | StrOptions | HasMethods):
        return constraint.holds(value)
    if constraint is None or constraint is callable:
        return value is None if constraint is None else callable(value)
    if isinstance(constraint, type):
        return isinstance(value, constraint)
    if constraint == "boolean":
        return isinstance(value, bool | np.bool_)
    is_array = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)
    return bool(constraint == "array-like" and is_array)
