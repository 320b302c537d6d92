"""Plain dataclasses as JSON documents: every key and every type checked, each error naming the key."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from crake.errors import CrakeError, did_you_mean

Made = TypeVar("Made")
_SCALARS: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_PLURALS: dict[Any, str] = {str: "text", int: "whole numbers"}


def from_document(kind: type[Made], values: object, where: str) -> Made:
    """Build a dataclass from a mapping; `where` begins every error.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Sample:
    ...     rows: int
    ...     columns: tuple[str, ...] = ()
    >>> from_document(Sample, {"rows": 5, "columns": ["a"]}, "sample")
    Sample(rows=5, columns=('a',))

    Text alone stands for an object with nothing but its first key.

    >>> from_document(Sample, {"row": 5}, "sample")
    Traceback (most recent call last):
    crake.errors.CrakeError: sample: unknown key 'row'. Did you mean 'rows'? Keys: rows, columns
    >>> from_document(Sample, {"rows": "5"}, "sample")
    Traceback (most recent call last):
    crake.errors.CrakeError: sample: rows = '5'; expected a whole number
    """
    hints, keys = get_type_hints(kind), _keys(kind)
    first = next(iter(keys))
    if isinstance(values, str) and hints[first] is str:
        return from_document(kind, {first: values}, where)
    if not isinstance(values, Mapping):
        raise CrakeError(f"{where}: {values!r}; expected {described(hints[first])}, or an object with {first}")
    for key in values:
        if key not in keys:
            raise CrakeError(f"{where}: unknown key {key!r}.{did_you_mean(str(key), keys)} Keys: {', '.join(keys)}")
    for key, is_required in keys.items():
        if is_required and key not in values:
            raise CrakeError(f"{where}: {key} is missing; expected {described(hints[key])}")
    return kind(**{key: _value(hints[key], value, key, where) for key, value in values.items()})


def to_document(instance: Any) -> dict[str, Any]:
    """Return the fields that differ from their defaults, as values that JSON has.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Sample:
    ...     rows: int
    ...     columns: tuple[str, ...] = ()
    >>> to_document(Sample(5)), to_document(Sample(5, ("a",)))
    ({'rows': 5}, {'rows': 5, 'columns': ['a']})
    """
    values = {field.name: getattr(instance, field.name) for field in dataclasses.fields(instance)}
    return {
        field.name: _plain(values[field.name])
        for field in dataclasses.fields(instance)
        if not has_default(field) or values[field.name] != default_of(field)
    }


def default_of(field: dataclasses.Field[Any]) -> Any:
    """Return the default of a field."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def has_default(field: dataclasses.Field[Any]) -> bool:
    """Return True if the field may be left out."""
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


def described(kind: Any) -> str:
    """Return the type of a field in words, for an error.

    >>> described(int), described(tuple[str, ...]), described(str | None), described(Literal["error", "skip"])
    ('a whole number', 'a list of text', 'text', 'one of error, skip')
    """
    kind = _without_none(kind)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if get_origin(kind) is tuple:
        return f"a list of {_PLURALS.get(get_args(kind)[0], 'objects')}"
    return "an object"


def _keys(kind: Any) -> dict[str, bool]:
    """Return the keys, and which of them must be there."""
    return {field.name: not has_default(field) for field in dataclasses.fields(kind)}


def _value(kind: Any, value: object, key: str, where: str) -> Any:
    if value is None and kind is not _without_none(kind):
        return None
    kind = _without_none(kind)
    if dataclasses.is_dataclass(kind):
        return from_document(kind, value, f"{where}, {key}")  # type: ignore[arg-type]
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return _values(kind, value, key, where)
    if _is(value, kind):
        return float(value) if kind is float else value  # type: ignore[arg-type]
    raise CrakeError(f"{where}: {key} = {value!r}; expected {described(kind)}")


def _values(kind: Any, values: Sequence[object], key: str, where: str) -> tuple[Any, ...]:
    of = get_args(kind)[0]
    if dataclasses.is_dataclass(of):
        name = key.removesuffix("s")
        return tuple(from_document(of, part, f"{where}, {name} {n}") for n, part in enumerate(values, 1))  # type: ignore[arg-type]
    if not all(_is(part, of) for part in values):
        raise CrakeError(f"{where}: {key} = {list(values)!r}; expected {described(kind)}")
    return tuple(values)


def _is(value: object, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind in (int, float):
        return isinstance(value, int if kind is int else (int, float)) and not isinstance(value, bool)
    if kind in (str, bool):
        return isinstance(value, kind)
    return get_origin(kind) is not tuple and isinstance(value, Mapping)


def _without_none(kind: Any) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        return next(part for part in get_args(kind) if part is not type(None))
    return kind


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_document(value)
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return {key: _plain(part) for key, part in value.items()} if isinstance(value, Mapping) else value
