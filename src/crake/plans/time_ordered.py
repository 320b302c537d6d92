"""Time-ordered testing: learn from the past, test what came next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, DataError
from crake.plans import dealing as rows
from crake.plans.assignment import NEVER, Assignment
from crake.table.dates import find_dates
from crake.table.schema import Label


@dataclass(frozen=True, eq=False)
class TimeOrdered:
    """Cut the rows, ordered by time, into `steps` + 1 parts; step i learns from the parts before it and tests part i.

    `by` names a numeric column or one of dates, holds a number or a date for each row, or is None where the rows stand
    in their order. Rows of the same time stay together. The first part is only learned from.

    >>> plan = TimeOrdered(steps=2)
    >>> [(train.tolist(), test.tolist()) for r in plan.rounds([0, 1, 0, 1, 0, 1], "ab") for train, test in r.splits()]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """

    by: Any = None
    _: KW_ONLY
    steps: int = 5

    def __post_init__(self) -> None:
        rows.whole_number(self.steps, "steps", 1)

    def rounds(self, target_codes: ArrayLike, classes: Sequence[Label]) -> Iterator[Assignment]:
        """Yield the steps."""
        codes = rows.target(target_codes, classes)
        part = self._parts(codes)
        known = codes >= 0
        steps = int(part.max())
        notes = (*self._notes(steps, known & (part < 0)), *_unlearned(codes, part, classes))
        for step in range(1, steps + 1):
            fold = np.where(part == step, 0, NEVER).astype(np.int32)
            copies = (known & (part >= 0) & (part < step)).astype(np.int32)
            yield Assignment(fold, 1, known, notes if step == 1 else (), copies, steps)

    def describe(self) -> str:
        """Return the plan in words."""
        what = f" by {self.by}" if isinstance(self.by, str) else ""
        return f"time-ordered{what}, {self.steps} steps: each learns from the rows before those it tests"

    def _parts(self, codes: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the part of each row, −1 where its class or its time is unknown."""
        time = self._times(len(codes))
        usable = np.flatnonzero((codes >= 0) & ~np.isnan(time))
        order = usable[np.argsort(time[usable], kind="stable")]
        moments = np.unique(time[order])
        if len(moments) < 2:
            raise DataError("the rows are all of one time; expected at least two, to learn from one and test the other")
        # Equal times share their first place: they fall into one part.
        first = np.searchsorted(time[order], time[order])
        part = np.full(len(codes), -1, np.intp)
        _, part[order] = np.unique(first * (self.steps + 1) // len(order), return_inverse=True)
        if part.max() == 0:
            part[order] = (time[order] > moments[0]).astype(np.intp)
        return part

    def _times(self, n: int) -> NDArray[np.float64]:
        if self.by is None:
            return np.arange(n, dtype=np.float64)
        if isinstance(self.by, str):
            raise CrakeError(
                f"the time is the column {self.by!r}; evaluate a Table with it, or give one number per row"
            )
        time = np.asarray(self.by)
        if time.shape != (n,):
            raise DataError(f"times have shape {time.shape}; expected one for each of {n} rows")
        if time.dtype.kind in "mM":
            return np.where(np.isnat(time), np.nan, time.astype("int64").astype(np.float64))
        dates = find_dates(time.tolist()) if time.dtype.kind == "U" else None
        if dates is not None and not dates.other:
            return dates.days
        try:
            return time.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(f"times are of type {time.dtype}; expected numbers or dates") from None

    def _notes(self, steps: int, gone: NDArray[np.bool_]) -> tuple[str, ...]:
        notes = []
        if gone.any():
            notes.append(f"{int(gone.sum())} rows without a time are neither learned from nor tested")
        if steps < self.steps:
            notes.append(f"{self.steps} steps asked for, too few different times: {steps}")
        return tuple(notes)


def _unlearned(codes: NDArray[np.intp], part: NDArray[np.intp], classes: Sequence[Label]) -> list[str]:
    """Return a note on classes whose first rows are tested by a model that was made without them."""
    begins = np.full(max(1, len(classes)), -1, np.intp)  # numbers, which have no classes, are all of code 0
    for later in range(int(part.max()), -1, -1):
        begins[codes[part == later]] = later
    late = np.flatnonzero(begins > 0)
    if len(late) == 0:
        return []
    note = "{who} {has} no row before the step that first tests {them}: there {it} cannot have been learned"
    return [note.format(**rows.subject(late, classes))]
