"""From statistics to a design: means and deviations, levels that rows have, reference levels, gaps."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import ColumnNotFound, CrakeError, DataError
from crake.learners.encoding.design import Design
from crake.learners.encoding.missing import refuse_missing
from crake.statistics import ClassCounts, ClassMoments, Statistics, ValueCounts
from crake.statistics.class_moments import less_one
from crake.table.schema import Column, Label


def design_of(
    statistics: Statistics,
    *,
    missing: str = "indicator",
    reference: str | Mapping[str, Label] = "first",
    contrasts: str = "reference",
) -> Design:
    """Return the design of the rows that these statistics (values and moments) were gathered from.

    reference : "first" (of the levels that rows have), "frequent", or the level by column; others stay "first".
    contrasts : "reference": every level but the reference has a coefficient. "all": every level of a column
        with more than two levels has one, as in WEKA; for learners that penalise, or that measure distances.
    """
    if missing == "error":
        refuse_missing(statistics)
    values, schema = statistics[ValueCounts], statistics.schema
    counts = [values.table(j).sum(axis=(0, 1)) for j in range(len(values.columns))]
    gaps = [float(values.missing(j).sum()) for j in range(len(values.columns))]
    columns = schema.nominal
    present = [own > 0 for own in counts]
    requested = {} if isinstance(reference, str) else dict(reference)
    for name in requested:
        if name not in [column.name for column in columns]:
            raise ColumnNotFound(name, [column.name for column in columns], where=" that is nominal")
    used = [
        _reference(column, own, requested.get(column.name), frequent=reference == "frequent")
        if contrasts == "reference" or len(column.levels) <= 2
        else -1
        for column, own in zip(columns, counts, strict=True)
    ]
    exponent, centre, rest, spread, absent = _numbers(statistics)
    indicated = missing == "indicator"
    # A column that is all missing says nothing: its "is missing" is the intercept.
    has_missing = [indicated and gap > 0 and own.any() for gap, own in zip(gaps, present, strict=True)]
    return Design(
        schema,
        missing,
        exponent,
        centre,
        rest,
        spread,
        np.array(used, np.int64),
        np.array([int(np.argmax(own)) if own.any() and not indicated else -1 for own in counts], np.int64),
        tuple(own & (np.arange(len(own)) != code) for own, code in zip(present, used, strict=True)),
        np.array([*has_missing, *(indicated & absent)], bool),
    )


def _reference(column: Column, counts: Floats, requested: Label | None, *, frequent: bool) -> int:
    if requested is not None:
        if requested not in column.levels:
            raise CrakeError(
                f"{column.name!r} has no level {requested!r} to be the reference; levels: {list(column.levels)[:20]}"
            )
        code = column.levels.index(requested)
        if counts[code] == 0:
            raise DataError(f"no row has {column.name} = {requested!r}, so it cannot be the reference level")
        return code
    if not counts.any():
        return 0 if len(counts) else -1
    return int(np.argmax(counts)) if frequent else int(np.argmax(counts > 0))


def _numbers(statistics: Statistics) -> tuple[NDArray[np.int32], Floats, Floats, Floats, NDArray[np.bool_]]:
    """Exponent, mean, rest of the mean and standard deviation (W − 1) of each number; which have gaps (and values)."""
    total = float(statistics[ClassCounts].counts.sum())
    moments = statistics[ClassMoments]
    if not moments.columns:
        empty = np.zeros(0)
        return np.zeros(0, np.int32), empty, empty, empty, np.zeros(0, bool)
    (weight, mean, squares, rest), exponent = moments.of_all_classes()
    known = weight > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(squares / less_one(weight))
    spread = np.where(known & (squares > 0), spread, 0.0)
    absent = known & (weight < total * (1 - 1e-12))
    return exponent, mean, rest, spread, absent


def term_deviations(design: Design, statistics: Statistics) -> Floats:
    """Return the standard deviation (W − 1) of each term as used, gaps filled: 1 for whole numbers, 0 if constant."""
    values, moments = statistics[ValueCounts], statistics[ClassMoments]
    total = float(statistics[ClassCounts].counts.sum())
    ones: list[float] = []
    for j in range(len(design.schema.nominal)):
        counts, gap = values.table(j).sum(axis=(0, 1)), float(values.missing(j).sum())
        if design.likeliest[j] >= 0:
            counts[design.likeliest[j]] += gap
        ones += counts[design.has_level[j]].tolist()
        ones += [gap] if design.has_missing[j] else []
    known = moments.weight.sum(axis=(0, 1))
    ones += (total - known[design.has_missing[len(design.schema.nominal) :]]).tolist()
    less = float(less_one(np.array(total)))
    share = np.clip(np.array(ones) / total, 0.0, 1.0)  # sums of weights near 1e30 may pass the total by their last bit
    # A gap is filled with the mean: it adds to the rows, not to the squares.
    numbers = np.where(design.spread > 0, np.sqrt(less_one(known) / less), 0.0)
    return np.concatenate([numbers, [0.0], np.sqrt(share * (1 - share) * total / less)])
