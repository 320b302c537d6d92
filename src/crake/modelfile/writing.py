"""From a fitted learner to a JSON document and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from crake.errors import CrakeError
from crake.learners import registry
from crake.learners.state import Labels, State
from crake.modelfile.container import DTYPES, FORMAT, NEEDS, Tensors, packed
from crake.modelfile.labels import label_tensors
from crake.modelfile.parameters import parameter_json


def model_bytes(model: Any) -> bytes:
    """The file of a fitted learner; equal models give equal bytes."""
    tensors: Tensors = {}
    document = {"format": list(FORMAT), "needs": NEEDS, "model": _node(model, "", tensors, fitted=True)}
    return packed(document, tensors)


def _node(model: Any, path: str, tensors: Tensors, *, fitted: bool) -> dict[str, Any]:
    """A learner: its name in the registry, its parameters and, once fitted, its state."""
    name = type(model).__name__
    if registry.stored().get(name) is not type(model):
        raise CrakeError(
            f"a {name} cannot be saved: a model file holds the learners of crake, {', '.join(registry.stored())}"
        )
    parameters = {
        key: parameter_json(value, lambda inner: _node(inner, path, tensors, fitted=False))
        for key, value in model.get_params(deep=False).items()
    }
    node = {"learner": name, "parameters": parameters}
    return {**node, "state": _group(_state(model), path, tensors)} if fitted else node


def _state(model: Any) -> State:
    try:
        state: State = model.state()
    except NotFittedError as error:
        raise CrakeError(f"this {type(model).__name__} is not fitted, so there is nothing to save; call fit") from error
    return state


def _group(state: State, path: str, tensors: Tensors) -> dict[str, Any]:
    return {name: _value(value, f"{path}{name}", tensors) for name, value in state.items()}


def _value(value: Any, path: str, tensors: Tensors) -> Any:
    """Scalars as they are; arrays and labels become tensors, named by where they stand."""
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, np.ndarray):
        if value.dtype not in DTYPES.values():
            raise CrakeError(f"{path} is an array of {value.dtype}; a model file holds {', '.join(DTYPES)}")
        tensors[path] = value
        return {"array": path}
    if isinstance(value, Labels):
        tensors.update({f"{path}/{name}": tensor for name, tensor in label_tensors(value.values).items()})
        return {"labels": path}
    if isinstance(value, dict):
        return {"group": _group(value, f"{path}/", tensors)}
    return {"model": _node(value, f"{path}/", tensors, fitted=True)}
