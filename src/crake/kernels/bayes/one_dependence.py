"""AODE's posteriors: one product of likelihoods for each column as the parent of all others, added up row by row."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Codes, Flags, Floats, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.bayes.posterior import normalise
from crake.kernels.threads import SMALL


class OneDependenceLogs(NamedTuple):
    """Logarithms by class, the last axis.

    joint[first[p] + x_p] is log P(c, x_p), and is_parent of the same place says if the value may be a parent.
    pair[offsets[p, a] + x_p · widths[a] + x_a] is log P(x_a given c, x_p). alone[first[a] + x_a] is log P(x_a given c),
    and prior log P(c): for rows in which no value may be a parent.
    """

    first: Longs
    widths: Longs
    is_parent: Flags
    joint: Floats
    offsets: Longs
    pair: Floats
    alone: Floats
    prior: Floats


@kernel
def _posteriors(codes: Codes, start: int, stop: int, logs: OneDependenceLogs, shares: Floats, out: Floats) -> None:
    columns, classes = codes.shape[1], out.shape[1]
    first, widths, offsets, pair = logs.first, logs.widths, logs.offsets, logs.pair
    known = np.empty(columns, np.int64)
    terms = np.empty((columns, classes))
    for i in range(start, stop):
        row, sums = codes[i], out[i]
        size = 0
        for j in range(columns):
            if row[j] >= 0:
                known[size] = j
                size += 1
        parents = 0
        for at in range(size):
            p = known[at]
            place = first[p] + row[p]
            if not logs.is_parent[place]:
                continue
            term = terms[parents]
            parents += 1
            for k in range(classes):
                term[k] = logs.joint[place, k]
            for other in range(size):
                a = known[other]
                if a != p:
                    cell = offsets[p, a] + row[p] * widths[a] + row[a]
                    for k in range(classes):
                        term[k] += pair[cell, k]
        if parents == 0:
            for k in range(classes):
                sums[k] = logs.prior[k]
                for at in range(size):
                    sums[k] += logs.alone[first[known[at]] + row[known[at]], k]
        else:
            for k in range(classes):
                top = -math.inf
                for t in range(parents):
                    top = max(top, terms[t, k])
                total = 0.0
                if top > -math.inf:
                    for t in range(parents):
                        total += math.exp(terms[t, k] - top)
                    sums[k] = top + math.log(total)
                else:
                    sums[k] = -math.inf
        normalise(sums, shares)


def one_dependence_posteriors(codes: Codes, logs: OneDependenceLogs, shares: Floats) -> Floats:
    """P(class given row) of rows of codes; negative ones are left out. Where all classes are impossible, `shares`."""
    codes = readable(codes)
    out = np.empty((len(codes), len(shares)))
    parts = 1 if codes.size * codes.shape[1] < SMALL else threads.count()
    threads.each(
        lambda span: _posteriors(codes, span[0], span[1], logs, shares, out),
        threads.spans(len(codes), parts),
    )
    return out
