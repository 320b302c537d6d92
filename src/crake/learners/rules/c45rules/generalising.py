"""The paths of a tree as rules, each without the conditions that do not lower its pessimistic error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.kernels.rules.arrays import AT_LEAST, AT_MOST, EQUAL, CodedArrays
from crake.kernels.rules.rule_sets import without_each
from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.kernels.tree.pruning.pessimistic_errors import added_errors
from crake.learners.rules.drafts import Draft, coded_rules, without_redundant
from crake.learners.tree.pruning.pessimistic import level_and_quantile
from crake.learners.tree.tree import Tree


@dataclass(frozen=True)
class Candidate:
    """A generalised rule: its conditions, its class, and its pessimistic error as a share of what it covers."""

    draft: Draft
    answer: int
    error: float


def paths_of(tree: Tree, coded: CodedArrays) -> list[tuple[Draft, int]]:
    """Return the conditions that lead to each leaf with rows, and its most frequent class."""
    paths = []
    for leaf in np.flatnonzero((tree.kind == LEAF) & (tree.weight > 0)):
        draft: list[tuple[int, int, int]] = []
        node = int(leaf)
        while node > 0:
            above = tree.parent_of(node)
            draft.append(_condition(tree, coded, above, node - int(tree.first[above])))
            node = above
        paths.append((without_redundant(tuple(reversed(draft))), int(np.argmax(tree.counts[leaf]))))
    return paths


def _condition(tree: Tree, coded: CodedArrays, node: int, branch: int) -> tuple[int, int, int]:
    """Return the condition of a branch on codes: a level, at most a rank, or at least the next one."""
    attribute = int(tree.feature[node])
    if tree.kind[node] != THRESHOLD:
        return attribute, EQUAL, branch
    start, end = coded.start[attribute], coded.start[attribute] + coded.codes[attribute]
    rank = int(np.searchsorted(coded.values[start:end], tree.threshold[node], side="right")) - 1
    return (attribute, AT_LEAST, rank + 1) if branch else (attribute, AT_MOST, rank)


@dataclass(frozen=True, eq=False)
class Generaliser:
    """Drops conditions from rules while the upper limit of the error share does not rise (Quinlan 1993, chapter 5)."""

    coded: CodedArrays
    weights: Floats
    confidence: float

    def candidates(self, paths: list[tuple[Draft, int]]) -> list[Candidate]:
        """Return the generalised rules, each once; a rule that lost all its conditions is no rule."""
        seen: dict[tuple[frozenset[tuple[int, int, int]], int], Candidate] = {}
        for draft, answer in paths:
            found = self._generalised(draft, answer)
            key = frozenset(found.draft), answer
            if found.draft and key not in seen:
                seen[key] = found
        return list(seen.values())

    def _generalised(self, draft: Draft, answer: int) -> Candidate:
        own = self.coded._replace(target=(self.coded.target == answer).astype(np.int32))
        while True:
            covered, errors = without_each(own, coded_rules([draft]), self.weights)
            now = self.error_share(covered[-1], errors[-1])
            shares = [self.error_share(covered[-1] + covered[at], errors[-1] + errors[at]) for at in range(len(draft))]
            if not shares or min(shares) > now:
                return Candidate(draft, answer, now)
            at = int(np.argmin(shares))
            draft = (*draft[:at], *draft[at + 1 :])

    def error_share(self, n: float, e: float) -> float:
        """Return the upper limit of the share of errors: U(e, n) = (e + added errors)/n; 1 if nothing is covered."""
        if n <= 0:
            return 1.0
        level, z = level_and_quantile(self.confidence)
        return (float(e) + added_errors(float(n), float(e), level, z)) / float(n)
