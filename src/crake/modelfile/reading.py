"""Reading: from a JSON document and tensors to a fitted learner, everything checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, ModelFileError
from crake.learners import registry
from crake.learners.base.state import Labels, State, StateReader
from crake.modelfile.container import Tensors
from crake.modelfile.labels import labels_of
from crake.modelfile.parameters import IN_FILES, MOST_DEPTH, parameter_of

MOST_LEARNERS = 2_000
"""Learners that are parameters of others, in one file: those of a grid, mostly."""

_MISFITS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError,
)  # fmt: skip


class Reader:
    """Builds learners from a document's nodes; each tensor belongs to one place, by its name, and is used once."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = dict(tensors)
        self._names: dict[str, list[str]] = {}
        for name in tensors:
            self._names.setdefault(name.rpartition("/")[0], []).append(name)
        self._depth = 0
        self._learners = 0

    def model(self, node: Any, path: str = "") -> Any:
        """Return the fitted learner of a node."""
        classes = registry.stored() if path else registry.in_files()
        learner = self._unfitted(node, {"learner", "parameters", "state"}, path, classes)
        reader = StateReader(self.group(node["state"], path), path)
        try:
            # Bounds on the numbers keep sums finite; a hostile file must not make NumPy warn about others.
            with np.errstate(all="ignore"):
                learner.restore(reader)
        except CrakeError:
            raise
        except _MISFITS as error:
            raise ModelFileError(f"{path}its parts do not fit together: {str(error)[:200]}") from error
        reader.done()
        return learner

    def group(self, node: Any, path: str) -> State:
        """Return the values of one state by name."""
        if not isinstance(node, dict):
            raise ModelFileError(f"{path or 'state'} is {str(node)[:100]}; expected an object")
        self._deeper()
        state = {name: self._value(value, f"{path}{name}") for name, value in node.items()}
        self._depth -= 1
        return state

    def done(self) -> None:
        """Raise for tensors that belong to no part."""
        if self._tensors:
            raise ModelFileError(f"the array {min(self._tensors)[:100]!r} belongs to no part of the model")

    def _unfitted(self, node: Any, keys: set[str], path: str, classes: Mapping[str, Any]) -> Any:
        if not isinstance(node, dict) or set(node) != keys:
            raise ModelFileError(f"{path}a learner is {str(node)[:100]}; expected the keys {', '.join(sorted(keys))}")
        make = classes.get(node["learner"]) if isinstance(node["learner"], str) else None
        if make is None:
            known = ", ".join(classes)
            raise ModelFileError(f"it holds a learner {str(node['learner'])[:100]!r}; this crake knows {known}")
        self._deeper()
        learner = make(**self._parameters(node["parameters"], make))
        self._depth -= 1
        try:
            learner.check_stored()
        except CrakeError:
            raise
        except _MISFITS as error:
            raise ModelFileError(f"a parameter is not allowed: {str(error)[:300]}") from error
        return learner

    def _parameters(self, node: Any, make: Any) -> dict[str, Any]:
        if not isinstance(node, dict):
            raise ModelFileError(f"parameters are {str(node)[:100]}; expected an object")
        known = {IN_FILES.get(name, name): name for name in registry.parameters_of(make())}
        unknown = sorted(set(node) - set(known))
        if unknown:
            raise ModelFileError(f"{make.__name__} has no parameter {unknown[0][:100]!r}; it has {', '.join(known)}")
        parameters = {known[name]: parameter_of(value, self._inner) for name, value in node.items()}
        return make.parameters_of_file(parameters) if hasattr(make, "parameters_of_file") else parameters

    def _inner(self, node: Any) -> Any:
        """Return a learner as the parameter of another."""
        self._learners += 1
        if self._learners > MOST_LEARNERS:
            raise ModelFileError(f"its parameters hold more than {MOST_LEARNERS:,} learners; expected fewer")
        return self._unfitted(node, {"learner", "parameters"}, "", registry.as_parameters())

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise ModelFileError(f"its learners are nested more than {MOST_DEPTH} deep")

    def _value(self, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            if isinstance(value, float | list):
                raise ModelFileError(f"{path} is {str(value)[:100]}; expected a whole number, text or an array")
            return value
        kind, content = next(iter(value.items())) if len(value) == 1 else ("", None)
        if kind == "array" and content == path:
            return self._taken(path)
        if kind == "labels" and content == path:
            return Labels(labels_of(self._labels(path)))
        if kind == "group":
            return self.group(content, f"{path}/")
        if kind == "model":
            return self.model(content, f"{path}/")
        raise ModelFileError(f"{path} is {str(value)[:100]}; expected its array, its labels, a group or a model")

    def _taken(self, name: str) -> NDArray[Any]:
        if name not in self._tensors:
            raise ModelFileError(f"the array {name[:100]!r} is missing")
        return self._tensors.pop(name)

    def _labels(self, path: str) -> Tensors:
        """Return the tensors of labels, by the last part of their names."""
        return {name[len(path) + 1 :]: self._taken(name) for name in self._names.get(path, [])}
