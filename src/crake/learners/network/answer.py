"""Answers of a network: a distribution over one or several variables, and the most probable explanation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product
from math import exp
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError
from crake.learners.network.levels import level_place
from crake.learners.network.model import NetworkModel
from crake.learners.network.workings import MOST_ANSWERS, query_workings
from crake.render.grid import Grid
from crake.render.plain_text import clipped, shown
from crake.render.workings import Workings, number
from crake.render.workings.html import table_html
from crake.table.schema import Column, Label

SHORT = 4
"""Values that `repr` shows."""
MOST_LINES = 60
"""Lines that `print` shows."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """P(variables given evidence): `probabilities` has one axis per variable, in the order of `columns`.

    `answer["yes"]` is the probability of a level; of several variables `answer["yes", "no"]`. `explain` shows the
    factors that were multiplied and summed.
    """

    columns: tuple[Column, ...]
    probabilities: Floats
    given: dict[str, Label]
    network: NetworkModel = field(repr=False)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(column.name for column in self.columns)

    @property
    def title(self) -> str:
        """The query as it is written: P(Campfire | Storm = True)."""
        given = ", ".join(f"{name} = {value}" for name, value in self.given.items())
        return f"P({', '.join(self.variables)}{' | ' if given else ''}{given})"

    def __getitem__(self, levels: Any) -> float:
        key = levels if isinstance(levels, tuple) and len(self.columns) > 1 else (levels,)
        if len(key) != len(self.columns):
            raise CrakeError(f"expected a level of each of {', '.join(self.variables)}, got {levels!r}")
        cuts = self.network.cuts
        places = [
            level_place(column, value, cuts.get(column.name)) for column, value in zip(self.columns, key, strict=True)
        ]
        if None in places:
            raise CrakeError(f"expected a level of each of {', '.join(self.variables)}, got a missing value")
        return float(self.probabilities[tuple(places)])

    def __iter__(self) -> Iterator[Any]:
        every = product(*(column.levels for column in self.columns))
        return every if len(self.columns) > 1 else (level for (level,) in every)

    def __len__(self) -> int:
        return int(self.probabilities.size)

    def keys(self) -> list[Any]:
        """Return the levels, or combinations of levels, in the order of `values`."""
        return list(self)

    def values(self) -> list[float]:
        """Return the probabilities, one per level or combination."""
        values: list[float] = self.probabilities.ravel().tolist()
        return values

    def items(self) -> list[tuple[Any, float]]:
        """Return levels and probabilities: `dict(answer)` works too."""
        return list(zip(self.keys(), self.values(), strict=True))

    def first(self, count: int) -> list[tuple[Any, float]]:
        """Return the first items; the others are not made."""
        return list(zip(islice(self, count), self.probabilities.ravel()[:count].tolist(), strict=True))

    @property
    def most_probable(self) -> Any:
        """The level, or combination of levels, of the largest probability; the first of equals."""
        places = np.unravel_index(int(np.argmax(self.probabilities)), self.probabilities.shape)
        levels = tuple(column.levels[at] for column, at in zip(self.columns, places, strict=True))
        return levels if len(levels) > 1 else levels[0]

    def explain(self) -> Workings:
        """Return the calculation: the factors that are multiplied, the variables that are summed out, the answer.

        An answer of more than 64 cells ends with the sum of those that are not shown.
        """
        targets = self.network.places(self.variables)
        answer = self.first(MOST_ANSWERS)
        if len(self) > MOST_ANSWERS:
            left = self.probabilities.ravel()[MOST_ANSWERS:]
            answer.append((f"… ({len(left):,} more)", float(left.sum())))
        return query_workings(self.network, targets, self.network.evidence(self.given), self.title, answer)

    def grid(self) -> Grid:
        """Return the probabilities as a table, one line per level or combination."""
        rows = [
            (*map(str, np.atleast_1d(np.array(key, object))), number(value)) for key, value in self.first(MOST_LINES)
        ]
        left = len(self) - len(rows)
        more = [(f"… {left:,} more", *[""] * len(self.columns))] if left else []
        return Grid(self.title, (*self.variables, "probability"), (*rows, *more))

    def __repr__(self) -> str:
        first = [f"{_text(key)} {number(value)}" for key, value in self.first(SHORT)]
        more = [f"… {len(self) - SHORT} more"] if len(self) > SHORT else []
        return shown(f"{self.title}: {', '.join([*first, *more])}", 200)

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        steps = self.explain().shortened().html(4)
        return f"{table_html(self.grid())}<details><summary>The factors</summary>{steps}</details>"


@dataclass(frozen=True, eq=False)
class MostProbable:
    """The most probable level of every variable that is not observed, all together.

    `probability` is P(levels given evidence); `log_joint` is ln P(levels and evidence).
    """

    levels: dict[str, Label]
    given: dict[str, Label]
    log_joint: float
    log_evidence: float

    @property
    def probability(self) -> float:
        """P(levels given evidence)."""
        return min(1.0, exp(self.log_joint - self.log_evidence))

    def __getitem__(self, name: str) -> Label:
        if name not in self.levels:
            raise ColumnNotFound(name, tuple(self.levels), where=" in the explanation")
        return self.levels[name]

    def grid(self) -> Grid:
        """Return the levels as a table."""
        given = ", ".join(f"{name} = {value}" for name, value in self.given.items())
        title = f"Most probable explanation{' of ' if given else ''}{given}: probability {number(self.probability)}"
        return Grid(title, ("variable", "level"), tuple((name, str(level)) for name, level in self.levels.items()))

    def __repr__(self) -> str:
        first = [f"{name} = {level}" for name, level in list(self.levels.items())[:SHORT]]
        more = [f"… {len(self.levels) - SHORT} more"] if len(self.levels) > SHORT else []
        return shown(f"MostProbable({', '.join([*first, *more])}; probability {number(self.probability)})", 200)

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return table_html(self.grid())


def _text(key: Any) -> str:
    return clipped(f"({', '.join(map(str, key))})" if isinstance(key, tuple) else key)
