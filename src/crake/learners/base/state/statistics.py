"""Statistics in a model file: a learner that is a function of statistics is stored as these."""

from __future__ import annotations

from collections.abc import Iterable

from crake.learners.base.state.reader import Labels, State, StateReader
from crake.statistics.collection import Statistics
from crake.statistics.statistic import MOST, SLACK, Statistic
from crake.table.schema import Schema

__all__ = ["MOST", "SLACK", "statistics_of", "statistics_state"]


def statistics_state(statistics: Statistics, members: Iterable[type[Statistic]]) -> State:
    """Return the arrays of these members, of one group of rows."""
    state: State = {}
    for member in members:
        for name, value in statistics[member].state().items():
            state[name] = Labels(value) if isinstance(value, tuple) else value
    return state


def statistics_of(reader: StateReader, schema: Schema, members: Iterable[type[Statistic]]) -> Statistics:
    """Read these members, each of which agrees with the schema and with those before it."""
    statistics = Statistics(schema, {})
    for member in members:
        statistics = statistics.with_part(member.from_state(reader, schema, statistics))
    return statistics
