"""Tables typed in by hand: numbers by level, by the levels of the parents, or as an array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from numbers import Real
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.network.conditional import check_cells, checked_probabilities
from crake.learners.network.graph import Graph
from crake.learners.network.levels import MOST_VALUE, level_place
from crake.learners.network.model import NetworkModel
from crake.render.plain_text import shown
from crake.table.schema import Column, Kind, Label

TRUTH: tuple[Label, ...] = (False, True)
"""The levels of a variable whose table has a single number, P(True), in each line."""


def typed_model(graph: Graph, tables: Mapping[str, Any], levels: Mapping[str, Sequence[Label]] | None) -> NetworkModel:
    """Return the network of typed tables; raise unless there is one for each variable, complete and summing to 1."""
    if levels is not None and not isinstance(levels, Mapping):
        raise CrakeError(
            f"expected levels by name, got {type(levels).__name__}; write levels={{'Storm': ['no', 'yes']}}"
        )
    for name in (*tables, *(levels or {})):
        graph.place(name)
    missing = [name for name in graph.names if name not in tables]
    if missing:
        raise CrakeError(f"expected a table for each variable, got none for {missing[0]!r}; add tables[{missing[0]!r}]")
    columns = tuple(
        _column(name, tables[name], (levels or {}).get(name), has_parents=bool(own))
        for name, own in zip(graph.names, graph.parents, strict=True)
    )
    arrays = tuple(_array(graph, columns, at, tables[name]) for at, name in enumerate(graph.names))
    return NetworkModel(graph, columns, arrays)


def nominal_column(name: str, levels: Sequence[Label]) -> Column:
    """Return the column of a variable with these levels, in their order; raise if there is none or one is doubled."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise CrakeError(f"expected a list of levels of {name!r}, got {shown(levels, 100)}; write ['no', 'yes']")
    own = tuple(level.item() if isinstance(level, np.generic) else level for level in levels)
    for level in own:
        if not isinstance(level, str) and not (isinstance(level, int | float) and abs(level) <= MOST_VALUE):
            raise CrakeError(f"expected names or numbers as levels of {name!r}, got {type(level).__name__}")
    if not own or len(set(map(str, own))) < len(own):
        raise CrakeError(f"expected the levels of {name!r}, each once, got {list(own)[:12]}")
    return Column(name, Kind.NOMINAL, own, declared=True)


def _column(name: str, table: Any, levels: Sequence[Label] | None, *, has_parents: bool) -> Column:
    """Return the variable with the levels that are given, or those of the first line of its table."""
    if levels is not None:
        return nominal_column(name, levels)
    line = next(iter(table.values()), None) if has_parents and isinstance(table, Mapping) else table
    if isinstance(line, Mapping):
        return nominal_column(name, tuple(line))
    if isinstance(line, Real):
        return nominal_column(name, TRUTH)
    raise CrakeError(f"expected the levels of {name!r} beside a table of plain numbers; add levels={{{name!r}: [...]}}")


def _array(graph: Graph, columns: Sequence[Column], at: int, table: Any) -> Floats:
    own, parents = columns[at], [columns[parent] for parent in graph.parents[at]]
    sizes = [len(column.levels) for column in (*parents, own)]
    what = f"the table of {own.name!r}"
    check_cells(sizes, what)
    if not parents:
        lines: dict[tuple[int, ...], Any] = {(): table}
    elif isinstance(table, Mapping):
        lines = {}
        for typed, value in table.items():
            key = _key(typed, parents, what)
            if key in lines:
                raise CrakeError(f"expected each line of {what} once, got {shown(typed, 100)} again")
            lines[key] = value
    else:
        return checked_probabilities(_numbers(table, what), sizes, what)
    array = np.full(sizes, np.nan)
    for key, line in lines.items():
        array[key] = _line(line, own, what)
    for key in product(*(range(size) for size in sizes[:-1])):
        if key not in lines:
            lacking = ", ".join(f"{p.name} = {p.levels[k]}" for p, k in zip(parents, key, strict=True))
            raise CrakeError(f"expected a line of {what} for each combination of parents, got none for {lacking}")
    return checked_probabilities(array, sizes, what)


def _key(key: Any, parents: Sequence[Column], what: str) -> tuple[int, ...]:
    values = key if isinstance(key, tuple) else (key,)
    if len(values) != len(parents):
        names = ", ".join(parent.name for parent in parents)
        raise CrakeError(f"expected a level of each parent ({names}) in {what}, got {key!r}")
    places = tuple(level_place(parent, value) for parent, value in zip(parents, values, strict=True))
    if None in places:
        raise CrakeError(f"expected levels of the parents in {what}, got {key!r}")
    return places  # type: ignore[return-value]


def _line(line: Any, own: Column, what: str) -> Floats:
    """Return the probabilities of one line: by level, in the order of the levels, or P(True) alone."""
    if isinstance(line, Mapping):
        return _by_level(line, own, what)
    if isinstance(line, Real) and own.levels == TRUTH:
        true = float(_numbers(line, what))
        if not 0 <= true <= 1:
            raise CrakeError(f"expected probabilities from 0 to 1 in {what}, got {true:g}")
        return np.array([1.0 - true, true])
    values = _numbers(line, what)
    if values.shape != (len(own.levels),):
        raise CrakeError(f"expected {len(own.levels)} probabilities in each line of {what}, got {shown(line, 100)}")
    return values


def _by_level(line: Mapping[Any, Any], own: Column, what: str) -> Floats:
    found: dict[int, float] = {}
    for level, value in line.items():
        at = level_place(own, level)
        if at is None:
            raise CrakeError(f"expected levels of {own.name!r} in {what}, got a missing value")
        if at in found:
            raise CrakeError(f"expected each level of {own.name!r} once in a line, got {own.levels[at]!r} twice")
        number = _numbers(value, what)
        if number.shape:
            raise CrakeError(f"expected one probability of {own.levels[at]!r} in {what}, got {shown(value, 100)}")
        found[at] = float(number)
    for at, level in enumerate(own.levels):
        if at not in found:
            raise CrakeError(f"expected a probability for each level of {own.name!r}, got none for {level!r}")
    return np.array([found[at] for at in range(len(own.levels))])


def _numbers(value: Any, what: str) -> Floats:
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CrakeError(f"expected probabilities in {what}, got {shown(value, 100)}") from error
    except OverflowError as error:
        raise CrakeError(f"expected probabilities from 0 to 1 in {what}, got a number above 10^300") from error
