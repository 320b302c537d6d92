"""The order in which variables are summed out: the one that joins the fewest neighbours first (min-fill)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush


def moral_graph(families: Iterable[Sequence[int]], count: int) -> list[int]:
    """Return the neighbours of each variable as bits: all variables of one family are neighbours of each other.

    >>> [bin(each) for each in moral_graph([(0, 1, 2), (2, 3)], 4)]
    ['0b110', '0b101', '0b1011', '0b100']
    """
    adjacent = [0] * count
    for family in families:
        whole = 0
        for at in family:
            whole |= 1 << at
        for at in family:
            adjacent[at] |= whole
    return [bits & ~(1 << at) for at, bits in enumerate(adjacent)]


def bits_of(mask: int) -> Iterator[int]:
    """Yield the places of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def min_fill_order(adjacent: Sequence[int], sizes: Sequence[int], waiting: Iterable[int]) -> list[tuple[int, int]]:
    """Return each waiting variable with its neighbours (as bits) at the time when it is summed out.

    The next one is that whose neighbours lack the fewest arcs among them; of equals the one whose factor is smallest,
    then the first. Summing it out makes its neighbours neighbours of each other.

    >>> chain = moral_graph([(0,), (0, 1), (1, 2), (2, 3)], 4)
    >>> [(at, bin(neighbours)) for at, neighbours in min_fill_order(chain, [2, 2, 2, 2], [0, 1, 2])]
    [(0, '0b10'), (1, '0b100'), (2, '0b1000')]

    Kjærulff (1990), Triangulation of graphs: algorithms giving small total state space.
    """
    adjacent = list(adjacent)
    left = 0
    for at in waiting:
        left |= 1 << at
    best = {at: _cost(at, adjacent, sizes) for at in bits_of(left)}
    heap = [(*cost, at) for at, cost in best.items()]
    heapify(heap)
    order: list[tuple[int, int]] = []
    while heap:
        fill, cells, at = heappop(heap)
        if not left >> at & 1 or best[at] != (fill, cells):
            continue  # summed out already, or its cost has changed since
        neighbours = adjacent[at]
        order.append((at, neighbours))
        left &= ~(1 << at)
        changed = neighbours
        for other in bits_of(neighbours):
            adjacent[other] = (adjacent[other] | neighbours) & ~(1 << other) & ~(1 << at)
            if fill:
                changed |= adjacent[other]
        for other in bits_of(changed & left):
            cost = _cost(other, adjacent, sizes)
            if cost != best[other]:
                best[other] = cost
                heappush(heap, (*cost, other))
    return order


def _cost(at: int, adjacent: Sequence[int], sizes: Sequence[int]) -> tuple[int, int]:
    """Return the number of arcs (times two) that the neighbours of a variable lack, and the cells of its factor."""
    neighbours = mask = adjacent[at]
    fill, cells = 0, sizes[at]
    while mask:
        low = mask & -mask
        other = low.bit_length() - 1
        fill += (neighbours & ~adjacent[other]).bit_count() - 1  # it is no neighbour of itself
        cells *= sizes[other]
        mask ^= low
    return fill, cells
