"""Conditions as columns of zeros and ones: all conditions of one kind are computed by one operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from crake.export.forms import Among, Compare, Condition, Known, LevelOf, Missing, Test
from crake.export.onnx.graph import FIRST, MISSING, Graph
from crake.table.schema import Kind

OPERATORS = {"<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual", "<": "Less"}


class Columns:
    """Columns of zeros and ones, shape (rows, conditions); the last two are always 0 and always 1."""

    def __init__(self, graph: Graph, conditions: Iterable[Condition]) -> None:
        self.graph = graph
        self.place: dict[Condition, int] = {}
        self.blocks: list[str] = []
        asked = list(dict.fromkeys(conditions))
        for sign, kind in OPERATORS.items():
            self._compared([each for each in asked if isinstance(each, Compare) and each.sign == sign], kind)
        self._known([each for each in asked if isinstance(each, Known)])
        names: dict[int, list[Among | Missing]] = {}
        for each in asked:
            if isinstance(each, Among | Missing):
                names.setdefault(each.feature, []).append(each)
        for feature, own in names.items():
            self._names(feature, own)
        self.zero, self.one = len(self.place), len(self.place) + 1
        self.matrix = graph.op("Concat", *self.blocks, graph.filled([0.0, 1.0]), axis=1)

    def _add(self, conditions: Sequence[Condition], block: str) -> None:
        for each in conditions:
            self.place[each] = len(self.place)
        self.blocks.append(block)

    def _compared(self, own: Sequence[Compare], kind: str) -> None:
        if own:
            values = self.graph.constant([[each.value for each in own]])
            held = self.graph.op(kind, self.graph.numbers([each.feature for each in own]), values)
            self._add(own, self.graph.double(held))

    def _known(self, own: Sequence[Known]) -> None:
        if own:
            gap = self.graph.op("IsNaN", self.graph.numbers([each.feature for each in own]))
            self._add(own, self.graph.double(self.graph.op("Not", gap)))

    def _names(self, feature: int, own: Sequence[Among | Missing]) -> None:
        table = np.zeros((FIRST + len(self.graph.column(feature).levels), len(own)))
        for at, each in enumerate(own):
            places = [FIRST + code for code in each.codes] if isinstance(each, Among) else [MISSING]
            table[places, at] = 1.0
        self._add(own, self.graph.op("Gather", self.graph.constant(table), self.graph.codes(feature), axis=0))

    def tests(self, tests: Sequence[Test | None]) -> str:
        """Return 1 where all conditions of a test hold, shape (rows, tests); None never holds."""
        longest = max((len(test) for test in tests if test is not None), default=1)
        held = ""
        for at in range(max(longest, 1)):
            places = [
                self.zero if test is None else self.place[test[at]] if at < len(test) else self.one for test in tests
            ]
            own = self.graph.take(self.matrix, places)
            held = self.graph.op("Mul", held, own) if held else own
        return held


def unknown(graph: Graph, feature: int) -> str:
    """Return 1 where a value is missing or new, shape (rows, 1)."""
    return graph.once(("unknown", feature), lambda: _unknown(graph, feature))


def _unknown(graph: Graph, feature: int) -> str:
    if graph.column(feature).kind is not Kind.NOMINAL:
        return graph.double(graph.op("IsNaN", graph.numbers([feature])))
    new = graph.op("Less", graph.codes(feature), graph.whole(FIRST))
    return graph.op("Reshape", graph.double(new), graph.whole([-1, 1]))


def level_columns(graph: Graph, level: LevelOf) -> str:
    """Return True in the column of a row's level or interval, shape (rows, levels); nowhere if it is not known."""
    key = ("levels", level.feature, None if level.cuts is None else level.cuts.tobytes())
    return graph.once(key, lambda: _level_columns(graph, level))


def _level_columns(graph: Graph, level: LevelOf) -> str:
    if level.cuts is None:
        codes = np.arange(FIRST, FIRST + len(graph.column(level.feature).levels))
        own = graph.op("Reshape", graph.codes(level.feature), graph.whole([-1, 1]))
        return graph.op("Equal", own, graph.whole(codes[None]))
    low, high = np.append(-np.inf, level.cuts)[None], np.append(level.cuts, np.inf)[None]
    x = graph.numbers([level.feature])
    above = graph.op("Or", graph.op("Greater", x, graph.constant(low)), graph.constant(low == -np.inf, np.bool_))
    return graph.op("And", above, graph.op("LessOrEqual", x, graph.constant(high)))
