"""Conditional mutual information: the dependence of two columns within the classes, in bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.learners.semi_naive.counted import CountedColumns
from crake.render.drawing.bars import Bar, BarPicture, bar_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.semi_naive.base import PairwiseClassifier


def conditional_information(counts: Floats) -> float:
    """Return I(A; B given class) in bits, of counts with shape (classes, values of A, values of B).

    Σ P(c, a, b) · log2 [P(a, b given c) / (P(a given c) · P(b given c))]

    >>> round(conditional_information(np.array([[[5.0, 0.0], [0.0, 5.0]], [[4.0, 4.0], [1.0, 1.0]]])), 9)
    0.5
    """
    total = counts.sum()
    if not total > 0:
        return 0.0
    of_class = counts.sum(axis=(1, 2), keepdims=True)
    one, other = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Logarithms one by one: products of weights may leave the range of floats.
        ratio = np.log2(counts) + np.log2(of_class) - np.log2(one) - np.log2(other)
        terms = np.where(counts > 0, counts / total * ratio, 0.0)
    return max(0.0, float(terms.sum()))


def strongest(counts: CountedColumns, most: int) -> list[tuple[float, int, int]]:
    """Return the pairs of columns that say most of each other: the information in bits, and their places."""
    columns = range(len(counts.columns))
    found = [(conditional_information(counts.pairs.table(i, j)[0]), i, j) for i in columns for j in columns if i < j]
    return sorted(found, key=lambda each: (-each[0], each[1:]))[:most]


def dependence_grid(model: PairwiseClassifier, most: int) -> Grid:
    """Return the strongest pairs as a table."""
    names = [column.name for column in model.counts_.columns]
    rows = tuple(
        (shown(names[i], 40), shown(names[j], 40), f"{bits:.4f}") for bits, i, j in strongest(model.counts_, most)
    )
    return Grid("dependences within the classes, in bits", ("column", "and column", "information"), rows)


def draw_dependences(model: PairwiseClassifier, title: str, *, most: int, width: float) -> Drawing:
    """Draw the strongest pairs as bars."""
    names = [column.name for column in model.counts_.columns]
    pairs = strongest(model.counts_, most)
    all_pairs = len(names) * (len(names) - 1) // 2
    bars = tuple(
        Bar(f"{shown(names[i], 15)}, {shown(names[j], 15)}", bits, f"{bits:.4f} bits", is_main=at == 0)
        for at, (bits, i, j) in enumerate(pairs)
    )
    finding = (
        f"{names[pairs[0][1]]} and {names[pairs[0][2]]} say most of each other: {number(pairs[0][0])} bits."
        if pairs
        else "There are no two columns that were counted."
    )
    subtitle = f"what two columns say of each other within the classes: {len(pairs)} of {all_pairs} pairs"
    return bar_drawing(BarPicture(title, subtitle, finding, bars), width)
