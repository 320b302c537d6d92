"""The directed acyclic graph of a network: names, the parents of each, and an order from causes to effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crake.errors import ColumnNotFound, CrakeError
from crake.render.short_repr import short_repr

MOST_NODES = 10_000
"""Variables that a network may have."""


@dataclass(frozen=True)
class Graph:
    """`names` of the variables, and for each the places of its `parents`, in the order of its table's axes.

    A cycle is an error that names it.

    >>> Graph.of_arcs([("Storm", "Campfire"), ("Bus", "Campfire")])
    Graph(names=('Storm', 'Campfire', 'Bus'), parents=((), (0, 2), ()))
    >>> Graph.of_arcs([("a", "b"), ("b", "c"), ("c", "b")])
    Traceback (most recent call last):
    crake.errors.CrakeError: expected arcs without a cycle, got b → c → b; leave out or turn round one of these arcs
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if len(self.names) > MOST_NODES:
            raise CrakeError(f"expected at most {MOST_NODES:,} variables, got {len(self.names):,}; leave some out")
        if len(self.parents) != len(self.names):
            raise CrakeError(f"expected parents for {len(self.names)} variables, got {len(self.parents)}")
        if len(set(self.names)) < len(self.names):
            double, _ = Counter(self.names).most_common(1)[0]
            raise CrakeError(f"expected a name of its own for each variable, got {double!r} twice")
        for child, own in enumerate(self.parents):
            self._check_parents(child, own)
        _ = self.order  # a cycle is found here

    @classmethod
    def of_arcs(cls, arcs: Iterable[Sequence[str]], names: Collection[Any] = ()) -> Graph:
        """Return the graph of arcs (parent, child). `names` come first, also those of variables without an arc."""
        wrong = [name for name in names if not isinstance(name, str)]
        if wrong:
            raise CrakeError(f"expected names of variables, got {wrong[0]!r}; write 'Storm'")
        place = {name: at for at, name in enumerate(dict.fromkeys(names))}
        parents: list[list[int]] = [[] for _ in place]
        for parent, child in map(_checked_arc, arcs):
            for name in (parent, child):
                if name not in place:
                    place[name] = len(place)
                    parents.append([])
            if place[parent] in parents[place[child]]:
                raise CrakeError(f"expected each arc once, got {parent} → {child} twice")
            parents[place[child]].append(place[parent])
        return cls(tuple(place), tuple(map(tuple, parents)))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each name."""
        return {name: at for at, name in enumerate(self.names)}

    def place(self, name: object) -> int:
        """Return the place of a variable; raise, naming the nearest, if there is none of that name."""
        if isinstance(name, str) and name in self.places:
            return self.places[name]
        raise ColumnNotFound(name, self.names, where=" in the network")

    @cached_property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """The arcs (parent, child), child by child."""
        return tuple((self.names[p], self.names[c]) for c, own in enumerate(self.parents) for p in own)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The places of the children of each variable."""
        children: list[list[int]] = [[] for _ in self.names]
        for child, own in enumerate(self.parents):
            for parent in own:
                children[parent].append(child)
        return tuple(map(tuple, children))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All places, each behind its parents; variables that are free to come first keep their order."""
        waiting = [len(own) for own in self.parents]
        ready = [at for at, count in enumerate(waiting) if count == 0]
        for at in ready:  # it grows while it is walked
            for child in self.children[at]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    ready.append(child)
        if len(ready) < len(self.names):
            self._raise_cycle(waiting)
        return tuple(ready)

    def ancestors(self, places: Iterable[int]) -> set[int]:
        """Return these places, and those of all variables that are above them.

        >>> sorted(Graph.of_arcs([("a", "b"), ("b", "c"), ("b", "d")]).ancestors([2]))
        [0, 1, 2]
        """
        above = set(places)
        waiting = list(above)
        while waiting:
            for parent in self.parents[waiting.pop()]:
                if parent not in above:
                    above.add(parent)
                    waiting.append(parent)
        return above

    def _check_parents(self, child: int, own: tuple[int, ...]) -> None:
        if any(not 0 <= parent < len(self.names) for parent in own):
            raise CrakeError(
                f"expected parents of {self.names[child][:100]!r} from 0 to {len(self.names) - 1}, got {own}"
            )
        if len(set(own)) < len(own):
            double = next(parent for parent in own if own.count(parent) > 1)
            raise CrakeError(
                f"expected each parent of {self.names[child][:100]!r} once, got {self.names[double][:100]!r} twice"
            )

    def _raise_cycle(self, waiting: Sequence[int]) -> None:
        """Walk up from a variable that waits for ever: the first one met again closes a cycle."""
        at = next(place for place, count in enumerate(waiting) if count > 0)
        path: dict[int, None] = {}
        while at not in path:
            path[at] = None
            at = next(parent for parent in self.parents[at] if waiting[parent] > 0)
        walked = list(path)
        cycle = [*walked[walked.index(at) :], at][::-1]
        shown = [self.names[place][:100] for place in cycle]
        text = " → ".join([*shown[:6], "…", *shown[-6:]] if len(shown) > 12 else shown)
        raise CrakeError(f"expected arcs without a cycle, got {text}; leave out or turn round one of these arcs")


def _checked_arc(arc: object) -> tuple[str, str]:
    if isinstance(arc, str) or not isinstance(arc, Sequence) or len(arc) != 2:
        raise CrakeError(f"expected an arc as (parent, child), got {arc!r}; write ('Storm', 'Campfire')")
    parent, child = arc
    if not isinstance(parent, str) or not isinstance(child, str):
        raise CrakeError(f"expected names of variables in an arc, got {arc!r}; write ('Storm', 'Campfire')")
    return parent, child
