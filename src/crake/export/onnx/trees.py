"""Trees as operators: one path by TreeEnsembleRegressor, or the share of a row in every leaf.

TreeEnsembleRegressor compares doubles, but its results are single precision. It returns only the number of the leaf,
which is exact; the answers of leaves are taken from a table of doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crake.arrays import Floats
from crake.export.forms import Among, Compare, Missing, Node, Question, Test, Tree
from crake.export.onnx.conditions import Columns
from crake.export.onnx.graph import FIRST, MISSING, ML, Graph
from crake.table.schema import Kind


def is_walked(tree: Tree) -> bool:
    """Return True if every row takes one path, and each split is one threshold or one column of names."""
    return all(
        not node.children
        or (
            node.fallback >= 0
            and len(node.questions) == 1
            and len(node.children) > 1
            and (_threshold(node) is not None or _name(node.questions[0]) >= 0)
        )
        for node in tree.nodes
    )


def _threshold(node: Node) -> Compare | None:
    """Return the condition x ≤ t of the first branch if the second is x > t."""
    match node.questions[0]:
        case ((Compare(feature, "<=", value) as first,), (Compare(again, ">", same),)) if (feature, value) == (
            again,
            same,
        ):
            return first
    return None


def _name(question: Question) -> int:
    """Return the column of names that alone decides, −1 if there is none."""
    found = {
        test[0].feature if len(test) == 1 and isinstance(test[0], Among | Missing) else -1 for test in question if test
    }
    return found.pop() if len(found) == 1 else -1


@dataclass
class Walk:
    """The attributes of TreeEnsembleRegressor; columns of names become columns of branches first."""

    graph: Graph
    numbers: dict[int, int]
    branches: dict[int, dict[bytes, int]] = field(default_factory=dict)
    lines: list[tuple[int, int, tuple[int, int] | int, float, int, int, int]] = field(default_factory=list)
    """Tree, node, column (a number, or a feature and its table; −1: leaf), value, true node, false node, gap."""

    def add(self, number: int, tree: Tree) -> None:
        """Add the nodes of a tree; a leaf's value is its place among the leaves."""
        rank = {leaf: at for at, leaf in enumerate(tree.leaves)}
        self.size = len(tree.nodes)
        for at, node in enumerate(tree.nodes):
            if not node.children:
                self.lines.append((number, at, -1, float(rank[at]), 0, 0, 0))
            elif (cut := _threshold(node)) is not None:
                column, (below, above) = self.numbers[cut.feature], node.children
                self.lines.append((number, at, column, cut.value, below, above, int(node.fallback == 0)))
            else:
                feature = _name(node.questions[0])
                column_of = (feature, self._table(feature, node))
                self._search(number, at, column_of, node.children, 0)

    def _table(self, feature: int, node: Node) -> int:
        """Return the number of the table of branches by level, written once."""
        branch = np.full(FIRST + len(self.graph.column(feature).levels), node.fallback, np.float64)
        for at, test in enumerate(node.questions[0]):
            for condition in test or ():
                if isinstance(condition, Among):
                    branch[[FIRST + code for code in condition.codes]] = at
                else:
                    branch[MISSING] = at
        own = self.branches.setdefault(feature, {})
        return own.setdefault(branch.tobytes(), len(own))

    def _search(self, number: int, at: int, column: tuple[int, int], children: Sequence[int], begin: int) -> None:
        """Add nodes that halve the branches until one is left."""
        half = (len(children) + 1) // 2
        sides, later = [], []
        for side, first in ((children[:half], begin), (children[half:], begin + half)):
            if len(side) == 1:
                sides.append(side[0])
            else:
                sides.append(self.size)
                later.append((self.size, side, first))
                self.size += 1
        # Runtimes take the first node of a tree for its root: a node stands before those below it.
        self.lines.append((number, at, column, begin + half - 0.5, sides[0], sides[1], 0))
        for own, side, first in later:
            self._search(number, own, column, side, first)

    def leaves(self, trees: int) -> str:
        """Return the place of the leaf of each tree, whole numbers of shape (rows, trees)."""
        graph, blocks = self.graph, []
        if self.numbers:
            blocks.append(graph.numbers(list(self.numbers)))
        begin, width = {}, len(self.numbers)
        for feature, tables in self.branches.items():
            table = np.array([np.frombuffer(each) for each in tables]).T
            blocks.append(graph.op("Gather", graph.constant(table), graph.codes(feature), axis=0))
            begin[feature], width = width, width + len(tables)
        joined = graph.op("Concat", *blocks, axis=1) if len(blocks) > 1 else blocks[0]
        columns = [c if isinstance(c, int) else begin[c[0]] + c[1] for _, _, c, *_ in self.lines]
        is_leaf = [c == -1 for c in columns]
        value = np.array([line[3] for line in self.lines])
        leaves = [line for line in self.lines if line[2] == -1]
        found = graph.op(
            "TreeEnsembleRegressor", joined, domain=ML, n_targets=trees, aggregate_function="SUM",
            post_transform="NONE",
            nodes_treeids=[line[0] for line in self.lines],
            nodes_nodeids=[line[1] for line in self.lines],
            nodes_featureids=[max(c, 0) for c in columns],
            nodes_modes=["LEAF" if leaf else "BRANCH_LEQ" for leaf in is_leaf],
            nodes_values_as_tensor=np.where(is_leaf, 0.0, value),
            nodes_truenodeids=[line[4] for line in self.lines],
            nodes_falsenodeids=[line[5] for line in self.lines],
            nodes_missing_value_tracks_true=[line[6] for line in self.lines],
            target_treeids=[line[0] for line in leaves],
            target_nodeids=[line[1] for line in leaves],
            target_ids=[line[0] for line in leaves],
            target_weights_as_tensor=np.array([line[3] for line in leaves]),
        )  # fmt: skip
        return graph.op("Cast", found, to=7)


