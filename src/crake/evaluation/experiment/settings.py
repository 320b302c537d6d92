"""The settings of a learner or a plan as one JSON document: equal settings give equal text, others never do."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from crake.errors import CrakeError

MOST_DEPTH = 16


def settings_of(value: Any, depth: int = 0) -> Any:
    """JSON for a learner with all its parameters, or for a parameter.

    Learners and functions are named by their module; those of other libraries with the library's version, since another
    version may give other numbers. What cannot be written down, such as a random generator, is refused.

    >>> from crake.learners.naive_bayes import NaiveBayesClassifier
    >>> document = settings_of(NaiveBayesClassifier(alpha=0.5))
    >>> document["class"].split(".")[-1], document["parameters"]["alpha"]
    ('NaiveBayesClassifier', 0.5)
    """
    if depth > MOST_DEPTH:
        raise CrakeError(
            f"a parameter is nested more than {MOST_DEPTH} deep; expected a learner within a learner or two"
        )
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in {bool, int, str}:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [settings_of(part, depth + 1) for part in value]}
    if isinstance(value, np.ndarray):
        return {"array": [str(value.dtype), list(value.shape), settings_of(value.ravel().tolist(), depth + 1)]}
    if isinstance(value, Mapping):
        return {"mapping": [[settings_of(k, depth + 1), settings_of(v, depth + 1)] for k, v in value.items()]}
    return _named(value, depth)


def _named(value: Any, depth: int) -> Any:
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = sorted(value.get_params(deep=False).items())
        inner = {name: settings_of(part, depth + 1) for name, part in parameters}
        return {**_class_of(type(value)), "parameters": inner}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {**_class_of(type(value)), "parameters": {k: settings_of(v, depth + 1) for k, v in fields.items()}}
    name = getattr(value, "__qualname__", getattr(value, "__name__", ""))
    module = getattr(value, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else None)
    if name and module and "<" not in name:
        return {"name": f"{module}.{name}"}
    raise CrakeError(
        f"a learner has a {type(value).__name__} as a parameter, which cannot be written down as a setting; expected "
        "numbers, text, lists, learners, or functions that have a name (random_state: a whole number)"
    )


def _class_of(kind: type) -> dict[str, str]:
    root = kind.__module__.partition(".")[0]
    version = getattr(sys.modules.get(root), "__version__", "")
    known = {} if root == "crake" or not version else {"version": f"{root} {version}"}
    return {"class": f"{kind.__module__}.{kind.__qualname__}", **known}
