"""The hand calculation of an arbiter or combiner tree: what each member says, and what each join makes of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.learners.ensemble.partition.base import joins_of, joins_text
from crake.render.plain_text import visible
from crake.render.sentences import counted
from crake.render.workings import Section, Step, Workings, number
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.ensemble.partition.base import PartitionTree


def explained(
    model: PartitionTree, row: Table, said: Callable[[dict[str, Any], Table], str] | None, probabilities: Floats
) -> Workings:
    """Return the answers of all nodes for one row; `said` tells what the arbiters of a join say."""
    labels = [visible(label) for label in model.classes_.tolist()]
    members = len(model.estimators_)
    joins = joins_of(members, model._fan_in(members))  # noqa: SLF001 (its own workings)
    answers = model._answers(row, np.zeros(1, np.intp), range(members + len(joins)))  # noqa: SLF001 (its own workings)
    told = [labels[int(np.argmax(each[0]))] for each in answers]
    steps = tuple(_step(f"member {i + 1}", told[i], answers[i][0]) for i in range(members))
    sections = [Section("Each member learned from a partition of the rows", steps)]
    above = []
    for at, join in enumerate(joins):
        who, what = [_node(child, members) for child in join.children], [told[child] for child in join.children]
        heard = f"{_list(who)} say {_list(what)}"
        more = "" if said is None else f"; {visible(said(model.joins_[at], row))}"
        above.append(_step(_node(join.number, members), told[join.number], answers[join.number][0], f"{heard}{more}"))
    if above:
        sections.append(Section("Each join learned from the rows of its children", tuple(above)))
    answer = tuple(zip(labels, map(float, probabilities), strict=True))
    title = f"{model._name()}: {counted(members, 'member')} and {joins_text(len(joins))}"  # noqa: SLF001 (its own name)
    return Workings(title, tuple(sections), answer, ())


def _step(who: str, label: str, probabilities: Floats, source: str = "") -> Step:
    return Step(f"{who}: P({label})", "", "", number(float(probabilities.max())), source)


def _node(number_of: int, members: int) -> str:
    return f"member {number_of + 1}" if number_of < members else f"join {number_of - members + 1}"


def _list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
