"""Weights of classes: each row's weight times the weight of its class, as scikit-learn's `class_weight` has it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError, did_you_mean
from crake.learners.base.parameters import StrOptions
from crake.render.plain_text import visible
from crake.table.schema import Label
from crake.table.table import Table

Known = Literal["declared", "observed", "some"]
BALANCED = "balanced"
CONSTRAINT: list[Any] = [StrOptions({BALANCED}), dict, None]
"""Constraints on the parameter `class_weight`."""
STEP = 1 << 16
"""Numbers of Python at a time."""
MOST = 1e300
"""The largest factor of a class."""


def class_weighted(table: Table, class_weight: Any, *, classes: Known = "declared") -> Table:
    """Return the rows with their weights times those of their classes; "balanced" gives all classes the same total.

    `classes` says what the table's are. All "declared": every label of the weights must be one of them. "observed" in
    rows that may be a fold: a label may be absent, unless another class has no weight, which looks like a misspelling.
    "some" of them, in a portion of the rows: any label may be absent.

    >>> from crake.table.examples import load
    >>> class_weighted(load("golf"), "balanced").weights.round(2)[:3].tolist()
    [1.4, 1.4, 0.78]
    """
    if class_weight is None:
        return table
    target, labels = table.target, table.schema.classes
    known = target >= 0
    own = np.ones(len(table)) if table.weights is None else table.weights
    if isinstance(class_weight, Mapping):
        check_labels(class_weight, labels, classes)
    totals = class_totals(target[known], np.zeros(0) if table.weights is None else own[known], len(labels))
    weights = own.copy()
    weights[known] *= class_factors(class_weight, totals, labels)[target[known]]
    return table.with_weights(weights)


def class_totals(codes: NDArray[np.integer[Any]], weights: Floats, classes: int) -> Floats:
    """Return the weight of each class; sums are exact, so the order of the rows does not matter. No weights are ones.

    >>> class_totals(np.array([0, 1, 0]), np.array([1.0, 6.0, 1.0]), 2).tolist()
    [2.0, 6.0]
    """
    counts = np.bincount(codes, minlength=classes)
    if not len(weights):
        return counts.astype(np.float64)
    ordered = weights[np.argsort(codes, kind="stable")]
    return np.array([_exact_sum(each) for each in np.split(ordered, np.cumsum(counts)[:-1])])


def _exact_sum(values: Floats) -> float:
    """Return the sum, rounded once; only some values at a time are numbers of Python, which take four times the room.

    >>> _exact_sum(np.array([1e100, 1.0, -1e100]))
    1.0
    """
    parts = (values[begin : begin + STEP].tolist() for begin in range(0, len(values), STEP))
    return math.fsum(chain.from_iterable(parts))


def class_factors(class_weight: Any, totals: Floats, labels: tuple[Label, ...]) -> Floats:
    """Return the factor of each class, of classes with these weights in total.

    "balanced": W / (K·w_c), with the K classes that have rows; by class: as given, 1 for classes that are not named.
    """
    if isinstance(class_weight, Mapping):
        return np.array([float(class_weight.get(label, 1.0)) for label in labels])
    present = totals > 0
    factor = np.ones(len(labels))
    with np.errstate(over="ignore"):  # the weights of two classes may be as far apart as two numbers can be
        factor[present] = np.minimum(totals.sum() / (present.sum() * totals[present]), MOST)
    return factor


def check_class_weight(class_weight: Any, name: str = "class_weight") -> None:
    """Raise if a weight by class is not a positive number; `name` is that of the parameter."""
    if not isinstance(class_weight, Mapping):
        return
    for label, weight in class_weight.items():
        is_number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not is_number or not 0 < float(weight) < np.inf:
            raise CrakeError(
                f"{name} of {visible(label)!r} is {weight!r}; expected a positive number for each class, as in "
                "{'yes': 5, 'no': 1}, or 'balanced'"
            )


def check_labels(
    class_weight: Mapping[Any, Any], labels: tuple[Label, ...], classes: Known, name: str = "class_weight"
) -> None:
    """Raise if the weights name a class that is none of these; see `class_weighted`."""
    unknown = [label for label in class_weight if label not in labels]
    is_complete = all(label in class_weight for label in labels)
    if unknown and classes != "some" and (classes == "declared" or not is_complete):
        raise unknown_class(name, unknown[0], labels)


def unknown_class(name: str, label: Any, labels: tuple[Label, ...]) -> CrakeError:
    """Return the error of a parameter that names a class there is not; text and numbers that look alike are told apart.

    >>> unknown_class("amount", "1", (0, 1))
    CrakeError("amount names the class '1', which is text; expected one of 0, 1, without quotes")
    """
    names = [visible(each) for each in labels]
    known = ", ".join(names[:12])
    if isinstance(label, str) and visible(label) in names:
        return CrakeError(
            f"{name} names the class {visible(label)!r}, which is text; expected one of {known}, without quotes"
        )
    if not isinstance(label, str) and visible(label) in names:
        return CrakeError(
            f"{name} names the class {label!r}, a number; expected one of {', '.join(map(repr, names[:12]))}"
        )
    return CrakeError(
        f"{name} names the class {visible(label)!r}; expected one of {known}.{did_you_mean(visible(label), names)}"
    )