def walked(graph: Graph, trees: Sequence[Tree], answers: Sequence[Floats]) -> str:
    """Return the sum of the answers of all trees, shape (rows, outputs); `answers` has a line for each leaf."""
    read = [at for at in graph.model.features if graph.column(at).kind is not Kind.NOMINAL]
    walk = Walk(graph, {feature: at for at, feature in enumerate(read)})
    for number, tree in enumerate(trees):
        walk.add(number, tree)
    offsets = np.cumsum([0, *(len(each) for each in answers)])[:-1]
    places = graph.op("Add", walk.leaves(len(trees)), graph.whole(offsets[None]))
    each = graph.op("Gather", graph.constant(np.concatenate(list(answers))), places, axis=0)
    return graph.op("ReduceSum", each, graph.whole([1]), keepdims=0)


def divided(graph: Graph, tree: Tree, answers: Floats) -> str:
    """Return the answers of the leaves times the row's share in each, shape (rows, outputs)."""
    splits = [number for number, node in enumerate(tree.nodes) if node.children]
    order = [child for number in splits for child in tree.nodes[number].children]
    place = {child: at for at, child in enumerate(order)}
    share = _shares(graph, tree, splits)
    level, weight, ends, blocks = [0], graph.filled([1.0]), [], []
    while level:
        parents = [at for at, number in enumerate(level) if tree.nodes[number].children]
        leaves = [at for at, number in enumerate(level) if not tree.nodes[number].children]
        if leaves:
            blocks.append(graph.take(weight, leaves))
            ends += [level[at] for at in leaves]
        pairs = [(at, child) for at in parents for child in tree.nodes[level[at]].children]
        level = [child for _, child in pairs]
        if level:
            above = graph.take(weight, [at for at, _ in pairs])
            weight = graph.op("Mul", above, graph.take(share, [place[child] for child in level]))
    joined = graph.op("Concat", *blocks, axis=1) if len(blocks) > 1 else blocks[0]
    rank = {leaf: at for at, leaf in enumerate(tree.leaves)}
    return graph.op("MatMul", joined, graph.constant(answers[[rank[leaf] for leaf in ends]]))


def _shares(graph: Graph, tree: Tree, splits: Sequence[int]) -> str:
    """Return the share of a row at a split that each of its branches gets, shape (rows, branches of all splits).

    The first question that is answered gives all to one branch. With none, the fallback or the shares decide.
    """
    nodes = [tree.nodes[number] for number in splits]
    tests = (test for node in nodes for question in node.questions for test in question if test)
    columns = Columns(graph, (condition for test in tests for condition in test))
    sizes = [len(node.children) for node in nodes]
    ends = np.cumsum(sizes)
    split_of = np.repeat(np.arange(len(nodes)), sizes)
    total, left = "", ""
    for at in range(max(len(node.questions) for node in nodes)):
        asked: list[Test | None] = []
        for node in nodes:
            asked += node.questions[at] if at < len(node.questions) else [None] * len(node.children)
        held = columns.tests(asked)
        own = graph.op("Mul", left, held) if left else held
        total = graph.op("Add", total, own) if total else own
        so_far = graph.op("CumSum", held, graph.whole(1))
        before = graph.op("Sub", graph.take(so_far, ends - sizes), graph.take(held, ends - sizes))
        answered = graph.op("Sub", graph.take(so_far, ends - 1), before)
        not_answered = graph.take(graph.op("Sub", graph.constant(1.0), answered), split_of)
        left = graph.op("Mul", left, not_answered) if left else not_answered
    default = np.concatenate([_default(node) for node in nodes])
    return graph.op("Add", total, graph.op("Mul", left, graph.constant(default[None])))


def _default(node: Node) -> Floats:
    if node.fallback < 0:
        return np.array(node.shares, np.float64)
    return np.array([float(branch == node.fallback) for branch in range(len(node.children))])
