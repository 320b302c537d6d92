"""Parameters as JSON and back: scalars, lists, tuples, arrays, mappings, plans, costs, and learners within learners."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from crake.errors import CrakeError, ModelFileError
from crake.metrics.cost.matrix import CostMatrix
from crake.plans import CrossValidation, HashedFolds, Holdout, LeaveOneOut

MOST_DEPTH = 16
"""Lists within lists, learners within learners."""

IN_FILES = {"estimator": "learner"}
"""Parameters that files call by another name, which they had when the first files were written."""

LEAST_LETTERS = 4_000_000
"""Letters that an array of texts may always take, each cell as wide as the longest."""
MOST_WIDENING = 8
"""Beyond that: how many times the letters of the file."""

PLANS: dict[str, Any] = {make.__name__: make for make in (CrossValidation, HashedFolds, Holdout, LeaveOneOut)}
"""The plans a parameter may be; folds that were given row by row are as many as the rows, and not among them."""

_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def parameter_json(value: Any, learner: Callable[[Any], Any], depth: int = 0) -> Any:
    """Return JSON for a parameter; whatever JSON has no word for is an object with one key that names it.

    >>> parameter_json((1, 2.5, {"yes": 0.9}), learner=None)
    {'tuple': [1, 2.5, {'mapping': [['yes', 0.9]]}]}
    """
    if depth > MOST_DEPTH:
        raise CrakeError(f"a parameter is nested more than {MOST_DEPTH} deep; a model file cannot hold it")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in {bool, int, str}:
        return value
    if type(value) is float:
        return value + 0.0 if math.isfinite(value) else {"float": str(value)}
    if type(value) in PLANS.values():
        settings = sorted(dataclasses.asdict(value).items())
        return {"plan": [type(value).__name__, *(parameter_json(list(item), learner, depth + 1) for item in settings)]}
    kind, parts = _parts(value)
    if kind == "learner":
        return {kind: learner(value)}
    written = [parameter_json(part, learner, depth + 1) for part in parts]
    return {kind: written} if kind else written


def _parts(value: Any) -> tuple[str, list[Any]]:
    """Return the kind of a parameter and its parts; an array of objects is a list."""
    if isinstance(value, np.ndarray):
        return ("" if value.dtype.kind == "O" else "array"), value.tolist()
    if isinstance(value, CostMatrix):
        return "costs", [list(value.labels), value.costs.tolist()]
    if isinstance(value, Mapping):
        items = sorted(value.items(), key=lambda item: (type(item[0]).__name__, item[0]))
        return "mapping", [list(item) for item in items]
    if type(value) in {list, tuple}:
        return ("" if type(value) is list else "tuple"), list(value)
    return "learner", []


def parameter_of(value: Any, learner: Callable[[Any], Any], depth: int = 0) -> Any:
    """Return the parameter of this JSON.

    >>> parameter_of({"tuple": [1, {"float": "inf"}]}, learner=None)
    (1, inf)
    """
    if depth > MOST_DEPTH:
        raise ModelFileError(f"a parameter is nested more than {MOST_DEPTH} deep")
    if isinstance(value, list):
        return [parameter_of(part, learner, depth + 1) for part in value]
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items())) if len(value) == 1 else ("", None)
    if kind == "learner":
        return learner(content)
    if kind == "float" and isinstance(content, str) and content in _FLOATS:
        return _FLOATS[content]
    if kind not in _MAKERS or not isinstance(content, list):
        raise ModelFileError(f"a parameter is {str(value)[:100]}; expected a scalar, a list, a mapping or a learner")
    return _MAKERS[kind]([parameter_of(part, learner, depth + 1) for part in content])


def _array(values: list[Any]) -> Any:
    _check_width(values)
    try:
        array = np.array(values)
    except (ValueError, OverflowError) as error:
        raise ModelFileError("a parameter is an array of uneven rows") from error
    if array.dtype.kind not in "biufU":
        raise ModelFileError(f"a parameter is an array of {array.dtype}; expected numbers or text")
    return array


def _check_width(values: list[Any]) -> None:
    """Raise before NumPy gives every cell the width of the longest text, where that is far more than their letters."""
    cells, texts, letters, longest = 0, 0, 0, 0
    parts: list[Sequence[Any]] = [values]
    while parts:
        for value in parts.pop():
            if isinstance(value, list | tuple):
                parts.append(value)
                continue
            cells += 1
            if isinstance(value, str):
                texts, letters, longest = texts + 1, letters + len(value), max(longest, len(value))
    if 0 < texts < cells:
        raise ModelFileError("a parameter is an array of texts and others; expected texts only, or numbers only")
    if cells * longest > max(LEAST_LETTERS, MOST_WIDENING * letters):
        raise ModelFileError(
            f"a parameter is an array of {cells:,} texts, one of them of {longest:,} letters; expected texts of "
            f"about equal length, or at most {LEAST_LETTERS:,} letters in all"
        )


def _plan(parts: list[Any]) -> Any:
    name, settings = (parts[0], parts[1:]) if parts else (None, [])
    if not isinstance(name, str) or name not in PLANS:
        raise ModelFileError(f"a parameter is the plan {str(name)[:100]!r}; expected one of {', '.join(PLANS)}")
    try:
        return PLANS[name](**_mapping(settings))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ModelFileError(f"a parameter is a {name} that cannot be: {str(error)[:200]}") from error


def _costs(parts: list[Any]) -> CostMatrix:
    try:
        labels, costs = parts
        return CostMatrix(tuple(labels), np.array(costs, np.float64))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ModelFileError(f"a parameter is a cost matrix that cannot be: {str(error)[:200]}") from error


def _mapping(items: list[Any]) -> dict[Any, Any]:
    if not all(isinstance(item, list) and len(item) == 2 and not isinstance(item[0], list | dict) for item in items):
        raise ModelFileError("a parameter is a mapping whose items are not pairs")
    try:
        mapping = dict(items)
    except TypeError as error:
        raise ModelFileError("a parameter is a mapping with a key that cannot be one") from error
    if len(mapping) < len(items):
        raise ModelFileError("a parameter is a mapping with a key twice")
    return mapping


_MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "array": _array,
    "mapping": _mapping,
    "plan": _plan,
    "costs": _costs,
}
