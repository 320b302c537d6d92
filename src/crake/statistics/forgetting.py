"""Statistics without some of their rows: counts are subtracted exactly, moments only where no digits are lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, DataError
from crake.statistics.class_counts import ClassCounts
from crake.statistics.class_moments import ClassMoments
from crake.statistics.distinct_counts import DistinctCounts
from crake.statistics.gather import Statistics
from crake.statistics.value_counts import ValueCounts
from crake.table.schema import Column, Label

Floats = NDArray[np.float64]

LEAST_LEFT = 1e-8
"""The share of the sum of squares that must remain: half of its sixteen digits are then right."""


def forgotten(learned: Statistics, rows: Statistics, *, keep_levels: bool) -> Statistics:
    """The statistics of the rows learned without these rows, which must be among them.

    Levels that only these rows had are gone, unless they were declared or are to be kept; the classes stay.
    """
    whole = learned.merge(rows.nothing_under(rows.schema))
    taken = learned.nothing_under(learned.schema).merge(rows)
    left = Statistics(
        whole.schema,
        _class_counts(whole.class_counts, taken.class_counts),
        whole.value_counts and taken.value_counts and _value_counts(whole.value_counts, taken.value_counts),
        whole.class_moments and taken.class_moments and _moments(whole.class_moments, taken.class_moments),
        tuple(_distinct(a, b) for a, b in zip(whole.distinct_counts, taken.distinct_counts, strict=True)),
    )
    return left if keep_levels else _without_gone_levels(left, whole)


def _class_counts(learned: ClassCounts, rows: ClassCounts) -> ClassCounts:
    if not (learned.integral and rows.integral):
        raise CrakeError(
            "rows of fractional weight cannot be forgotten: the sums of their weights have been rounded; "
            "fit on the rows that remain"
        )
    counts = learned.counts - rows.counts
    if np.any(counts < 0):
        k = int(np.argmin(counts[0]))
        raise _never_learned(rows.counts[0, k], learned.counts[0, k], f"of class {learned.classes[k]!r}")
    if not np.any(counts > 0):
        raise DataError("these are all the rows that were learned; there would be nothing left")
    return replace(learned, counts=counts)


def _value_counts(learned: ValueCounts, rows: ValueCounts) -> ValueCounts:
    counts = learned.counts - rows.counts
    if np.any(counts < 0):
        _, k, slot = (int(at[0]) for at in np.nonzero(counts < 0))
        j = int(np.searchsorted(learned.offsets, slot, side="right")) - 1
        what = _slot_text(learned.columns[j], slot - int(learned.offsets[j]), learned.classes[k])
        raise _never_learned(rows.counts[0, k, slot], learned.counts[0, k, slot], what)
    return replace(learned, counts=counts)


def _slot_text(column: Column, slot: int, label: Label) -> str:
    value = "missing" if slot == 0 else repr(column.levels[slot - 1])
    return f"with {column.name} = {value} and class {label!r}"


def _distinct(learned: DistinctCounts, rows: DistinctCounts) -> DistinctCounts:
    left = learned.merge(replace(rows, count=-rows.count, missing=-rows.missing))
    if np.any(left.count < 0) or np.any(left.missing < 0):
        raise _column_never_learned(learned.column)
    kept = left.count > 0
    return replace(
        left, value=left.value[kept], group=left.group[kept], class_=left.class_[kept], count=left.count[kept]
    )


def _moments(learned: ClassMoments, rows: ClassMoments) -> ClassMoments:
    """Merging solved for one part: n = n1 − n2, mean = m1 − d·n2/n, squares = s1 − s2 − d²·n1·n2/n, d = m2 − m1.

    Refused where less than LEAST_LEFT of the squares remains.
    """
    n1, m1, s1, r1 = learned.moments
    n2, m2, s2, r2 = _in_units_of(learned, rows)
    n = n1 - n2
    if np.any(n < 0):
        raise _column_never_learned(learned.columns[int(np.nonzero(n < 0)[2][0])])
    safe = np.where(n > 0, n, 1.0)
    d = np.where(n2 > 0, (m2 - m1) + (r2 - r1), 0.0)
    squares = (s1 - s2) - d * d * (n1 * (n2 / safe))
    lost = (n > 0) & (n2 > 0) & (squares < LEAST_LEFT * s1)
    # All values equal before and after: nothing to lose.
    lost &= ~((s1 == 0) & (s2 == 0) & (d == 0))
    if np.any(lost):
        _, k, j = (int(at[0]) for at in np.nonzero(lost))
        raise CrakeError(
            f"forgetting these rows would leave less than {LEAST_LEFT:g} of the sum of squares of "
            f"{learned.columns[j].name} in class {learned.classes[k]!r}: its variance would lose its digits; "
            "fit on the rows that remain"
        )
    shift = d * (n2 / safe)
    mean = m1 - shift
    rest = (m1 - (mean + shift)) + r1
    moments = np.where(n > 0, np.stack([n, mean, np.maximum(squares, 0.0), rest]), 0.0)
    return replace(learned, moments=moments, exponent=np.where(n > 0, learned.exponent, 0).astype(np.int32))


def _in_units_of(learned: ClassMoments, rows: ClassMoments) -> Floats:
    """The moments of the rows in the units of those learned."""
    moved = np.where(rows.weight > 0, rows.exponent - learned.exponent, 0)
    n, mean, squares, rest = rows.moments
    return np.stack([n, np.ldexp(mean, moved), np.ldexp(squares, 2 * moved), np.ldexp(rest, moved)])


def _without_gone_levels(left: Statistics, before: Statistics) -> Statistics:
    """Without the levels that rows had before and none has now, as fitting on the rest would give."""
    values, earlier = left.value_counts, before.value_counts
    if values is None or earlier is None:
        return left
    columns = []
    keep = np.ones(values.counts.shape[2], bool)
    for j, column in enumerate(values.columns):
        gone = (values.table(j).sum(axis=(0, 1)) == 0) & (earlier.table(j).sum(axis=(0, 1)) > 0)
        if column.declared or not gone.any():
            columns.append(column)
            continue
        keep[values.offsets[j] + 1 : values.offsets[j + 1]] = ~gone
        columns.append(replace(column, levels=tuple(v for v, out in zip(column.levels, gone, strict=True) if not out)))
    if keep.all():
        return left
    schema = left.schema
    for column in columns:
        schema = schema.with_column(column)
    counts = np.ascontiguousarray(values.counts[:, :, keep])
    return replace(left, schema=schema, value_counts=ValueCounts(tuple(columns), values.classes, counts))


def _never_learned(asked: float, learned: float, what: str) -> CrakeError:
    return CrakeError(
        f"{asked:g} rows {what} are to be forgotten, but {learned:g} were learned: "
        "only rows that were learned can be forgotten"
    )


def _column_never_learned(column: Column) -> CrakeError:
    return CrakeError(
        f"the rows to be forgotten have values of {column.name} that were not learned, or not so often: "
        "only rows that were learned can be forgotten"
    )
