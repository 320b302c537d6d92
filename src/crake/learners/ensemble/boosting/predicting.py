"""Scores of rows: the sum of what the trees of each output answer, after all rounds or after each."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels import readable, threads
from crake.kernels.boosting.masks import MaskArrays, add_answers_by_masks
from crake.kernels.boosting.walk import GROUP, add_answers
from crake.learners.ensemble.boosting.masks import masks_of
from crake.learners.ensemble.boosting.trees import BoostedTrees
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.predicting.routing import Cases

MANY_ROWS = 50_000
"""Rows from which on masks are made of the trees. Answers are equal to the last bit."""
FEW_STEPS = 20
"""A row takes about this many steps of 10 ns through a tree."""


def scores(trees: BoostedTrees, base: Floats, cases: Cases, rows: Longs | None = None) -> Floats:
    """Return the scores of rows, shape (outputs, rows)."""
    out = np.repeat(base[:, None], len(cases) if rows is None else len(rows), axis=1)
    masks = _masks(trees, len(base), cases.layout) if out.shape[1] >= MANY_ROWS else None
    if masks is None:
        _walk(trees, cases, np.arange(len(cases)) if rows is None else rows, out)
        return out
    if rows is not None:
        cases = Cases(cases.layout, cases.values[rows], cases.codes[rows])
    cells = cases.cells
    spans = threads.spans(len(cases), 4 * threads.count())
    threads.each(lambda span: add_answers_by_masks(masks, cells, *span, out), spans)
    return out


def _masks(trees: BoostedTrees, outputs: int, layout: Layout) -> MaskArrays | None:
    """Return the masks of the trees, made once."""
    if trees not in _made:
        _made[trees] = masks_of(trees, outputs, layout)
    return _made[trees]


_made: WeakKeyDictionary[BoostedTrees, MaskArrays | None] = WeakKeyDictionary()


def _walk(trees: BoostedTrees, cases: Cases, rows: Longs, out: Floats) -> None:
    steps, cells, arrays = len(rows) * len(trees) * FEW_STEPS, cases.cells, trees.arrays
    spans = threads.spans(len(rows), 4 * threads.count() if steps > threads.SMALL else 1)
    roots, rows = [readable(trees.roots[:-1][output :: len(out)]) for output in range(len(out))], readable(rows)
    tasks = [(roots[output], *span, out[output]) for output in range(len(out)) for span in spans]
    threads.each(lambda task: add_answers(arrays, task[0], cells, rows, *task[1:]), tasks, steps)


def answers_of_trees(trees: BoostedTrees, cases: Cases) -> Floats:
    """Return what each tree answers for each row, shape (trees, rows)."""
    rows, out = np.arange(len(cases)), np.zeros((len(trees), len(cases)))
    for tree in range(len(trees)):
        add_answers(trees.arrays, trees.roots[tree : tree + 1], cases.cells, rows, 0, len(rows), out[tree])
    return out


def staged_scores(trees: BoostedTrees, base: Floats, cases: Cases) -> Iterator[Floats]:
    """Yield the scores after each round. They are added up as `scores` adds them, so the last ones are equal to it."""
    rows, outputs = np.arange(len(cases)), len(base)
    out = np.repeat(base[:, None], len(rows), axis=1)
    sums = np.zeros((2, *out.shape))
    for at in range(len(trees) // outputs):
        if at % GROUP == 0:
            out += sums[0] + sums[1]
            sums[:] = 0.0
        for output in range(outputs):
            root = trees.roots[at * outputs + output : at * outputs + output + 1]
            add_answers(trees.arrays, root, cases.cells, rows, 0, len(rows), sums[at % GROUP % 2, output])
        yield out + (sums[0] + sums[1])
