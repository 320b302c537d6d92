"""Statistics as bytes: arrays and JSON, so that what comes back from another machine runs no code of its own.

A message has the length of its head in 8 bytes, the head as JSON, then the arrays one after the other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.statistics.collection import Statistics
from crake.statistics.statistic import Member
from crake.table.schema import Column, Kind, Schema

TYPES = ("<f8", "<i8", "<i4", "|u1", "|b1")
"""Types of arrays in a message."""

T = TypeVar("T")


def message_of(statistics: Statistics, groups: int) -> bytes:
    """Return the statistics as bytes."""
    arrays: list[NDArray[Any]] = []
    parts = {name: _stored(part, arrays) for name, part in statistics.parts.items()}
    shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
    head = {"schema": schema_state(statistics.schema), "groups": groups, "parts": parts, "arrays": shapes}
    text = json.dumps(head).encode()
    return b"".join([len(text).to_bytes(8, "little"), text, *(array.tobytes() for array in arrays)])


def statistics_of(message: bytes, members: Sequence[Member]) -> Statistics:
    """Return the statistics of a message; raise if it is cut off, or holds others than these members."""
    try:
        size = int.from_bytes(message[:8], "little")
        head = json.loads(message[8 : 8 + size])
        arrays = _arrays(message, 8 + size, head["arrays"])
        schema = schema_of(head["schema"])
        empty = Statistics.empty(schema, members, int(head["groups"]))
        parts = {name: _restored(part, head["parts"][name], arrays) for name, part in empty.parts.items()}
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise CrakeError(f"expected the statistics of a partition, got a damaged message: {error!r:.200}") from None
    return Statistics(schema, parts)


def packed(arrays: Sequence[NDArray[Any]]) -> bytes:
    """Return arrays as bytes.

    >>> unpacked(packed([np.array([[1.5]]), np.zeros(0)]))
    [array([[1.5]]), array([], dtype=float64)]
    """
    shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
    text = json.dumps({"arrays": shapes}).encode()
    return b"".join([len(text).to_bytes(8, "little"), text, *(np.ascontiguousarray(each).tobytes() for each in arrays)])


def unpacked(message: bytes) -> list[NDArray[Any]]:
    """Return the arrays of a message; raise if it is cut off."""
    try:
        size = int.from_bytes(message[:8], "little")
        return _arrays(message, 8 + size, json.loads(message[8 : 8 + size])["arrays"])
    except (ValueError, KeyError, TypeError) as error:
        raise CrakeError(f"expected the sums of a partition, got a damaged message: {error!r:.200}") from None


def schema_state(schema: Schema) -> dict[str, Any]:
    """Return a schema as JSON holds it."""
    columns = [[c.name, c.kind.value, list(c.levels), c.declared, c.notation] for c in schema.columns]
    return {"columns": columns, "target": schema.target}


def schema_of(state: dict[str, Any]) -> Schema:
    """Return the schema of `schema_state`.

    >>> schema = Schema((Column("wind", Kind.NOMINAL, ("weak", 1, True)), Column("sun", Kind.NUMERIC)), "wind")
    >>> schema_of(json.loads(json.dumps(schema_state(schema)))) == schema
    True
    """
    columns = tuple(
        Column(name, Kind(kind), tuple(levels), declared, notation)
        for name, kind, levels, declared, notation in state["columns"]
    )
    return Schema(columns, state["target"])


def _arrays(message: bytes, start: int, shapes: Sequence[Any]) -> list[NDArray[Any]]:
    arrays = []
    for kind, shape in shapes:
        if kind not in TYPES:
            raise ValueError(f"an array of type {kind}")
        size = math.prod(shape)
        # A copy: statistics are added to in place.
        arrays.append(np.frombuffer(message, np.dtype(kind), size, start).reshape(shape).copy())
        start += arrays[-1].nbytes
    if start != len(message):
        raise ValueError(f"{len(message)} bytes where {start} were announced")
    return arrays


def _stored(part: Any, arrays: list[NDArray[Any]]) -> dict[str, Any]:
    """Return the values of a statistic that rows change: arrays by their numbers, plain values, parts."""
    state: dict[str, Any] = {}
    for name, value in _values(part):
        if isinstance(value, np.ndarray):
            state[name] = len(arrays)
            arrays.append(np.ascontiguousarray(value))
        elif isinstance(value, tuple):
            state[name] = [_stored(each, arrays) if is_dataclass(each) else each for each in value]
        elif is_dataclass(value):
            state[name] = _stored(value, arrays)
        else:
            state[name] = value
    return state


def _restored(empty: T, state: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> T:
    new: dict[str, Any] = {}
    for name, value in _values(empty):
        stored = state[name]
        if isinstance(value, np.ndarray):
            if arrays[stored].ndim != value.ndim:
                raise ValueError(f"{name} of {arrays[stored].ndim} dimensions")
            new[name] = arrays[stored].astype(value.dtype, copy=False)
        elif is_dataclass(value):
            new[name] = _restored(value, stored, arrays)
        elif isinstance(value, tuple) and value:
            new[name] = tuple(_restored(one, other, arrays) for one, other in zip(value, stored, strict=True))
        else:
            new[name] = tuple(stored) if isinstance(value, tuple) else type(value)(stored)
    return cast(T, replace(cast(Any, empty), **new))


def _values(part: Any) -> list[tuple[str, Any]]:
    """Return the fields that rows change: arrays, numbers, and tuples other than columns and levels.

    A field that `__init__` does not take is a note on the others, and is made anew.
    """
    own = [(each.name, getattr(part, each.name)) for each in fields(part) if each.init]
    fixed = ("column", "columns", "classes", "target", "terms", "tokeniser", "families")
    return [(name, value) for name, value in own if name not in fixed]
