"""Bundles of arrays that the tree kernels take: one argument for what belongs together.

A bundle costs about 1 µs per call from Python for each six arrays, and nothing in a loop of the kernel that takes it.
An array is taken out of it before a loop, not in it: that counts references. So bundles are for what runs once per
level or per batch of rows; a list of one column is passed as plain arrays, results as records.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs

Classes = NDArray[np.uint8] | NDArray[np.int32]
Branches = NDArray[np.int8] | NDArray[np.int32]

LEAF, THRESHOLD, MULTIWAY, ONE_VALUE, SUBSET, INTERVALS = 0, 1, 2, 3, 4, 5
"""Kinds of nodes: no split; number ≤ threshold; a branch per value; one value or the others; a branch per group of
values; a branch per interval of numbers."""


class TreeArrays(NamedTuple):
    """The splits of a tree, one entry per node; the children of node i are first[i], first[i] + 1, …

    `value` is the level of a ONE_VALUE split, or where the entries of a SUBSET in `groups`, of INTERVALS in `cuts`
    begin. `missing` is the branch of a missing value, −1 if it has none.
    """

    kind: Ints
    feature: Ints
    threshold: Floats
    value: Longs
    missing: Ints
    groups: Ints
    cuts: Floats
    first: Longs
    branches: Longs


class SurrogateArrays(NamedTuple):
    """The surrogates of all nodes: node i has those from edges[i] to edges[i + 1] − 1, the best first.

    A number ≤ threshold goes to branch 0, or to branch 1 if `turned`; a level to groups[value + level] of the tree.
    """

    edges: Longs
    feature: Ints
    threshold: Floats
    value: Longs
    turned: Flags


class RowArrays(NamedTuple):
    """The cells of rows: numbers are values[row, place], codes are codes[row · down + place · across].

    Codes may lie row by row or column by column. `is_numeric` and `place` say where the cells of a feature are.
    """

    values: Floats
    codes: Ints
    down: int
    across: int
    is_numeric: Flags
    place: Ints


class LevelArrays(NamedTuple):
    """The nodes of a level: node s holds the instances rows[start[s]] … rows[start[s] + size[s] − 1].

    An instance is a row, `row_of`, with its class and weight. `weights` is empty where every row weighs 1.
    """

    rows: Ints
    row_of: Ints
    target: Classes
    weights: Floats
    start: Longs
    size: Longs


class NominalColumn(NamedTuple):
    """The codes of a nominal column by row (−1: missing), and how many levels it has."""

    codes: Ints
    levels: int


class NominalColumns(NamedTuple):
    """The codes (columns, rows) of all nominal columns, their numbers of levels, and their places among attributes."""

    codes: Ints
    levels: Longs
    attribute: Longs


SPLIT = np.dtype(
    [
        ("decrease", np.float64),
        ("known_weight", np.float64),
        ("branch_terms", np.float64),
        ("left_weight", np.float64),
        ("right_weight", np.float64),
        ("cut", np.int64),
        ("cuts", np.int64),
        ("choice", np.int64),
        ("known_rows", np.int64),
        ("left_rows", np.int64),
        ("usable", np.uint8),
    ],
    align=True,
)
"""The best split of a node on one column, as `learners.tree.growing.splits.Splits` explains it.

A scan fills one record per node: an array of records is handed over as fast as one array."""
SplitRecords = NDArray[Any]


class Scoring(NamedTuple):
    """The score of a split and the splits that count.

    `rule` says what missing rows do to the score, `logs` holds n·ln n of whole numbers, or nothing. A side must weigh
    `smallest`; with `is_clamped` C4.5's 0.1·W/K, at least `smallest`, at most 25. With `counts_rows` a cut of numbers
    needs as many rows as two such sides weigh, however heavy they are. A later split must be better by more
    than `tolerance`, every split better than `least`. `by_ratio` compares values of a column by the gain ratio. Subsets
    of up to `exhaustive` values are all tried.
    """

    criterion: int
    rule: int
    classes: int
    logs: Floats
    smallest: float
    least: float
    tolerance: float
    is_clamped: bool
    counts_rows: bool
    by_ratio: bool
    exhaustive: int


MOMENTS = np.dtype(
    [
        ("mean", np.float64),
        ("squares", np.float64),
        ("low", np.float64),
        ("high", np.float64),
        ("weight", np.float64),
        ("summed", np.float64),
    ],
    align=True,
)
"""The numbers y to predict of a node: mean, Σ w·(y − mean)², smallest, largest; weight, and the sum of deviations."""
MomentRecords = NDArray[Any]


class Responses(NamedTuple):
    """The moments of each node of a level, and the deviation w·(y − mean) of each instance, on a grid.

    Any sum of the deviations of a node is exact.
    """

    deviation: Floats
    node: MomentRecords


class Groups(NamedTuple):
    """Places for the sides of a node's values: groups[place[s] + level]; nothing is written where the place is −1."""

    place: Longs
    groups: Ints


class BranchArrays(NamedTuple):
    """The branch that each instance takes, and the branches of each node: first[s], first[s] + 1, …

    `counts`, `instances` and `share` of the known weight have one entry per branch, `missing` counts the instances of a
    node without a branch. New instances of these begin at base[branch] (−1: none); `number` counts them in their node.
    """

    first: Longs
    branch: Branches
    counts: Floats
    instances: Longs
    share: Floats
    missing: Longs
    base: Longs
    number: Ints


class CutArrays(NamedTuple):
    """The nodes of a level, the branches of their instances, and the children: where each begins, and is it kept.

    `kind` to `missing` have one entry per node, `branch` and `number` one per instance, the others one per branch.
    """

    kind: Ints
    branches: Longs
    start: Longs
    size: Longs
    first: Longs
    missing: Longs
    branch: Branches
    number: Ints
    base: Longs
    child_start: Longs
    child_size: Longs
    is_kept: Flags


class PruningArrays(NamedTuple):
    """Nodes, rows and work space of pessimistic pruning.

    By node: class weights, pessimistic errors and size of its subtree, its share of the rows above it, where its rows
    begin in the order of branches; and room for nodes still to visit and nodes visited. By row: class and weight at the
    node looked at; the row numbers in the order of nodes, with room for a copy, for weights and for branches.
    By depth: the lines NODE, BEGIN, … of the node on the path from the root. By branch of a node: room for its share
    and its place. Parts of rows are rounded to the grid of the anchor.
    """

    counts: Floats
    errors: Floats
    nodes_below: Longs
    share: Floats
    edge: Longs
    waiting: Longs
    waiting_begin: Longs
    visited: Longs
    target: Ints
    weights: Floats
    rows: Ints
    spare: Ints
    spare_weights: Floats
    branch: Ints
    branch_share: Floats
    branch_place: Longs
    path: NDArray[np.int64]
    confidence: float
    z: float
    anchor: float
