"""The terms of a sum in SQL: what each column adds to each score."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.export.forms import LevelTerm, NormalTerm, NumberTerm, StepTerm, Term
from crake.export.sql.layers import Expression, Layers
from crake.export.sql.text import Words, one_of
from crake.table.schema import Column, Schema

FAR = 1e150
"""Standard deviations beyond which a density is 0: its square would leave the range of a double."""
NOTHING = Expression("0")


def term_expressions(words: Words, layers: Layers, schema: Schema, term: Term) -> list[Expression]:
    """Return what a column adds to each score; "0" where it adds nothing."""
    column = schema.features[term.feature]
    match term:
        case LevelTerm():
            return [_level(words, column, term, k) for k in range(term.values.shape[1])]
        case NumberTerm():
            return _number(words, layers, column, term)
        case NormalTerm():
            return [_normal(words, column, term, k) for k in range(len(term.mean))]
        case StepTerm():
            return [_steps(words, column, term, k) for k in range(term.values.shape[1])]


def _level(words: Words, column: Column, term: LevelTerm, k: int) -> Expression:
    name, unseen, missing = words.column(column), float(term.unseen[k]), float(term.missing[k])
    levels: dict[float, list[str]] = {}
    for code, value in enumerate(term.values[:, k].tolist()):
        levels.setdefault(value, []).append(words.level(column, code))
    cases = [
        f"WHEN {name} {one_of(own)} THEN {words.number(value)}" for value, own in levels.items() if value != unseen
    ]
    if missing != unseen:
        cases.insert(0, f"WHEN {name} IS NULL THEN {words.number(missing)}")
    if not cases:
        return Expression(words.number(unseen)) if unseen else NOTHING
    return Expression(f"CASE {' '.join(cases)} ELSE {words.number(unseen)} END")


def _number(words: Words, layers: Layers, column: Column, term: NumberTerm) -> list[Expression]:
    """Write z once for all scores; a number so far away that z is cut is asked about first, as z might overflow."""
    if not np.any(term.coefficient):
        return [_gap(words, column, missing) for missing in term.missing.tolist()]
    x, number = words.value(column), words.number
    z = f"{words.factor(column)} * {number(term.unit)}" if term.unit != 1 else words.factor(column)
    for shift in (term.centre, term.rest):
        z = f"({z} - {number(shift)})" if shift else z
    z = f"{z} * {number(term.scale)}" if term.scale != 1 else z
    low, high = _ends(term)
    if np.isfinite(high):
        far = term.farthest
        beyond = f"WHEN {x} > {number(high)} THEN {number(far)} WHEN {x} < {number(low)} THEN {number(-far)}"
        z = f"CASE {beyond} ELSE {z} END"
    standard = (
        layers.define(f"z of {column.name}", Expression(z)) if len(term.coefficient) > 1 else Expression(f"({z})")
    )
    return [
        _of_known(words, column, f"{standard.text} * {number(c)}", missing, standard.layer)
        if c
        else _gap(words, column, missing)
        for c, missing in zip(term.coefficient.tolist(), term.missing.tolist(), strict=True)
    ]


def _ends(term: NumberTerm) -> tuple[float, float]:
    """Return the numbers beyond which z is cut; ∞ where that is beyond all floats."""
    with np.errstate(over="ignore", divide="ignore"):
        width = np.float64(term.farthest) / term.scale
        low, high = (-width + term.centre) / term.unit, (width + term.centre) / term.unit
    return (float(low), float(high)) if np.isfinite([low, high]).all() else (-np.inf, np.inf)


def _of_known(words: Words, column: Column, text: str, missing: float, layer: int = 0) -> Expression:
    return Expression(f"CASE WHEN {words.column(column)} IS NULL THEN {words.number(missing)} ELSE {text} END", layer)


def _gap(words: Words, column: Column, missing: float) -> Expression:
    return _of_known(words, column, words.number(0.0), missing) if missing else NOTHING


def _normal(words: Words, column: Column, term: NormalTerm, k: int) -> Expression:
    mean, rest, precision, norm = (float(each[k]) for each in (term.mean, term.rest, term.precision, term.log_norm))
    if precision <= 0:
        return NOTHING
    x, number = words.value(column), words.number
    z = f"{words.factor(column)} * {number(term.scale)}" if term.scale != 1 else words.factor(column)
    z = f"({z} - {number(mean)})"
    z = f"({z} - {number(rest)})" if rest else z
    z = f"{z} * {number(precision)}"
    density = f"-{number(0.5)} * ({z}) * ({z}) - {number(norm)}"
    floor = number(term.log_floor)
    if np.isfinite(term.log_floor):
        density = words.greatest([density, floor])
    with np.errstate(over="ignore"):
        bound = float(np.float64(FAR) / precision / term.scale)
    far = f"WHEN ABS({x}) > {number(bound)} THEN {floor} " if np.isfinite(bound) else ""
    none = number(0.0)
    return Expression(f"CASE WHEN {words.column(column)} IS NULL THEN {none} {far}ELSE {density} END")


def _steps(words: Words, column: Column, term: StepTerm, k: int) -> Expression:
    values: Floats = term.values[:, k]
    cases = [
        f"WHEN {words.compared(column, '<=', float(cut))} THEN {words.number(value)}"
        for cut, value in zip(term.cuts.tolist(), values[:-1].tolist(), strict=True)
    ]
    gap = f"WHEN {words.column(column)} IS NULL THEN {words.number(float(term.missing[k]))}"
    return Expression(f"CASE {' '.join([gap, *cases])} ELSE {words.number(float(values[-1]))} END")
