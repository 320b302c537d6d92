"""Pessimistic pruning with subtree raising, node by node and with a copy of its rows for every node."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan

import numpy as np

from crake.kernels.tree.arrays import LEAF
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Tree

LITTLE, ALLOWED = 1e-6, 0.1 + 1e-6

Instances = list[tuple[int, float]]


@dataclass
class Node:
    number: int
    counts: np.ndarray
    children: list[Node] = field(default_factory=list)


class Pruner:
    """For trees whose questions are all thresholds on the only column."""

    def __init__(self, tree: Tree, rows: Training, confidence: float, z: float) -> None:
        self.tree, self.rows, self.confidence, self.z = tree, rows, confidence, z
        self.column: list[float] = rows.values[:, 0].tolist()

    def pruned(self) -> Node:
        nodes = [Node(number, counts.copy()) for number, counts in enumerate(self.tree.counts)]
        for node in nodes:
            if self.tree.kind[node.number] != LEAF:
                node.children = [nodes[child] for child in self.tree.children(node.number)]
        weights = self.rows.weights if len(self.rows.weights) else np.ones(len(self.rows))
        self._prune(nodes[0], list(enumerate(weights.tolist())))
        return nodes[0]

    def _prune(self, node: Node, instances: Instances) -> None:
        while node.children:
            for child, own in zip(node.children, self._parts(node, instances), strict=True):
                self._prune(child, own)
            largest = max(reversed(node.children), key=lambda child: round(child.counts.sum(), 6))
            as_leaf, as_tree = self._leaf(node.counts), self._errors(node)
            as_branch = self._through(largest, instances)
            if as_leaf <= min(as_tree, as_branch) + ALLOWED:
                node.children = []
            elif as_branch <= as_tree + ALLOWED:
                node.number, node.children = largest.number, largest.children
                self._take(node, instances)
                continue
            return

    def _parts(self, node: Node, instances: Instances) -> list[Instances]:
        threshold, column = float(self.tree.threshold[node.number]), self.column
        known: list[Instances] = [[], []]
        for row, weight in instances:
            if not isnan(column[row]):
                known[int(column[row] > threshold)].append((row, weight))
        sums = [sum(weight for _, weight in part) for part in known]
        shares = [each / sum(sums) if sum(sums) > 0 else 0.5 for each in sums]
        missing = [(row, weight) for row, weight in instances if isnan(column[row])]
        return [
            part + [(row, weight * share) for row, weight in missing if share > LITTLE]
            for part, share in zip(known, shares, strict=True)
        ]

    def _counts(self, instances: Instances) -> np.ndarray:
        counts = np.zeros(self.rows.classes)
        for row, weight in sorted(instances):
            counts[self.rows.target[row]] += weight
        return counts

    def _leaf(self, counts: np.ndarray) -> float:
        return float(leaf_errors(counts, self.confidence, self.z))

    def _errors(self, node: Node) -> float:
        return sum(map(self._errors, node.children)) if node.children else self._leaf(node.counts)

    def _through(self, node: Node, instances: Instances) -> float:
        if not node.children:
            return self._leaf(self._counts(instances))
        parts = self._parts(node, instances)
        return sum(self._through(child, part) for child, part in zip(node.children, parts, strict=True))

    def _take(self, node: Node, instances: Instances) -> None:
        node.counts = self._counts(instances)
        for child, part in zip(node.children, self._parts(node, instances) if node.children else [], strict=True):
            self._take(child, part)


def flat(tree: Tree, root: Node) -> list[tuple[float, list[float]]]:
    """Threshold and class weights, level by level."""
    found, level = [], [root]
    while level:
        for node in level:
            threshold = float(tree.threshold[node.number]) if node.children else float("nan")
            found.append((threshold, node.counts.tolist()))
        level = [child for node in level for child in node.children]
    return found
