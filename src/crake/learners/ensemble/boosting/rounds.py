"""The rounds of boosting: gradients, a tree for each output, and the scores with what its leaves add."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crake.arrays import Floats, Ints, Longs, Rows
from crake.kernels.boosting.arrays import Rules
from crake.kernels.boosting.gradients import add_values, leaf_sums, pack, sum_of_sizes, sum_of_squares
from crake.learners.ensemble.boosting.binning import Binned
from crake.learners.ensemble.boosting.growing import Grower, Grown
from crake.learners.ensemble.boosting.losses import Loss
from crake.learners.ensemble.boosting.settings import LEVEL_SMOOTHING, Settings
from crake.learners.ensemble.boosting.team import Team
from crake.learners.ensemble.boosting.trees import BoostedTrees, no_trees, tree_of
from crake.learners.ensemble.boosting.weights import RowWeights
from crake.learners.tree.growing.room import IN_MEMORY, Room

PART = 20_000
"""Rows worth another thread."""
LEAST_HESSIAN = 1e-3
"""The least sum of hessians of a leaf: a step of Newton's method divides by it."""

LARGEST_RULE = 1e300
"""The most by which sums are drawn to 0: twice as much is still a number."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The rows to learn from, ascending, and those held out with their weights, which weigh 0 while learning."""

    learned: Ints
    tested: Ints
    tested_weights: Floats


@dataclass(frozen=True, eq=False)
class Boosted:
    """The trees, round by round with one for each output, the score without them, and losses on rows held out.

    Scores are in units of 2^exponent.
    """

    trees: BoostedTrees
    base: Floats
    held_out_losses: list[float]
    exponent: int


