"""Writing: from a fitted learner to a JSON document and tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.learners import registry
from crake.learners.base.state import Labels, State
from crake.modelfile.container import DTYPES, EDITED, FIRST, NEEDS, Tensors, pieces
from crake.modelfile.labels import label_tensors
from crake.modelfile.parameters import IN_FILES, MOST_DEPTH, parameter_json
from crake.slow_modules import sklearn_exceptions

INSTEAD = {
    "Pipeline": " Of a Pipeline, save each step that is crake's in a file of its own.",
    "MaintainedTree": " Of a MaintainedTree, save its model_.",
}
"""Advice for models that no file holds."""


def model_bytes(model: Any) -> bytes:
    """Return the file of a fitted learner; equal models give equal bytes."""
    return b"".join(written(model)[0])


def written(model: Any) -> tuple[Iterator[bytes], str]:
    """Return the file of a fitted learner in pieces, and in words the training rows in it, if there are any."""
    writer = _Writer()
    fitted = writer.fitted(model)
    document = {"format": list(_format(writer.tensors)), "needs": NEEDS, "model": fitted}
    return pieces(document, writer.tensors), _rows_text(writer.tensors)


def count_rows(tensors: Tensors) -> int:
    """Count the training rows among the arrays of a file; a row counts once for each member of an ensemble with it."""
    return sum(map(len, _row_numbers(tensors)))


def _format(tensors: Tensors) -> tuple[int, int]:
    """Return the oldest version of the format that has all these parts: older crakes read whatever they can.

    >>> _format({"tree/kind": np.zeros(1)}), _format({"edits/how": np.zeros(1)})
    ((1, 0), (1, 1))
    """
    return EDITED if any(f"/{name}".endswith("/edits/how") for name in tensors) else FIRST


def _rows_text(tensors: Tensors) -> str:
    """Return the training rows of a file in words.

    >>> one, other = np.arange(3), np.arange(2)
    >>> _rows_text({"training_rows/numbers": one})
    '3 of the rows'
    >>> _rows_text({"members/0/training_rows/numbers": one, "members/1/training_rows/numbers": other})
    '5 copies of the rows (2 members hold theirs each)'
    """
    rows, holders = count_rows(tensors), len(_row_numbers(tensors))
    if holders > 1:
        return f"{rows} copies of the rows ({holders} members hold theirs each)"
    return f"{rows} of the rows" if rows else ""


def _row_numbers(tensors: Tensors) -> list[NDArray[Any]]:
    """Return the numbers of the training rows: a learner's part `training_rows` has the number of each."""
    return [array for name, array in tensors.items() if f"/{name}".endswith("/training_rows/numbers")]


NOT_OF_THE_MODEL = frozenset({"n_jobs"})
"""Parameters that say how to compute, not what: files do not tell how many threads made a model."""


class _Writer:
    """Collects the tensors of a model while its JSON is made; a tensor's name says where it stands."""

    def __init__(self) -> None:
        self.tensors: Tensors = {}
        self._depth = 0

    def fitted(self, model: Any, path: str = "") -> dict[str, Any]:
        """Return a fitted learner: its name in the registry, its parameters, its state."""
        return {**self._unfitted(model, registry.in_files()), "state": self._group(_state(model), path)}

    def _inner(self, model: Any) -> dict[str, Any]:
        """Return a learner as the parameter of another."""
        return self._unfitted(model, registry.as_parameters())

    def _unfitted(self, model: Any, classes: Mapping[str, Any]) -> dict[str, Any]:
        name = type(model).__name__
        if classes.get(name) is not type(model):
            hint = INSTEAD.get(name, " Those that `crake learners` lists can be saved.")
            raise CrakeError(f"{name} cannot be saved: a model file holds learners of crake only.{hint}")
        self._deeper()
        parameters = registry.parameters_of(model)
        node = {
            "learner": name,
            "parameters": {
                IN_FILES.get(key, key): parameter_json(None if key in NOT_OF_THE_MODEL else value, self._inner)
                for key, value in parameters.items()
            },
        }
        self._depth -= 1
        return node

    def _group(self, state: State, path: str) -> dict[str, Any]:
        self._deeper()
        group = {name: self._value(value, f"{path}{name}") for name, value in state.items()}
        self._depth -= 1
        return group

    def _value(self, value: Any, path: str) -> Any:
        """Return JSON for a value; arrays and labels become tensors."""
        if value is None or type(value) in {bool, int, str}:
            return value
        if isinstance(value, np.ndarray):
            if value.dtype not in DTYPES.values():
                raise CrakeError(f"{path} is an array of {value.dtype}; a model file holds {', '.join(DTYPES)}")
            if value.dtype.kind == "f" and not np.isfinite(value).all():
                raise CrakeError(
                    f"{path} holds a number that is not finite; loading would refuse it: fit the model again"
                )
            self.tensors[path] = value
            return {"array": path}
        if isinstance(value, Labels):
            self.tensors |= {f"{path}/{name}": tensor for name, tensor in label_tensors(value.values).items()}
            return {"labels": path}
        if isinstance(value, dict):
            return {"group": self._group(value, f"{path}/")}
        return {"model": self.fitted(value, f"{path}/")}

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise CrakeError(f"learners are nested more than {MOST_DEPTH} deep; a model file cannot hold them")


def _state(model: Any) -> State:
    try:
        state: State = model.state()
    except sklearn_exceptions.NotFittedError as error:
        raise CrakeError(f"this {type(model).__name__} is not fitted, so there is nothing to save; call fit") from error
    return state
