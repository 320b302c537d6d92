"""Alignment by level: statistics that met different values agree on one list of levels before they are added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crake.arrays import Flags, Rows
from crake.errors import SchemaError
from crake.table.schema import Column, Kind, Label, Schema, sorted_levels

Levels = tuple[Label, ...]

MANY = 1000
"""Levels from which on a conversion to Arrow pays."""


def union(*lists: Levels) -> Levels:
    """Return the levels of all lists: their common list if they agree, otherwise the sorted union.

    Declared lists agree by nature, so their order stays. An empty list is the neutral element.

    >>> union(("b", "a"), ("b", "a")), union(("b", "a"), ("c",)), union((), ("b", "a"))
    (('b', 'a'), ('a', 'b', 'c'), ('b', 'a'))
    """
    different: list[Levels] = []
    for levels in lists:
        if levels and not any(are_same(levels, other) for other in different[:1]):
            different.append(levels)
    if len(different) <= 1:
        return different[0] if different else ()
    texts = [_texts(levels) for levels in different]
    if all(text is not None for text in texts):
        return _sorted_texts(texts)
    return sorted_levels(level for levels in different for level in levels)


def _texts(levels: Levels) -> pa.Array | None:
    """Return many levels that are all text as an Arrow array, and None for others."""
    if len(levels) < MANY or set(map(type, levels)) != {str}:
        return None
    try:
        return pa.array(levels, pa.large_string())
    except (UnicodeEncodeError, pa.ArrowException):  # half a surrogate pair is no text to Arrow
        return None


def _sorted_texts(texts: list[pa.Array]) -> Levels:
    """Return the distinct texts in their order; Arrow orders text by its bytes, which is Python's order."""
    distinct = pa.chunked_array(texts).unique()
    return tuple(distinct.take(pc.array_sort_indices(distinct)).to_pylist())


def are_same(one: Levels, other: Levels) -> bool:
    """Return True if both lists hold the same levels in the same order.

    >>> are_same((1, "a"), (1.0, "a")), are_same((1, "a"), (True, "a"))
    (True, False)
    """
    if one is other:
        return True
    return one == other and all(isinstance(a, bool) == isinstance(b, bool) for a, b in zip(one, other, strict=True))


def level_key(level: Label) -> tuple[bool, Label]:
    """Return a key that tells True from 1, which are equal in Python; 1 and 1.0 are one level."""
    return isinstance(level, bool), level


def merged_schema(*schemas: Schema) -> Schema:
    """Return the columns of all schemas, which must be the same, with the levels of all."""
    first = schemas[0]
    for other in schemas[1:]:
        if [(c.name, c.kind) for c in first.columns] != [(c.name, c.kind) for c in other.columns]:
            raise SchemaError(
                "statistics of different columns cannot be merged: "
                f"{', '.join(f'{c.name} ({c.kind})' for c in first.columns)} and "
                f"{', '.join(f'{c.name} ({c.kind})' for c in other.columns)}"
            )
    columns = (
        replace(
            columns[0],
            levels=union(*(column.levels for column in columns)),
            declared=all(column.declared for column in columns),
        )
        for columns in zip(*(schema.columns for schema in schemas), strict=True)
    )
    return replace(first, columns=tuple(columns))


class LevelPlaces:
    """The places of the levels in one schema. Each column's dictionary is built once, for all that align to it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._texts: dict[str, pa.Array | None] = {}
        self._place: dict[str, dict[tuple[bool, Label], int]] = {}

    def of(self, column: Column) -> Rows:
        """Return the place of every level of this column among the schema's levels of the same column."""
        among = self.schema[column.name].levels
        if are_same(column.levels, among):
            return np.arange(len(among))
        if column.name not in self._texts:
            self._texts[column.name] = _texts(among)
        known, own = self._texts[column.name], _texts(column.levels)
        if known is not None and own is not None:
            places: Rows = pc.index_in(own, known).to_numpy().astype(np.intp)
            return places
        if column.name not in self._place:
            self._place[column.name] = {level_key(level): i for i, level in enumerate(among)}
        keys = map(level_key, column.levels)
        return np.fromiter(map(self._place[column.name].__getitem__, keys), np.intp, len(column.levels))


class Alignment:
    """The step from one schema to another: where each level goes; −1 for a level without rows that is dropped."""

    def __init__(self, before: Schema, after: Schema, moves: Mapping[str, Rows]) -> None:
        self.before, self.schema, self._moves = before, after, moves

    @classmethod
    def to(cls, places: LevelPlaces, before: Schema) -> Alignment:
        """Return the step to a schema that has all levels of `before`."""
        nominal = [column for column in before.columns if column.kind is Kind.NOMINAL]
        return cls(before, places.schema, {column.name: places.of(column) for column in nominal})

    @property
    def classes(self) -> Move:
        """The step of the classes."""
        target = self.before.target
        moved = self._moves.get(target or "")
        size = len(self.schema.classes)
        return Move(np.arange(size) if moved is None else moved, size)

    @cached_property
    def nominal(self) -> tuple[Move, ...]:
        """The steps of the nominal features, in table order."""
        return tuple(Move(self._moves[c.name], len(c.levels)) for c in self.schema.nominal)

    @property
    def keeps_classes(self) -> bool:
        """True if no class changes its place and none is added."""
        return self.classes.is_nothing

    @property
    def keeps_features(self) -> bool:
        """True if no level of a nominal feature changes its place and none is added."""
        return all(move.is_nothing for move in self.nominal)


class Move:
    """New places of old levels: `old` are the places of levels that stay, `new` where they go among `size`."""

    def __init__(self, places: Rows, size: int) -> None:
        stays = places >= 0
        self.size = size
        self.old: Rows = np.flatnonzero(stays)
        self.new: Rows = places[stays]
        self.table = places
        self.is_nothing = len(places) == size and bool(np.array_equal(places, np.arange(size)))


def places_after_removal(keep: Flags) -> Rows:
    """Return the new place of every level when only some are kept.

    >>> places_after_removal(np.array([True, False, True])).tolist()
    [0, -1, 1]
    """
    return np.where(keep, np.cumsum(keep) - 1, -1)


def with_levels(schema: Schema, columns: Sequence[Column]) -> Schema:
    """Return the schema with these columns in place of those of the same names."""
    place = {column.name: column for column in columns}
    return replace(schema, columns=tuple(place.get(column.name, column) for column in schema.columns))
