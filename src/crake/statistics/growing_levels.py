"""Statistics under levels that a scan is still meeting: codes stand for the levels until all rows have been seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from crake.statistics.collection import Statistics
from crake.statistics.levels import Alignment, LevelPlaces, with_levels
from crake.table.schema import Column, Schema
from crake.table.sources.levels import OpenLevels, ScanLevels


def with_room(statistics: Statistics, scan_levels: ScanLevels) -> Statistics:
    """Return the same counts with room for every level met so far; room doubles, so that growing costs little.

    The levels of these statistics are their codes, 0, 1, 2 …
    """
    before = statistics.schema
    roomier: list[Column] = []
    moves = {}
    for column in _columns(scan_levels):
        name = column.column.name
        room = len(before[name].levels)
        moves[name] = np.arange(room)
        if len(column) > room:
            levels = tuple(range(max(len(column), 2 * room)))
            roomier.append(replace(column.column, levels=levels, declared=False))
    if not roomier:
        return statistics
    return statistics.aligned(Alignment(before, with_levels(before, roomier), moves))


def in_order(statistics: Statistics, scan_levels: ScanLevels, schema: Schema) -> Statistics:
    """Return the statistics under the levels themselves, in their one order, without the room left over."""
    final = scan_levels.schema(schema)
    places = LevelPlaces(final)
    moves = {}
    for column in _columns(scan_levels):
        name = column.column.name
        room = len(statistics.schema[name].levels)
        moves[name] = np.full(room, -1, np.intp)
        moves[name][: len(column)] = places.of(replace(column.column, levels=tuple(column.labels)))
    return statistics.aligned(Alignment(statistics.schema, final, moves))


def _columns(scan_levels: ScanLevels) -> Iterator[OpenLevels]:
    yield from scan_levels.nominal
    if scan_levels.target is not None:
        yield scan_levels.target
