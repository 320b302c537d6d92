"""The members of an ensemble in a model file: each as a learner of its own, or as places among rows that all share.

Nearest neighbours are their training rows. Each row is stored once, and a member says which rows it has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.learners.base.foreseen import refuse_too_large
from crake.learners.base.scikit_learn import clone
from crake.learners.base.state import Labels, State, StateReader
from crake.learners.base.state.schema import schema_state
from crake.learners.neighbors.base import Neighbors
from crake.learners.neighbors.rows import TrainingRows
from crake.learners.neighbors.state import LARGEST, rows_state
from crake.table.schema import Schema

ROWS, MEMBERS = "training_rows", "rows_of_members"
"""The parts of a file: the rows of all members, and the places among them of the rows of each."""


def members_state(members: list[Any]) -> State:
    """Return the fitted members, one after the other, or their rows and the places of each member's among them."""
    once = _rows_once(members) if all(isinstance(member, Neighbors) for member in members) else None
    return once if once is not None else {"members": {str(at): member for at, member in enumerate(members)}}


def restored_members(learner: Any, schema: Schema, missing: tuple[str, ...] | None, reader: StateReader) -> list[Any]:
    """Return the members, all of the learner's class and fitted on these columns; the learner itself is not fitted."""
    if MEMBERS in reader:
        members = _of_rows(learner, schema, missing, reader)
    else:
        members = _of_learners(type(learner), schema, reader.part("members"))
    if not members:
        raise reader.refusal("members", "is empty", "at least one member")
    return members


def _of_learners(kind: type, schema: Schema, stored: StateReader) -> list[Any]:
    """Return members that are stored as learners."""
    members: list[Any] = []
    while str(len(members)) in stored:
        name = str(len(members))
        member = stored.learner(name)
        if type(member) is not kind:
            raise stored.refusal(name, f"is a {type(member).__name__}", f"a {kind.__name__}")
        if getattr(member, "schema_", None) != schema:
            raise stored.refusal(name, "was fitted on other columns", "those of the ensemble")
        members.append(member)
    return members


def _rows_once(members: list[Any]) -> State | None:
    """Return the rows of all members, and which of them each member has; None if they are not rows of one table."""
    every = _united([member.rows_ for member in members])
    if every is None:
        return None
    rows, place = every
    each: State = {}
    for at, member in enumerate(members):
        own = rows_state(member)
        weights, numbers = own.pop(ROWS)["weights"], member.rows_.numbers
        each[str(at)] = {**own, "rows": place[numbers], "weights": weights}
    gap = np.isnan(rows.values)
    stored = {"values": np.where(gap, 0.0, rows.values), "gap": gap.astype(np.uint8), "codes": rows.codes}
    return {ROWS: {**stored, "target": rows.target, "numbers": rows.numbers}, MEMBERS: each}


def _united(each: list[TrainingRows]) -> tuple[TrainingRows, NDArray[np.int64]] | None:
    """Return every row once, by number, and the place of each number; None if two members have another row under one.

    Numbers that no member has take no place.
    """
    size = 1 + max(int(rows.numbers.max()) for rows in each)
    if size > sum(map(len, each)) * 16:  # numbers so far apart are not those of one table
        return None
    first = each[0]
    values, codes = np.zeros((size, first.values.shape[1])), np.zeros((size, first.codes.shape[1]), np.int32)
    target, is_known = np.zeros(size, first.target.dtype), np.zeros(size, bool)
    for rows in each:
        numbers = rows.numbers
        met = is_known[numbers]
        known = numbers[met]
        if not (
            np.array_equal(values[known], rows.values[met], equal_nan=True)
            and np.array_equal(codes[known], rows.codes[met])
            and np.array_equal(target[known], rows.target[met])
        ):
            return None
        values[numbers], codes[numbers], target[numbers], is_known[numbers] = rows.values, rows.codes, rows.target, True
    kept, place = np.flatnonzero(is_known), np.cumsum(is_known) - 1
    return TrainingRows(values[kept], codes[kept], target[kept], None, kept.astype(np.int64)), place.astype(np.int64)


def _of_rows(learner: Any, schema: Schema, missing: tuple[str, ...] | None, reader: StateReader) -> list[Any]:
    """Return members whose rows are stored once, each a clone of the learner."""
    if not isinstance(learner, Neighbors):
        raise reader.refusal(MEMBERS, f"are of a {type(learner).__name__}", "those of nearest neighbours")
    part, stored = reader.part(ROWS), reader.part(MEMBERS)
    values = part.floats("values", (None, len(schema.numeric)), -LARGEST, LARGEST)
    n = len(values)
    arrays: dict[str, NDArray[Any]] = {
        "values": values,
        "gap": part.integers("gap", np.uint8, (n, len(schema.numeric)), 0, 1),
        "codes": part.integers("codes", np.int32, (n, len(schema.nominal)), -1, 2**31 - 1),
        "target": part.integers("target", np.int32, (n,), 0, 2**31 - 1)
        if schema.classes
        else part.floats("target", (n,), -LARGEST, LARGEST),
        "numbers": part.integers("numbers", np.int64, (n,), 0, 2**63 - 1),
    }
    members: list[Any] = []
    while str(len(members)) in stored:
        name = str(len(members))
        own = stored.part(name)
        rows = own.integers("rows", np.int64, (None,), 0, n - 1)
        needed = 24.0 * len(rows) * (len(schema.features) + 1) * (len(members) + 1)
        refuse_too_large(needed, f"{len(members) + 1:,} members", schema)
        state = _state_of_one(schema, missing, own)
        state[ROWS] = {key: array[rows] for key, array in arrays.items()}
        if "weights" in own:
            state[ROWS]["weights"] = own.floats("weights", (len(rows),))
        reading = StateReader(state, f"{MEMBERS}/{name}/")
        member = clone(learner).restore(reading)
        reading.done()
        members.append(member)
    return members


def _state_of_one(schema: Schema, missing: tuple[str, ...] | None, own: StateReader) -> State:
    """Return the state of a member as it would stand in a file of its own, without its rows."""
    state: State = {
        "schema": schema_state(schema),
        "left_out": 0,
        "feature_names": Labels(tuple(column.name for column in schema.features)),
        "k": own.whole("k"),
        "leave_one_out": own.floats("leave_one_out", (None,)),
    }
    if "equal_distances" in own:
        state["equal_distances"] = own.whole("equal_distances", 1, 1)
    return state if missing is None else {**state, "missing": Labels(missing)}
