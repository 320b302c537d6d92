"""Declarations of a file in any notation: variables, their parents, lines of probabilities; checked as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError, ReadError, did_you_mean
from crake.learners.network.conditional import MOST_AXES, MOST_CELLS, cells_text, checked_probabilities
from crake.learners.network.graph import MOST_NODES, Graph
from crake.learners.network.model import NetworkModel
from crake.table.schema import Column, Kind

LONGEST = 100
"""Characters of a name that an error shows."""
MOST_LEVELS = 10_000
"""Levels that a variable of a file may have."""
TOLERANCE = 1e-4
"""The largest accepted difference from 1 of the sum of a line: some programs write five digits. The reader divides
the line by its sum."""


@dataclass
class Definition:
    """P(variable given parents): a whole table in the order of its axes, or lines by the parents' levels."""

    variable: str
    parents: list[str]
    line: int
    table: list[float] | None = None
    is_child_first: bool = False
    default: list[float] | None = None
    lines: dict[tuple[str, ...], list[float]] = field(default_factory=dict)


class Declarations:
    """Collects variables and definitions; `model` builds the network when all are there."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.levels: dict[str, list[str]] = {}
        self.definitions: dict[str, Definition] = {}
        self._cells = 0

    def error(self, message: str, line: int | None = None) -> ReadError:
        """Return the error to raise, with the file and the line."""
        return ReadError(message, file=self.file, line=line)

    def add_variable(self, name: str, levels: list[str], line: int | None = None) -> None:
        """Take a variable; raise if its name or a level is doubled, or there are too many."""
        if name in self.levels:
            raise self.error(f"expected each variable once, got {name[:LONGEST]!r} twice", line)
        if any("\0" in each for each in (name, *levels)):
            raise self.error(f"expected names without NUL bytes, got {name[:LONGEST]!r} and its levels", line)
        if len(self.levels) >= MOST_NODES:
            raise self.error(f"expected at most {MOST_NODES:,} variables, got more; leave some out", line)
        if not levels or len(set(levels)) < len(levels):
            raise self.error(f"expected the levels of {name[:LONGEST]!r}, each once, got {str(levels)[:LONGEST]}", line)
        if len(levels) > MOST_LEVELS:
            raise self.error(
                f"expected at most {MOST_LEVELS:,} levels of {name[:LONGEST]!r}, got {len(levels):,}", line
            )
        self.levels[name] = levels

    def add_definition(self, own: Definition) -> None:
        """Take the table of a variable; raise if it has one already."""
        if own.variable in self.definitions:
            raise self.error(f"expected one table of {own.variable[:LONGEST]!r}, got a second one", own.line)
        self.definitions[own.variable] = own

    def model(self) -> NetworkModel:
        """Return the network; raise unless every variable has a complete table, and there is no cycle."""
        if not self.levels:
            raise self.error("expected a network, got no variable; is this a BIF file?")
        for own in self.definitions.values():
            for name in (own.variable, *own.parents):
                if name not in self.levels:
                    hint = _hint(name, self.levels)
                    raise self.error(f"expected a variable that is declared, got {name[:LONGEST]!r}.{hint}", own.line)
        names = list(self.levels)
        missing = [name for name in names if name not in self.definitions]
        if missing:
            raise self.error(f"expected a table of each variable, got none of {missing[0][:LONGEST]!r}")
        place = {name: at for at, name in enumerate(names)}
        parents = tuple(tuple(place[p] for p in self.definitions[name].parents) for name in names)
        columns = tuple(Column(n, Kind.NOMINAL, tuple(own), declared=True) for n, own in self.levels.items())
        try:
            graph = Graph(tuple(names), parents)
            return NetworkModel(graph, columns, tuple(self._table(self.definitions[name]) for name in names))
        except ReadError:
            raise
        except (CrakeError, ColumnNotFound) as error:
            raise self.error(str(error)) from error

    def _table(self, own: Definition) -> Floats:
        sizes = [len(self.levels[name]) for name in (*own.parents, own.variable)]
        what = f"the table of {own.variable[:LONGEST]!r}"
        self._cells += prod(sizes)
        if self._cells > MOST_CELLS or len(sizes) > MOST_AXES:
            shown = " × ".join([*map(str, sizes[:6]), *(["…"] if len(sizes) > 6 else [])])
            raise self.error(
                f"{what} has {cells_text(prod(sizes))} cells ({shown}) and {len(sizes):,} axes; expected at most "
                f"{MOST_CELLS:,} cells in all tables of a file, and {MOST_AXES} axes",
                own.line,
            )
        array = self._whole(own, sizes, what) if own.table is not None else self._by_lines(own, sizes, what)
        try:
            return checked_probabilities(array, sizes, what, TOLERANCE)
        except CrakeError as error:
            raise self.error(str(error), own.line) from error

    def _whole(self, own: Definition, sizes: list[int], what: str) -> Floats:
        numbers = own.table or []
        if len(numbers) != prod(sizes):
            raise self.error(f"expected {prod(sizes):,} numbers in {what}, got {len(numbers):,}", own.line)
        if own.is_child_first:
            return np.moveaxis(np.array(numbers).reshape([sizes[-1], *sizes[:-1]]), 0, -1)
        return np.array(numbers).reshape(sizes)

    def _by_lines(self, own: Definition, sizes: list[int], what: str) -> Floats:
        if own.default is None and len(own.lines) < prod(sizes[:-1]):
            # Said before anything of the size that the parents claim is made.
            raise self.error(
                f"expected {prod(sizes[:-1]):,} lines in {what}, got {len(own.lines):,}; the first that lacks is "
                f"{self._first_lacking(own)}",
                own.line,
            )
        array = np.empty(sizes)
        if own.default is not None:
            array[...] = self._numbers(own.default, sizes[-1], own, what)
        at = [{level: k for k, level in enumerate(self.levels[parent])} for parent in own.parents]
        for key, line in own.lines.items():
            for parent, levels, level in zip(own.parents, at, key, strict=True):
                if level not in levels:
                    hint = _hint(level, levels)
                    raise self.error(
                        f"expected a level of {parent[:LONGEST]!r} in {what}, got {level[:LONGEST]!r}.{hint}", own.line
                    )
            cell = tuple(levels[level] for levels, level in zip(at, key, strict=True))
            array[cell] = self._numbers(line, sizes[-1], own, what)
        return array

    def _numbers(self, line: Sequence[float], count: int, own: Definition, what: str) -> list[float]:
        if len(line) != count:
            raise self.error(f"expected {count} numbers in each line of {what}, got {len(line)}", own.line)
        return list(line)

    def _first_lacking(self, own: Definition) -> str:
        keys = product(*(self.levels[parent] for parent in own.parents))
        lacking = next((key for key in keys if key not in own.lines), ())
        return f"({', '.join(lacking)[:LONGEST]})"


def _hint(name: str, known: Iterable[str]) -> str:
    """Return the nearest name as a question; long names are not compared."""
    return did_you_mean(name[:LONGEST], (other for other in known if len(other) <= LONGEST))