class Booster:
    """Scores, gradients and packed gradients of all rows, and the steps of a round."""

    def __init__(
        self,
        binned: Binned,
        loss: Loss,
        weights: RowWeights,
        parts: Parts,
        settings: Settings,
        team: Team,
        room: Room = IN_MEMORY,
    ) -> None:
        self.loss, self.weights, self.settings, self.team, self.binned = loss, weights, settings, team, binned
        # A sum of weights that is drawn to 0 by so much is drawn by as much times their factor.
        self.l2 = min(settings.l2_regularization * weights.factor, LARGEST_RULE)
        self.smoothing = min(settings.level_smoothing * weights.factor, LARGEST_RULE)
        n = binned.columns.shape[1]
        self.base = loss.base(weights.floats)
        self.score = room.empty((loss.outputs, n), np.float64)
        self.score[:] = self.base[:, None]
        self.gradient = room.empty((loss.outputs, n), np.float64)
        self.packed = room.empty(n, np.int64)
        self.spans = team.spans(0, n, PART)
        self.grower = Grower(binned, settings, weights, (parts.learned, parts.tested), team, room)

    def round(self) -> tuple[list[BoostedTrees], bool]:
        """Return the trees of a round, one for each output, and whether any of them has a split."""
        self.loss.gradients(self.score, self.gradient, self.team)
        trees = [self._tree(output) for output in range(self.loss.outputs)]
        return trees, any(len(tree.kind) > 1 for tree in trees)

    def _tree(self, output: int) -> BoostedTrees:
        gradient, weights = self.gradient[output], self.weights.floats
        unit = 2.0 ** (61 - _bits(self.weights.total) - _bits(self.loss.largest))
        h_unit = 2.0 ** (61 - _bits(self.weights.total))
        sizes = self.team.run(sum_of_sizes, [(gradient, weights, *span, unit) for span in self.spans])
        rules, sums = self._pack(gradient, (sum(sizes) + self.weights.total) / unit)
        grown = self.grower.grow(self.packed, sums, rules, self.loss.largest_step)
        edges = grown.edges(0)
        values = self._leaf_values(grown, output, edges, (unit, h_unit))
        self._add(self.grower.rows[0], edges, values, output)
        self._add(self.grower.rows[1], grown.edges(1), values, output)
        heavy = np.array([leaf.weight for leaf in grown.leaves]) / self.weights.factor
        return tree_of(grown, values, heavy, self.binned)

    def _pack(self, gradient: Floats, size: float) -> tuple[Rules, tuple[int, int]]:
        """Pack the gradients in the finest units in which their sums fit half of a word."""
        slack = self.weights.total + len(gradient) + 2
        curvature = min(size, 0.25 * self.weights.total) if self.loss.is_curved else self.weights.total
        g_scale = 2.0 ** min(math.floor(math.log2((2.0**31 - slack) / size)), 1000)
        h_scale = 2.0 ** min(math.floor(math.log2((2.0**32 - slack) / curvature)), 1000)
        curved = self.loss.is_curved
        tasks = [(gradient, self.weights.floats, *span, curved, g_scale, h_scale, self.packed) for span in self.spans]
        total = sum(self.team.run(pack, tasks))
        g_sum, h_sum = total >> 32, total & 0xFFFFFFFF
        chance = self._chance(gradient, h_sum / h_scale)
        return Rules(1 / g_scale, 1 / h_scale, LEAST_HESSIAN, self.l2, self.smoothing, chance), (g_sum, h_sum)

    def _chance(self, gradient: Floats, hessian: float) -> float:
        """Return by how much a level may differ by chance: Σg²/Σh, times the smoothing in units of its default.

        The smoothing has the unit of the weights, so that weights of any size are told apart from chance alike.
        """
        if self.smoothing == 0 or not self.binned.is_nominal.any():
            return 0.0
        power = _bits(self.loss.largest)
        unit = 2.0 ** (61 - _bits(self.weights.total))
        fixed = gradient, self.weights.floats
        squares = self.team.run(sum_of_squares, [(*fixed, *span, 2.0**-power, unit) for span in self.spans])
        dispersion = math.ldexp(sum(squares) / unit, min(2 * power, 900)) / hessian
        return min(dispersion * self.smoothing / LEVEL_SMOOTHING, LARGEST_RULE)

    def _leaf_values(self, grown: Grown, output: int, edges: Longs, units: tuple[float, float]) -> Floats:
        """Return what each leaf adds: a step of Newton's method from exact sums, or a median."""
        rows, weights, rate = self.grower.rows[0], self.weights.floats, self.settings.learning_rate
        lowest = np.array([leaf.lowest for leaf in grown.leaves])
        highest = np.array([leaf.highest for leaf in grown.leaves])
        if self.loss.leaf_value(self.score, rows[:1], weights) is not None:
            spans = pairwise(edges.tolist())
            medians = [self.loss.leaf_value(self.score, rows[begin:end], weights) for begin, end in spans]
            return rate * np.clip(np.array(medians, np.float64), lowest, highest)
        sums = np.empty((len(lowest), 2), np.int64)
        fixed = rows, edges
        after = self.gradient[output], weights, self.loss.is_curved, *units, sums
        self.team.run(leaf_sums, [(*fixed, begin, end, *after) for begin, end in self._leaves(edges)])
        stretched = np.array([leaf.stretched for leaf in grown.leaves])
        g, h = sums[:, 0] / units[0], sums[:, 1] / units[1] * stretched + self.l2
        values: Floats = rate * np.clip(-g / np.maximum(h, 1e-300), lowest, highest)
        return values

    def _add(self, rows: Ints, edges: Longs, values: Floats, output: int) -> None:
        tasks = [(rows, edges, *span, values, self.score[output]) for span in self._leaves(edges)]
        self.team.run(add_values, tasks)

    def _leaves(self, edges: Longs) -> list[tuple[int, int]]:
        """Return spans of leaves with about as many rows each."""
        spans = self.team.spans(0, int(edges[-1]), PART)
        cuts = [0, *(int(np.searchsorted(edges, end)) for _, end in spans[:-1]), len(edges) - 1]
        return [(a, b) for a, b in pairwise(cuts) if a < b]


def _bits(x: float) -> int:
    """Return the least k with x ≤ 2^k.

    >>> _bits(1.0), _bits(5.0), _bits(0.25)
    (0, 3, -2)
    """
    return math.ceil(math.log2(x)) if x > 0 else -900


def boost(
    binned: Binned,
    loss: Loss,
    weights: RowWeights,
    parts: Parts,
    settings: Settings,
    team: Team,
    room: Room = IN_MEMORY,
) -> Boosted:
    """Boost for as many rounds as asked for, or until nothing splits, or until rows held out are met no better.

    `room` makes the arrays with an entry per row.
    """
    booster = Booster(binned, loss, weights, parts, settings, team, room)
    tested: Rows = parts.tested.astype(np.intp)
    own = parts.tested_weights
    trees: list[BoostedTrees] = []
    losses: list[float] = [loss.value(booster.score, tested, own)] if len(tested) else []
    for _ in range(settings.n_estimators):
        added, has_split = booster.round()
        if not has_split:
            break
        trees += added
        if len(tested):
            losses.append(loss.value(booster.score, tested, own))
            if len(losses) - 1 - int(np.argmin(losses)) >= (settings.n_iter_no_change or len(losses)):
                break
    kept = int(np.argmin(losses)) * loss.outputs if losses else len(trees)
    joined = BoostedTrees.joined(trees).until(kept) if trees else no_trees()
    return Boosted(joined, booster.base, loss.in_target_units(losses), loss.exponent)
