"""The statistics of one set of rows: the members that a learner reads, under one schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.statistics.levels import Alignment, LevelPlaces, Levels, merged_schema
from crake.statistics.statistic import Member, Statistic
from crake.table.schema import Schema

S = TypeVar("S", bound=Statistic)


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics under one schema. `parts` holds them by name, in the order they were asked for.

    `statistics[ClassCounts]` is the typed access; `statistics.class_counts` is the same for people.
    """

    schema: Schema
    parts: Mapping[str, Statistic]

    @classmethod
    def empty(cls, schema: Schema, members: Sequence[Member], groups: int = 1) -> Statistics:
        """Return the statistics of no rows."""
        return cls(schema, {member.name: member.empty(schema, groups) for member in members})

    def __getitem__(self, member: type[S]) -> S:
        part = self.get(member)
        if part is None:
            raise CrakeError(f"expected statistics with {member.name}, got {', '.join(self.parts) or 'none'}")
        return part

    def get(self, member: type[S]) -> S | None:
        """Return the statistic of this type, or None if it was not gathered."""
        part = self.parts.get(member.name)
        return part if isinstance(part, member) else None

    if not TYPE_CHECKING:  # code of crake itself uses the typed access

        def __getattr__(self, name: str) -> Any:
            parts = self.__dict__.get("parts", {})
            if name not in parts:
                raise AttributeError(f"expected one of {', '.join(parts)}, got {name!r}", name=name, obj=self)
            return parts[name]

    @property
    def classes(self) -> Levels:
        """The classes, in schema order."""
        return self.schema.classes

    def with_part(self, part: Statistic) -> Statistics:
        """Return the statistics with one more, or with this one in place of that of the same name."""
        return replace(self, parts={**self.parts, part.name: part})

    def with_classes(self, classes: Levels) -> Statistics:
        """Return the same counts with classes that no row has had yet."""
        target = self.schema[self.schema.target or ""]
        return self.under(merged_schema(self.schema, self.schema.with_column(replace(target, levels=classes))))

    def under(self, schema: Schema) -> Statistics:
        """Return the same counts under a schema that has all levels of this one, and more."""
        if schema is self.schema:
            return self
        return self.aligned(Alignment.to(LevelPlaces(schema), self.schema))

    def aligned(self, alignment: Alignment) -> Statistics:
        """Return the same counts with each level in its new place."""
        return Statistics(alignment.schema, {name: part.under(alignment) for name, part in self.parts.items()})

    def merge(self, other: Statistics) -> Statistics:
        """Return the statistics of both sets of rows."""
        return merge_all([self, other])

    def total(self) -> Statistics:
        """Return all groups together, as one group."""
        return self._each(lambda part: part.total())

    def select(self, group: int) -> Statistics:
        """Return one group alone: the statistics that the model of one sample is trained on."""
        return self._each(lambda part: part.select(group))

    def without(self, group: int) -> Statistics:
        """Return all groups but one: the statistics that the model of that fold is trained on."""
        return self._each(lambda part: part.without(group))

    def with_class_weights(self, factors: Floats) -> Statistics:
        """Return the statistics of the same rows, each with its weight times the factor of its class."""
        return self._each(lambda part: part.with_class_weights(factors))

    def _each(self, change: Callable[[Statistic], Statistic]) -> Statistics:
        return replace(self, parts={name: change(part) for name, part in self.parts.items()})


def merge_all(parts: Iterable[Statistics]) -> Statistics:
    """Return the statistics of all sets of rows. The union of their levels is taken once, not once per merge."""
    parts = list(parts)
    first = parts[0]
    for other in parts[1:]:
        if first.parts.keys() != other.parts.keys():
            raise CrakeError(
                "expected the same statistics in all parts of a merge, "
                f"got {', '.join(first.parts)} and {', '.join(other.parts)}"
            )
    schema = merged_schema(*(part.schema for part in parts))
    places = LevelPlaces(schema)
    steps = [Alignment.to(places, part.schema) for part in parts]

    def aligned(name: str) -> Iterator[Statistic]:
        """Return one statistic of all parts, each aligned when its turn comes."""
        return (part.parts[name].under(step) for part, step in zip(parts, steps, strict=True))

    return Statistics(schema, {name: part.merge_all(aligned(name)) for name, part in first.parts.items()})
