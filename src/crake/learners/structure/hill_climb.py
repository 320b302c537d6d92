"""Hill climbing over networks: the best arc to add, remove or turn round, again and again."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats
from crake.learners.structure.families import FamilyScores, Parents


class Move(NamedTuple):
    """A change of one arc tail → head, and how much it raises the score."""

    kind: str
    head: int
    tail: int
    gain: float


NONE = Move("none", -1, -1, -math.inf)


@dataclass(frozen=True)
class Climbing:
    """The rules of a search: the most parents of a column, if arcs are turned round, and the length of the tabu list.

    With a tabu list of k arcs the search goes on from a peak: it takes the best move, also one that lowers the score,
    but changes no arc again that it changed in the last k moves, unless that leads higher than ever before. It ends
    after k moves in a row without a new peak.
    """

    max_parents: int
    reverse: bool = True
    tabu: int = 0


def hill_climb(scores: FamilyScores, start: Parents, climbing: Climbing) -> Parents:
    """Return the parents of every column at the top of the hill, in the order in which they were added.

    Of equal moves the first is taken: adding before removing before turning round, then by the place of the head, then
    by that of the tail (for removing and turning round: by the order in which the parents were added).
    """
    network = _Network(scores, start, climbing)
    tabu = min(climbing.tabu, len(start) ** 2)  # there are no more arcs
    best, best_gain, gain, since = network.snapshot(), 0.0, 0.0, 0
    recent: deque[frozenset[int]] = deque(maxlen=max(1, tabu))
    while True:
        if tabu == 0:
            move = network.best_move()
            if not network.truly_gains(move):
                return network.snapshot()
            network.make(move)
            continue
        move = network.best_move(recent, best_gain - gain)
        if move is NONE:
            return best
        network.make(move)
        recent.append(frozenset((move.head, move.tail)))
        gain += move.gain
        if gain > best_gain + 1e-9 * max(1.0, abs(best_gain)):
            best, best_gain, since = network.snapshot(), gain, 0
        else:
            since += 1
        if since >= tabu:
            return best


class _Network:
    """A network on its way, with what each change of one arc would gain."""

    def __init__(self, scores: FamilyScores, start: Parents, climbing: Climbing) -> None:
        self.scores = scores
        self.climbing = climbing
        self.parents = [list(own) for own in start]
        self.size = len(start)
        self.score = [scores.score(node, own) for node, own in enumerate(self.parents)]
        self.adding: Floats = np.full((self.size, self.size), -math.inf)
        """The gain in score of the head (first axis) by the tail as one more parent."""
        self.removing: list[list[float]] = [[] for _ in start]
        self.reaches = reached(start)
        for node in range(self.size):
            self._look_at(node)

    def snapshot(self) -> Parents:
        return tuple(map(tuple, self.parents))

    def truly_gains(self, move: Move) -> bool:
        """Return True if the sum of all scores grows, and not only by rounding: so no network comes back."""
        changes = [move.gain] if move.kind != "reverse" else self._terms_of_reversal(move)
        return move.gain > 0 and math.fsum(changes) > 0

    def _terms_of_reversal(self, move: Move) -> list[float]:
        head, tail = move.head, move.tail
        without = [p for p in self.parents[head] if p != tail]
        new = (self.scores.score(head, without), self.scores.score(tail, (*self.parents[tail], head)))
        return [*new, -self.score[head], -self.score[tail]]

    def best_move(self, recent: deque[frozenset[int]] | None = None, above: float = math.inf) -> Move:
        """Return the best move: of those not in the tabu list, or that gain more than `above`."""
        best = NONE
        for move in self._moves(recent, above):
            if move.gain > best.gain:
                best = move
        return best

    def _moves(self, recent: deque[frozenset[int]] | None, above: float) -> Iterator[Move]:
        """Yield the best arc to add, and all arcs that can be removed or turned round."""
        full = np.array([len(own) >= self.climbing.max_parents for own in self.parents])
        allowed = ~self.reaches & ~full[:, None]  # tail → head is a cycle where the head reaches the tail
        gains = np.where(allowed, self.adding, -math.inf)
        is_tabu = set(recent or ())
        for pair in is_tabu:
            one, other = sorted(pair)
            for head, tail in ((one, other), (other, one)):
                if not gains[head, tail] > above:
                    gains[head, tail] = -math.inf
        if gains.size:
            head, tail = divmod(int(np.argmax(gains)), self.size)
            yield Move("add", head, tail, float(gains[head, tail]))
        arcs = [(h, t, g) for h in range(self.size) for t, g in zip(self.parents[h], self.removing[h], strict=True)]
        for head, tail, gain in arcs:
            if gain > above or frozenset((head, tail)) not in is_tabu:
                yield Move("remove", head, tail, gain)
        for head, tail, gain in arcs if self.climbing.reverse else ():
            whole = gain + float(self.adding[tail, head])
            is_free = whole > above or frozenset((head, tail)) not in is_tabu
            if is_free and not full[tail] and not self._has_detour(tail, head):
                yield Move("reverse", head, tail, whole)

    def _has_detour(self, tail: int, head: int) -> bool:
        """Return True if the tail reaches the head also without the arc between them."""
        return any(self.reaches[tail, p] for p in self.parents[head] if p != tail)

    def make(self, move: Move) -> None:
        """Change the arc, and look anew at the families that change."""
        if move.kind == "add":
            self.parents[move.head].append(move.tail)
        else:
            self.parents[move.head].remove(move.tail)
        if move.kind == "reverse":
            self.parents[move.tail].append(move.head)
        changed = (move.head, move.tail) if move.kind == "reverse" else (move.head,)
        for node in changed:
            self.score[node] = self.scores.score(node, self.parents[node])
            self._look_at(node)
        if move.kind == "add":
            self.reaches |= np.outer(self.reaches[:, move.tail], self.reaches[move.head])
        else:
            self.reaches = reached(self.parents)

    def _look_at(self, node: int) -> None:
        """Find what each arc into this column would gain, added or removed."""
        own, now = self.parents[node], self.score[node]
        self.adding[node] = -math.inf
        if len(own) < self.climbing.max_parents:
            others = [t for t in range(self.size) if t != node and t not in own]
            self.adding[node, others] = self.scores.with_each(node, own, others) - now
        self.removing[node] = [self.scores.score(node, [p for p in own if p != tail]) - now for tail in own]


def reached(parents: Sequence[Sequence[int]]) -> Flags:
    """Return which column reaches which along arcs, itself among them, at [from, to]; there is no cycle.

    >>> reached([[], [0], [1]]).astype(int)
    array([[1, 1, 1],
           [0, 1, 1],
           [0, 0, 1]])
    """
    found = np.eye(len(parents), dtype=bool)
    children = np.zeros(len(parents), np.int64)
    for own in parents:
        children[list(own)] += 1
    last = np.flatnonzero(children == 0).tolist()
    for node in last:  # it grows while it is walked: a column comes when all its children have come
        for parent in parents[node]:
            found[parent] |= found[node]
            children[parent] -= 1
            if children[parent] == 0:
                last.append(parent)
    return found
