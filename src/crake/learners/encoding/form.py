"""The terms of a design with their coefficients, as the exports write them."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.export.forms import FARTHEST, Additive, LevelTerm, NumberTerm, Term
from crake.kernels.linear.encoding import NO_PLACE, Encoding
from crake.table.batch import MISSING, UNSEEN
from crake.table.schema import Schema


def design_form(
    schema: Schema, encoding: Encoding, coefficient: Floats, *, fill: Floats | None = None, farthest: float = FARTHEST
) -> Additive:
    """Return Σ terms × coefficient (terms, outputs); `fill` is where a missing number lies, in its standard units."""
    numbers, outputs = len(encoding.unit), coefficient.shape[1]
    gaps = dict(zip(encoding.missing[0].tolist(), encoding.missing[1].tolist(), strict=True))
    place = {column.name: at for at, column in enumerate(schema.features)}
    with_none = np.vstack([coefficient, np.zeros(outputs)])  # NO_PLACE is the last line
    terms: list[Term] = []
    for j, column in enumerate(schema.numeric):
        scale = float(encoding.scale[j])
        own = coefficient[j] if scale > 0 else np.zeros(outputs)
        missing = own * (0.0 if fill is None else fill[j]) + (coefficient[gaps[j]] if j in gaps else 0.0)
        terms.append(
            NumberTerm(
                place[column.name], float(encoding.unit[j]), float(encoding.centre[j]), float(encoding.rest[j]), scale,
                own, missing, farthest,
            )
        )  # fmt: skip
    for j, column in enumerate(schema.nominal):
        begin = int(encoding.offsets[j]) + 2
        levels = encoding.places[begin : begin + len(column.levels)]
        lines = (
            with_none[levels],
            with_none[encoding.places[begin + MISSING]],
            with_none[encoding.places[begin + UNSEEN]],
        )
        terms.append(LevelTerm(place[column.name], *lines))
    assert NO_PLACE == -1  # noqa: S101 (the last line of the coefficients)
    return Additive(coefficient[numbers], tuple(term for term in terms if _says_something(term)))


def _says_something(term: Term) -> bool:
    tables = (term.values, term.unseen) if isinstance(term, LevelTerm) else (term.coefficient,)  # type: ignore[union-attr]
    return any(np.any(each) for each in (*tables, term.missing))  # type: ignore[union-attr]
