"""One tree, leaf by leaf: the split that removes most loss comes next."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels.boosting.arrays import BINS, Bins, Features, Rules
from crake.kernels.boosting.histograms import add_rows
from crake.kernels.boosting.partition import part_rows, weight_of
from crake.kernels.boosting.splits import CUT, FEATURE, GAIN, LEFT_GRADIENT, LEFT_HESSIAN, MISSING_SIDE, best_split
from crake.learners.ensemble.boosting.binning import Binned
from crake.learners.ensemble.boosting.settings import Settings
from crake.learners.ensemble.boosting.team import Team
from crake.learners.ensemble.boosting.weights import PARTS, RowWeights
from crake.learners.tree.growing.room import IN_MEMORY, Room

MANY_CELLS, MANY_ROWS = 100_000, 40_000
"""Cells to add up, and rows to part, that are worth another thread."""


@dataclass(eq=False, slots=True)
class Leaf:
    """Rows begin … end − 1 of the list of rows, also of the rows held out; the sums and the best split of a node.

    The value of a side of a split of levels is that of as many more rows as `smoothing`, which have nothing to add.
    """

    node: int
    depth: int
    spans: tuple[tuple[int, int], tuple[int, int]]
    gradient: int
    hessian: int
    weight: float
    lowest: float = -np.inf
    highest: float = np.inf
    least: float = 0.0
    slot: int = 0
    smoothing: float = 0.0
    split: Floats = field(default_factory=lambda: np.zeros(6))
    side: Bins = field(default_factory=lambda: np.zeros(BINS, np.uint8))

    @property
    def stretched(self) -> float:
        """The factor (W + smoothing)/W of the sum of its hessians."""
        return 1.0 + self.smoothing / self.weight

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.spans[0][1] - self.spans[0][0]


@dataclass(eq=False, slots=True)
class Split:
    """A node that was split: its column, cut and sides, its gain, and where its children are."""

    feature: int
    cut: int
    side: Bins
    missing: int
    gain: float
    first: int


@dataclass(frozen=True, eq=False)
class Grown:
    """A tree as it was grown: the split of each node, None for a leaf; leaves in the order of their rows."""

    splits: list[Split | None]
    leaves: list[Leaf]

    def edges(self, part: int) -> Longs:
        """Return where the rows of each leaf begin, and where the last one ends; part 1 are the rows held out."""
        return np.array([*(leaf.spans[part][0] for leaf in self.leaves), self.leaves[-1].spans[part][1]], np.int64)


class Waiting:
    """Leaves that may be split: the best first, of equals the one whose rows come first."""

    def __init__(self) -> None:
        self._leaves: list[tuple[float, int, Leaf]] = []

    def add(self, *leaves: Leaf) -> None:
        """Add those whose best split removes some loss."""
        for leaf in leaves:
            if leaf.split[GAIN] > 0.0:
                heappush(self._leaves, (-float(leaf.split[GAIN]), leaf.spans[0][0], leaf))

    def best(self) -> Leaf | None:
        """Take the best one out; None if there is none."""
        return heappop(self._leaves)[2] if self._leaves else None


def most_leaves(settings: Settings, rows: int) -> int:
    """Return the largest number of leaves of a tree that is grown from this number of rows."""
    return max(min(settings.max_leaf_nodes, rows), 1)


def bytes_of_sums(settings: Settings, rows: int) -> float:
    """Return the bytes of the sums by bin of all leaves of a tree."""
    return 8.0 * BINS * len(settings.direction) * most_leaves(settings, rows)


class Grower:
    """Grows trees from the same rows under other gradients; its memory is taken once."""

    def __init__(
        self,
        binned: Binned,
        settings: Settings,
        weights: RowWeights,
        parts: tuple[Ints, Ints],
        team: Team,
        room: Room = IN_MEMORY,
    ) -> None:
        self.binned, self.settings, self.weights, self.team = binned, settings, weights, team
        self.parts, self.rows = parts, (room.copied(parts[0]), room.copied(parts[1]))
        self.spare = room.empty(max(map(len, parts)), np.int32)
        slots = most_leaves(settings, len(parts[0]))
        self.histograms = [np.empty((slots, BINS * group.shape[1]), np.int64) for group in binned.groups]
        self.more = np.empty((team.size, max(sums.shape[1] for sums in self.histograms)), np.int64)
        self.features = Features(binned.sizes, binned.is_nominal, settings.direction)
        # A side that weighs nothing would be divided by.
        self.least = max(settings.min_samples_leaf * weights.factor, 1 / PARTS)
        self.firsts = np.cumsum([0, *(group.shape[1] for group in binned.groups)]).tolist()

    def grow(self, packed: Longs, sums: tuple[int, int], rules: Rules, largest_step: float) -> Grown:
        """Grow a tree from packed gradients, of which `sums` are the sums; leaves add the largest step at most."""
        for rows, part in zip(self.rows, self.parts, strict=True):
            rows[:] = part
        self.packed, self.rules = packed, rules
        whole = Leaf(0, 0, ((0, len(self.rows[0])), (0, len(self.rows[1]))), *sums, self.weights.total)
        whole.least = self.least
        whole.lowest, whole.highest = -largest_step, largest_step
        leaves, waiting = {0: whole}, Waiting()
        splits: list[Split | None] = [None]
        if self._may_split(whole):
            self._add_up(whole)
            self._find(whole)
            waiting.add(whole)
        while len(leaves) < self.settings.max_leaf_nodes and (leaf := waiting.best()) is not None:
            children = self._parted(leaf, len(splits))
            if children is None:
                waiting.add(leaf)
                continue
            splits[leaf.node] = _split_of(leaf, len(splits))
            splits += [None, None]
            del leaves[leaf.node]
            leaves.update({child.node: child for child in children})
            if len(leaves) < self.settings.max_leaf_nodes:
                self._prepare(children, len(leaves) - 1)
                waiting.add(*children)
        return Grown(splits, sorted(leaves.values(), key=lambda leaf: leaf.spans[0][0]))

    def _may_split(self, leaf: Leaf) -> bool:
        deepest = self.settings.max_depth
        return leaf.rows > 1 and leaf.weight >= 2 * leaf.least and (deepest is None or leaf.depth < deepest)

    def _prepare(self, children: tuple[Leaf, Leaf], slot: int) -> None:
        """Find the best splits of two new leaves: the smaller one is added up in a new slot, the other is the rest."""
        smaller, larger = children if children[0].rows <= children[1].rows else children[::-1]
        may_split = self._may_split(smaller), self._may_split(larger)
        if not any(may_split):
            return
        smaller.slot = slot
        self._add_up(smaller)
        if may_split[0]:
            self._find(smaller)
        if may_split[1]:
            for sums in self.histograms:
                sums[larger.slot] -= sums[smaller.slot]
            self._find(larger)

    def _add_up(self, leaf: Leaf) -> None:
        """Add up the packed gradients of a leaf by column and bin."""
        (begin, end), rows, packed, slot = leaf.spans[0], self.rows[0], self.packed, leaf.slot
        if len(self.histograms) > 1:
            groups = zip(self.binned.groups, self.histograms, strict=True)
            tasks = [(group, packed, rows, begin, end, sums[slot]) for group, sums in groups]
            is_large = leaf.rows * self.firsts[-1] >= MANY_CELLS
            for lot in [tasks] if is_large else [[task] for task in tasks]:
                self.team.run(add_rows, lot)
            return
        (group,), (sums,) = self.binned.groups, self.histograms
        spans = self.team.spans(begin, end, MANY_CELLS // group.shape[1] + 1)
        if len(spans) == 1:
            add_rows(group, packed, rows, begin, end, sums[slot])
            return
        places = [sums[slot], *self.more[: len(spans) - 1]]
        self.team.run(add_rows, [(group, packed, rows, *span, to) for span, to in zip(spans, places, strict=True)])
        for part in places[1:]:
            sums[slot] += part

    def _find(self, leaf: Leaf) -> None:
        """Find the best split of a leaf; the first of equals."""
        node = np.array([leaf.gradient, leaf.hessian, leaf.weight, leaf.lowest, leaf.highest, leaf.least])
        best_split(self.histograms[0][leaf.slot], self.features, self.rules, node, 0, leaf.split, leaf.side)
        for group in range(1, len(self.histograms)):
            split, side = np.zeros(6), np.zeros(BINS, np.uint8)
            sums, first = self.histograms[group][leaf.slot], self.firsts[group]
            best_split(sums, self.features, self.rules, node, first, split, side)
            if split[GAIN] > leaf.split[GAIN]:
                leaf.split, leaf.side = split, side

    def _parted(self, leaf: Leaf, first: int) -> tuple[Leaf, Leaf] | None:
        """Part the rows of a leaf; None if a side is too light, and its best split is another one now.

        The weight of a side is estimated by its hessian while splits are compared, and known when the rows are parted.
        """
        split, column = leaf.split, self.binned.columns[int(leaf.split[FEATURE])]
        middle = self._part(0, leaf.spans[0], column, leaf.side)
        begin, end = leaf.spans[0]
        left_weight = self._weight(begin, middle)
        right_weight = self._weight(middle, end)
        if min(left_weight, right_weight) < self.least:
            leaf.least *= 2
            if leaf.weight < 2 * leaf.least:
                split[GAIN] = 0.0
            else:
                self._find(leaf)
            return None
        other = self._part(1, leaf.spans[1], column, leaf.side)
        tested_begin, tested_end = leaf.spans[1]
        g, h, depth = int(split[LEFT_GRADIENT]), int(split[LEFT_HESSIAN]), leaf.depth + 1
        left = Leaf(first, depth, ((begin, middle), (tested_begin, other)), g, h, left_weight)
        rest = leaf.gradient - g, leaf.hessian - h
        right = Leaf(first + 1, depth, ((middle, end), (other, tested_end)), *rest, right_weight)
        smoothing = self.rules.smoothing if self.binned.is_nominal[int(split[FEATURE])] else 0.0
        for child in (left, right):
            child.smoothing = smoothing
            child.lowest, child.highest, child.least, child.slot = leaf.lowest, leaf.highest, self.least, leaf.slot
        self._bound(left, right, int(self.settings.direction[int(split[FEATURE])]))
        return left, right

    def _bound(self, left: Leaf, right: Leaf, direction: int) -> None:
        """Keep the values of all leaves on the left below those on the right, or above them."""
        if direction == 0:
            return
        middle = 0.5 * (self._value(left) + self._value(right))
        if direction > 0:
            left.highest, right.lowest = min(left.highest, middle), max(right.lowest, middle)
        else:
            left.lowest, right.highest = max(left.lowest, middle), min(right.highest, middle)

    def _value(self, leaf: Leaf) -> float:
        rules = self.rules
        hessian = leaf.hessian * rules.hessian_unit * leaf.stretched
        value = -leaf.gradient * rules.gradient_unit / (hessian + rules.l2)
        return min(max(value, leaf.lowest), leaf.highest)

    def _weight(self, begin: int, end: int) -> float:
        if len(self.weights.whole) == 0:
            return float(end - begin)
        return float(weight_of(self.weights.whole, self.rows[0], begin, end) / PARTS)

    def _part(self, part: int, span: tuple[int, int], column: Bins, side: Bins) -> int:
        """Part the rows of a span in their order; return where those begin that go right."""
        rows, spare = self.rows[part], self.spare
        spans = self.team.spans(*span, MANY_ROWS)
        if len(spans) == 1:
            begin, end = span
            middle = begin + part_rows(column, side, rows, begin, end, spare)
            rows[middle:end] = spare[begin : begin + end - middle]
            return middle
        lefts = self.team.run(part_rows, [(column, side, rows, begin, end, spare) for begin, end in spans])
        middle = spans[0][0] if spans else span[0]
        for (begin, _), left in zip(spans, lefts, strict=True):
            if middle != begin:
                rows[middle : middle + left] = rows[begin : begin + left]
            middle += left
        to = middle
        for (begin, end), left in zip(spans, lefts, strict=True):
            right = end - begin - left
            rows[to : to + right] = spare[begin : begin + right]
            to += right
        return middle


def _split_of(leaf: Leaf, first: int) -> Split:
    split = leaf.split
    return Split(int(split[FEATURE]), int(split[CUT]), leaf.side, int(split[MISSING_SIDE]), float(split[GAIN]), first)
