"""Members of an ensemble: clones of one learner, fitted to the same rows under other weights, or to samples of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Rows
from crake.errors import CrakeError
from crake.learners.base.foreseen import refuse_too_large
from crake.learners.base.scikit_learn import clone
from crake.learners.base.weka.java_random import JavaRandom
from crake.learners.ensemble.foreseen import FEWER
from crake.learners.neighbors.base import Neighbors
from crake.learners.tree.algorithms.cart_common import CARTGrowth
from crake.learners.tree.algorithms.cart_regressor import CARTRegressor
from crake.learners.tree.algorithms.rep import REPTreeClassifier
from crake.learners.tree.algorithms.rep_regressor import REPTreeRegressor
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.growing.grove import trees_at_once
from crake.learners.tree.growing.sampled_tree import MOST_COPIES
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.by_rows import HOLD_OUT
from crake.learners.tree.tree import scaled_response
from crake.table.table import Table

SMALLEST_MEMBER, NODE = 3_000, 60
"""Bytes of a fitted tree of one node, and of each node more."""


def _shares_lists(learner: Any) -> bool:
    """Return True for trees that learn from rows laid out for growing, and from nothing else of the table."""
    return (
        isinstance(learner, TreeClassifier)
        and type(learner)._learn is TreeClassifier._learn  # noqa: SLF001 (a learner may look at the table first)
        and learner.class_weight is None
    )


def _bytes_of(learner: Any, table: Table) -> float:
    """Return the bytes that a fitted member is foreseen to take at least.

    A full tree has a node for four rows. Nearest neighbours hold more than half of the rows, as they are and scaled.
    """
    rows = len(table)
    if isinstance(learner, Neighbors):
        return SMALLEST_MEMBER + 8.0 * rows * len(table.schema.features)
    is_full = isinstance(learner, CARTGrowth) and learner.max_depth is None and learner.max_leaf_nodes is None
    is_full = is_full and learner.pruning is None and learner.ccp_alpha == 0 and learner.min_samples_leaf <= 1
    return SMALLEST_MEMBER + (NODE * rows / 4 if is_full else 0.0)


class Members:
    """Fits one member after the other. Trees share one table whose columns are sorted once."""

    def __init__(self, learner: Any, table: Table, number: int, y: Floats | None = None) -> None:
        self.learner, self.table, self.number = clone(learner), table, number
        refuse_too_large(number * _bytes_of(learner, table), f"{number:,} members", table.schema, FEWER)
        self.is_seeded = "random_state" in self.learner.get_params(deep=False)
        self.training: Training | None = None
        self.power = 0
        if _shares_lists(learner):
            self.learner.checked()
            (batch,) = table.batches()
            self.training = Training.of(table.schema, batch, has_grid=self.learner.has_exact_sums).with_shared_lists(
                number
            )
        elif y is not None and type(learner) is CARTRegressor:
            learner.checked()
            y, self.power = scaled_response(y)
            training = Training.of_numbers(table, y)
            self.training = training.with_shared_lists(number) if learner.grows_alike(training) else None

    def sort(self) -> None:
        """Sort the columns that trees share in all threads, before the threads grow a tree each."""
        if self.training is not None and not self.deals_rows:
            self.learner.sort_columns(self.training)

    @property
    def deals_rows(self) -> bool:
        """True if copies of a row are not the same to the learner as its weight."""
        dealt = ("cost-complexity", *HOLD_OUT)
        exception = getattr(self.learner, "_weight_exception", str)()
        return bool(exception) or getattr(self.learner, "pruning", None) in dealt

    @cached_property
    def grows_whole(self) -> bool:
        """True if each member is a tree that one kernel grows, from copies in bytes."""
        training = self.training
        return training is not None and isinstance(self.learner, TreeClassifier) and self.learner.grows_whole(training)

    def weighted(self, weights: NDArray[Any], at: int, seed: int | None = None) -> Any:
        """Return the member of all rows under these weights; a row of weight 0 is left out."""
        member = self._seeded(seed)
        if weights.dtype != np.float64 and (not self.grows_whole or weights.max() > MOST_COPIES):
            weights = weights.astype(np.float64)
        if self.training is None:
            return self._fitted(member, self.table.with_weights(weights), at)
        if isinstance(member, CARTRegressor):
            return self.weighted_together(weights.reshape(1, -1), at, [member.random_state])[0]
        try:
            return member.learn_again(self.table, self.training.with_weights(weights), warns=at == 0)
        except Exception as error:
            raise self._failure(error, at) from error

    @cached_property
    def at_once(self) -> int:
        """The number of members that are best fitted together; 1 if each is fitted alone."""
        if self.training is None or not self.learner.grows_alike(self.training):
            return 1
        if isinstance(self.learner, TreeClassifier) and self.learner.grows_alone(self.training):
            return 1
        return trees_at_once(len(self.table), len(self.table.schema.features))

    def weighted_together(self, weights: Floats, at: int, seeds: Sequence[int]) -> list[Any]:
        """Return members from number `at` on: trees that grow at once, each under its own line of weights."""
        if self.training is None:
            raise CrakeError(f"expected trees of one table, which grow together, got {self.learner!r}: fit each alone")
        members = [self._seeded(seed) for seed in seeds]
        try:
            trees = self.learner.grown_together(
                self.training, weights, [getattr(member, "random_state", 0) for member in members]
            )
            return [
                member.take_tree(self.table, tree.with_response_times(self.power), warns=at + i == 0)
                for i, (member, tree) in enumerate(zip(members, trees, strict=True))
            ]
        except Exception as error:
            raise self._failure(error, at) from error

    def sampled(self, rows: Rows, at: int, seed: int | None = None) -> Any:
        """Return the member of these rows, which may occur several times; each weighs 1."""
        sample = self.table.take(rows)
        member = self._fitted(self._seeded(seed), sample.with_weights(np.ones(len(rows))), at)
        if isinstance(member, Neighbors):  # the numbers of its rows are those of the table, not of the sample
            member.rows_ = replace(member.rows_, numbers=rows[member.rows_.numbers])
        return member

    def _seeded(self, seed: int | None) -> Any:
        """Return a learner like the one given, not fitted, with a seed of its own if it takes one."""
        # A member never changes its parameters, so that clones may share them: cloning each takes longer than a stump.
        member = object.__new__(type(self.learner))
        vars(member).update(vars(self.learner))
        if seed is not None and self.is_seeded:
            # Only WEKA's own learner takes WEKA's negative seeds.
            member.random_state = (
                seed if isinstance(member, REPTreeClassifier | REPTreeRegressor) else seed & 0x7FFFFFFF
            )
        return member

    def _fitted(self, member: Any, table: Table, at: int) -> Any:
        try:
            return member.fit(table)
        except Exception as error:
            raise self._failure(error, at) from error

    def _failure(self, error: Exception, at: int) -> CrakeError:
        kind = type(error) if isinstance(error, CrakeError) else CrakeError
        return kind(f"member {at + 1} of {self.number}, {self.learner!r}, cannot be fitted: {error}")


class Sampler:
    """Samples rows with replacement by weight: by PCG64, or by WEKA's generator with the same seed."""

    def __init__(self, generator: str, seed: int | np.random.SeedSequence) -> None:
        self.java = JavaRandom(seed) if generator == "weka" and isinstance(seed, int) else None
        self.bits = np.random.PCG64(seed)

    def rows(self, weights: Floats, number: int) -> Rows:
        """Return row numbers in the order drawn. The row of a draw u is the first whose summed share exceeds u."""
        if self.java is not None:
            return self.java.sample(weights, number)
        u = (np.asarray(self.bits.random_raw(number)) >> np.uint64(11)).astype(np.float64) / 2.0**53
        if np.all(weights == 1.0):  # the same rows, without a search for each
            return np.minimum((u * len(weights)).astype(np.intp), len(weights) - 1)
        summed = np.cumsum(weights)
        rows: Rows = np.searchsorted(summed, u * summed[-1], side="right")
        return np.minimum(rows, int(np.flatnonzero(weights)[-1]))
