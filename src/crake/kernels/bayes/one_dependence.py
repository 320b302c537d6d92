"""AODE's posteriors: one product of likelihoods for each column as the parent of all others, added up row by row.

Products are taken of probabilities, not of logarithms, and multiplied by a power of two before they leave the range of
floats. Columns are joined two by two (see `joined_columns`), so that one product of two factors is looked up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Flags, Floats, Ints, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.bayes.posterior import normalise
from crake.kernels.inlined import inlined
from crake.kernels.statistics.dealt_rows import dealt
from crake.kernels.statistics.joined_columns import JoinedColumns
from crake.kernels.threads import SMALL
from crake.kernels.tiered import tiered

Cells = NDArray[np.uint32]

BLOCK = 512
"""Rows for which the table of one parent stays in the cache."""
LOW, RAISED = 2.0**-500, 2.0**500
"""Products below LOW are multiplied by RAISED."""


class OneDependence(NamedTuple):
    """The probabilities that are multiplied, or their logarithms if `is_log`; the class is the last axis.

    joint and factors have an even number of classes, the last of them perhaps of zeros: two are multiplied at a time.

    first[p] + x_p is the place of the parent p's value x_p. Of a place, joint is P(c, x_p), is_parent says if the value
    may be a parent, and factors[place · width + begin[u] + code] is the product of P(x_a given c, x_p) over the one or
    two columns a of the joined column u: 1 for missing values and for p itself, flat with the classes side by side.
    A product is compared with LOW after `stride` factors. alone[first[a] + x_a] is log P(x_a given c), and prior
    log P(c): for rows in which no value may be a parent.
    """

    first: Longs
    is_parent: Flags
    joint: Floats
    joined: JoinedColumns
    begin: Longs
    width: int
    factors: Floats
    is_log: bool
    stride: int
    alone: Floats
    prior: Floats


@inlined
def _naive(row: Codes, model: OneDependence, out: Floats) -> None:
    """Write the log products of naive Bayes."""
    for k in range(out.shape[0]):
        out[k] = model.prior[k]
        for j in range(row.shape[0]):
            if row[j] >= 0:
                out[k] += model.alone[model.first[j] + row[j], k]


@inlined
def _add(term: float, power: int, sums: Floats, powers: Ints, k: int) -> None:
    """Add term · RAISED^power to sums[k] · RAISED^powers[k]."""
    if power == powers[k]:
        sums[k] += term
    elif term > 0.0 and (power > powers[k] or sums[k] == 0.0):
        sums[k] = sums[k] * LOW + term if power == powers[k] + 1 else term
        powers[k] = power
    elif power == powers[k] - 1:
        sums[k] += term * LOW


@inlined
def _shares(sums: Floats, powers: Ints, shares: Floats) -> None:
    """Divide the sums by their total; those of a lower power are nothing beside it."""
    top = -(2**31)
    for k in range(sums.shape[0]):
        if sums[k] > 0.0:
            top = max(top, powers[k])
    total = 0.0
    for k in range(sums.shape[0]):
        if powers[k] < top:
            sums[k] = sums[k] * LOW if powers[k] == top - 1 else 0.0
        total += sums[k]
    for k in range(sums.shape[0]):
        sums[k] = sums[k] / total if total > 0.0 else shares[k]


@inlined
def _add_parent(codes: Codes, cells: Cells, p: int, k: int, model: OneDependence, sums: Floats, parents: Ints) -> None:
    """Add the products of one parent to sums[row, k] and sums[row, k + 1]: no product of all factors is too small."""
    factors, first, size = model.factors, model.first[p], model.width * model.joint.shape[1]
    units, one = np.uint64(cells.shape[1]), np.uint64(1)
    for i in range(codes.shape[0]):
        value = codes[i, p]
        if value < 0 or not model.is_parent[first + value]:
            continue
        place, row = first + value, cells[i]
        left, right = model.joint[place, k], model.joint[place, k + 1]
        base = np.uint64(place * size + k)
        for u in range(units):
            cell = base + row[u]
            left *= factors[cell]
            right *= factors[cell + one]
        sums[i, k] += left
        sums[i, k + 1] += right
        parents[i] += 1


@inlined
def _add_long_parent(
    codes: Codes, cells: Cells, p: int, model: OneDependence, sums: Floats, powers: Ints, parents: Ints
) -> None:
    """Add the products of one parent to the sums of all classes; they are raised before they get too small."""
    classes, units = powers.shape[1], cells.shape[1]
    for i in range(codes.shape[0]):
        value = codes[i, p]
        if value < 0 or not model.is_parent[model.first[p] + value]:
            continue
        place = model.first[p] + value
        for k in range(classes):
            term, power = model.joint[place, k], 0
            base = np.uint64(place * model.width * model.joint.shape[1] + k)
            for u in range(0, units, model.stride):
                for v in range(u, min(u + model.stride, units)):
                    term *= model.factors[base + cells[i, v]]
                if term < LOW:
                    term, power = term * RAISED, power - 1
            _add(term, power, sums[i], powers[i], k)
        parents[i] += 1


@tiered(
    lambda codes, start, stop, model, *_: 2 * (stop - start) * codes.shape[1] * (2 + model.begin.size) + 2000,
    most=300_000,
)
def _products(codes: Codes, start: int, stop: int, model: OneDependence, shares: Floats, out: Floats) -> None:
    columns, classes, units, lines = codes.shape[1], out.shape[1], model.begin.shape[0], model.joint.shape[1]
    one, other, slots = model.joined.one, model.joined.other, model.joined.slots
    cells, sums = np.empty((BLOCK, units), np.uint32), np.empty((BLOCK, lines))
    powers, parents = np.empty((BLOCK, classes), np.int32), np.empty(BLOCK, np.int32)
    for begin in range(start, stop, BLOCK):
        block = codes[begin : min(begin + BLOCK, stop)]
        sums[:] = 0.0
        powers[:] = 0
        parents[:] = 0
        for i in range(block.shape[0]):
            for u in range(units):
                code = model.begin[u] + (max(block[i, one[u]], -1) + 1) * slots[u]
                if other[u] >= 0:
                    code += max(block[i, other[u]], -1) + 1
                cells[i, u] = code * lines
        for p in range(columns):
            if model.stride >= units:
                for k in range(0, lines, 2):
                    _add_parent(block, cells, p, k, model, sums, parents)
            else:
                _add_long_parent(block, cells, p, model, sums, powers, parents)
        for i in range(block.shape[0]):
            answer = out[begin + i]
            if parents[i] > 0:
                for k in range(classes):
                    answer[k] = sums[i, k]
                _shares(answer, powers[i], shares)
            else:
                _naive(block[i], model, answer)
                normalise(answer, shares)


@kernel
def _log_products(codes: Codes, start: int, stop: int, model: OneDependence, shares: Floats, out: Floats) -> None:
    """Do the same with logarithms: for counts so unlike that a few factors leave the range of floats."""
    columns, classes, lines = codes.shape[1], out.shape[1], model.joint.shape[1]
    one, other, slots = model.joined.one, model.joined.other, model.joined.slots
    top = np.empty(classes)
    for i in range(start, stop):
        row, sums = codes[i], out[i]
        parents = 0
        for k in range(classes):
            sums[k], top[k] = 0.0, -math.inf
        for p in range(columns):
            if row[p] < 0 or not model.is_parent[model.first[p] + row[p]]:
                continue
            place = model.first[p] + row[p]
            parents += 1
            for k in range(classes):
                term = model.joint[place, k]
                for u in range(one.shape[0]):
                    code = model.begin[u] + (max(row[one[u]], -1) + 1) * slots[u]
                    if other[u] >= 0:
                        code += max(row[other[u]], -1) + 1
                    term += model.factors[(place * model.width + code) * lines + k]
                if term > top[k]:
                    sums[k] = sums[k] * math.exp(top[k] - term) + 1.0
                    top[k] = term
                elif term > -math.inf:
                    sums[k] += math.exp(term - top[k])
        if parents == 0:
            _naive(row, model, sums)
        else:
            for k in range(classes):
                sums[k] = top[k] + math.log(sums[k]) if top[k] > -math.inf else -math.inf
        normalise(sums, shares)


def one_dependence_posteriors(codes: Codes, model: OneDependence, shares: Floats) -> Floats:
    """P(class given row) of rows of codes; negative ones are left out. Where all classes are impossible, `shares`."""
    codes = readable(codes)
    out = np.empty((len(codes), len(shares)))
    parts = 1 if codes.size * codes.shape[1] < SMALL else threads.count()
    posteriors = _log_products if model.is_log else _products
    threads.each(
        lambda span: posteriors(codes, span[0], span[1], model, shares, out),
        threads.spans(len(codes), parts),
    )
    return out


def posteriors_by_fold(codes: Codes, fold: Ints, models: Sequence[OneDependence], shares: Floats) -> Floats:
    """Return P(class given row) of every row by the model of its fold, and NaN for rows of fold −1.

    `shares` are those of each fold. Threads share out the folds: the factors of one stay in the cache.
    """
    rows = dealt(codes, fold, len(models))
    answers = np.empty((len(rows.row), shares.shape[1]))

    def answer(f: int) -> None:
        start, stop = rows.edges[f], rows.edges[f + 1]
        posteriors = _log_products if models[f].is_log else _products
        posteriors(rows.codes[start:stop], 0, stop - start, models[f], shares[f], answers[start:stop])

    threads.each(answer, range(len(models)), codes.size * codes.shape[1])
    out = np.full((len(codes), shares.shape[1]), math.nan)
    out[rows.row] = answers
    return out
