"""Masks of leaves by column and bin, for predicting many rows: see `kernels/boosting/masks.py`."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels.boosting.masks import DE_BRUIJN, TREES, MaskArrays
from crake.kernels.tree.arrays import LEAF, SUBSET
from crake.learners.ensemble.boosting.binning import filled_up
from crake.learners.ensemble.boosting.trees import BoostedTrees
from crake.learners.tree.growing.training_rows import Layout

MOST_CUTS = 255
MOST_BYTES = 2**26
"""Masks that take more memory are slower than walking."""
PLACES = [(2**bit * DE_BRUIJN % 2**32) >> 27 for bit in range(32)]
"""The place of the answer of leaf 0, leaf 1, …"""


def masks_of(trees: BoostedTrees, outputs: int, layout: Layout) -> MaskArrays | None:
    """Return the masks of all trees; None if a tree has more than 32 leaves, or if there would be too many masks."""
    columns = np.unique(trees.feature[trees.feature >= 0])
    if len(columns) == 0 or int(trees.leaves.max()) > TREES:
        return None
    cuts = [np.unique(trees.threshold[(trees.feature == f) & layout.is_numeric[f]]) for f in columns]
    if max(map(len, cuts)) > MOST_CUTS:
        return None
    size = np.where(layout.is_numeric[columns], np.array([len(own) + 1 for own in cuts]), layout.levels[columns])
    line = np.concatenate([[0], np.cumsum(size + 1)])
    rounds = len(trees) // outputs
    groups = -(-rounds // TREES)
    if 4 * outputs * groups * TREES * int(line[-1]) > MOST_BYTES:
        return None
    masks = np.full((outputs * groups, int(line[-1]), TREES), 0xFFFFFFFF, np.uint32)
    answers = np.zeros((outputs * groups, TREES, 32))
    filling = _Filling(trees, columns, cuts, line)
    for t in range(len(trees)):
        at, output = divmod(t, outputs)
        group, place = output * groups + at // TREES, at % TREES
        filling.fill(t, masks[group, :, place], answers[group, place])
    return MaskArrays(
        masks,
        answers.reshape(-1),
        np.repeat(np.arange(outputs), groups),
        columns.astype(np.int32),
        line[:-1].astype(np.int64),
        size.astype(np.int64),
        np.concatenate([filled_up(own) for own in cuts]),
    )


class _Filling:
    """Writes the masks and answers of one tree after the other."""

    def __init__(self, trees: BoostedTrees, columns: Ints, cuts: list[Floats], line: Longs) -> None:
        self.trees, self.cuts, self.line = trees, cuts, line.tolist()
        self.column = {int(f): at for at, f in enumerate(columns)}

    def fill(self, t: int, masks: np.ndarray, answers: Floats) -> None:
        """Rule out, for each bin that goes right at a node, the leaves on its left."""
        trees = self.trees
        root, end = int(trees.roots[t]), int(trees.roots[t + 1])
        leaves, first = [1] * (end - root), (trees.first[root:end] - root).tolist()
        is_leaf = (trees.kind[root:end] == LEAF).tolist()
        for node in range(end - root - 1, -1, -1):
            if not is_leaf[node]:
                leaves[node] = leaves[first[node]] + leaves[first[node] + 1]
        begin = [0] * (end - root)
        for node in range(end - root):
            if is_leaf[node]:
                answers[PLACES[begin[node]]] = trees.answer[root + node]
                continue
            left = first[node]
            begin[left], begin[left + 1] = begin[node], begin[node] + leaves[left]
            self._rule_out(root + node, ((1 << leaves[left]) - 1) << begin[left], masks)

    def _rule_out(self, node: int, leaves: int, masks: np.ndarray) -> None:
        trees, keep = self.trees, np.uint32(0xFFFFFFFF ^ leaves)
        at = self.column[int(trees.feature[node])]
        start, missing = self.line[at], self.line[at + 1] - 1
        if trees.kind[node] == SUBSET:
            value = int(trees.value[node])
            masks[start + np.flatnonzero(trees.groups[value : value + missing - start])] &= keep
        else:
            cut = int(np.searchsorted(self.cuts[at], trees.threshold[node]))
            masks[start + cut + 1 : missing] &= keep
        if trees.missing[node]:
            masks[missing] &= keep
