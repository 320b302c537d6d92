"""The order in which variables are summed out: the one that joins the fewest neighbours first, or the smallest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import prod

LARGE = 2**20
"""Cells of a factor from which on another order is tried."""


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


Order = list[tuple[int, int]]
"""Variables in the order in which they are summed out, each with its neighbours (as bits) at that time."""


def cheapest_order(adjacent: Sequence[int], sizes: Sequence[int], waiting: Sequence[int], most: int) -> Order:
    """Return the order of min-fill or, where that makes a large factor, the one with the fewest cells of three.

    The others are min-weight and a sweep from one end of the network to the other, which is the best on grids. An order
    may end early with a factor of more than `most` cells.
    """
    order = elimination_order(adjacent, sizes, waiting, most)
    if max((_cells(at, bits, sizes) for at, bits in order), default=0) <= LARGE:
        return order
    by_weight = elimination_order(adjacent, sizes, waiting, most, by_weight=True)
    return min(order, by_weight, _sweep(adjacent, sizes, waiting, most), key=lambda each: _work(each, sizes, most))


def _sweep(adjacent: Sequence[int], sizes: Sequence[int], waiting: Sequence[int], most: int) -> Order:
    """Return the variables of each connected part by their distance from the one that is farthest from its first."""
    adjacent, left, order = list(adjacent), 0, []
    for at in waiting:
        left |= 1 << at
    while left:
        first = (left & -left).bit_length() - 1
        for at in _by_distance(adjacent, _by_distance(adjacent, first, left)[-1], left):
            neighbours = adjacent[at]
            order.append((at, neighbours))
            if _cells(at, neighbours, sizes) > most:
                return order
            left &= ~(1 << at)
            for other in bits_of(neighbours):
                adjacent[other] = (adjacent[other] | neighbours) & ~(1 << other) & ~(1 << at)
    return order


def _by_distance(adjacent: Sequence[int], first: int, within: int) -> list[int]:
    """Return the variables that are reached from the first one, nearest first."""
    found, seen = [first], 1 << first
    for at in found:  # grows on the way
        new = adjacent[at] & within & ~seen
        seen |= new
        found.extend(bits_of(new))
    return found


def _work(order: Order, sizes: Sequence[int], most: int) -> tuple[bool, int]:
    """Return whether a factor is too large, and the cells of all."""
    cells = [_cells(at, neighbours, sizes) for at, neighbours in order]
    return max(cells) > most, sum(cells)


def elimination_order(
    adjacent: Sequence[int], sizes: Sequence[int], waiting: Iterable[int], most: int, *, by_weight: bool = False
) -> Order:
    """Return each waiting variable with its neighbours (as bits) at the time when it is summed out.

    The next one is that whose neighbours lack the fewest arcs among them (min-fill); of equals the one whose factor is
    smallest, then the first. With `by_weight` the smallest factor comes first, and then the fewest arcs. Summing a
    variable out makes its neighbours neighbours of each other.

    >>> chain = moral_graph([(0,), (0, 1), (1, 2), (2, 3)], 4)
    >>> [(at, bin(neighbours)) for at, neighbours in elimination_order(chain, [2, 2, 2, 2], [0, 1, 2], 2**26)]
    [(0, '0b10'), (1, '0b100'), (2, '0b1000')]

    Kjærulff (1990), Triangulation of graphs: algorithms giving small total state space.
    """
    adjacent = list(adjacent)
    left = 0
    for at in waiting:
        left |= 1 << at
    fills = {at: _fill(at, adjacent) for at in bits_of(left)}
    cells = {at: _cells(at, adjacent[at], sizes) for at in fills}

    def cost(at: int) -> tuple[int, int, int]:
        return (cells[at], fills[at], at) if by_weight else (fills[at], cells[at], at)

    heap = [cost(at) for at in fills]
    heapify(heap)
    order: Order = []
    while heap:
        popped = heappop(heap)
        at = popped[2]
        if not left >> at & 1 or cost(at) != popped:
            continue  # summed out already, or its cost has changed since
        neighbours = adjacent[at]
        order.append((at, neighbours))
        if cells[at] > most and min(cells[other] for other in bits_of(left)) > most:
            break
        left &= ~(1 << at)
        changed = _sum_out(at, adjacent, fills, left)
        for other in bits_of(neighbours & left):
            cells[other] = _cells(other, adjacent[other], sizes) if fills[at] else cells[other] // sizes[at]
        for other in changed:
            heappush(heap, cost(other))
    return order


def _sum_out(at: int, adjacent: list[int], fills: dict[int, int], left: int) -> list[int]:
    """Join the neighbours of a variable, take it out, and bring the fills up to date; return whose costs changed.

    Fills change by differences: counting the missing arcs of a variable with thousands of neighbours anew takes long.
    """
    neighbours = adjacent[at]
    new = {other: neighbours & ~adjacent[other] & ~(1 << other) for other in bits_of(neighbours)} if fills[at] else {}
    changed = list(bits_of(neighbours & left))
    for other in changed:
        if not fills[at]:  # no arc is new: only those that `at` lacked to the others are no longer counted
            fills[other] -= 2 * (adjacent[other] & ~neighbours & ~(1 << at)).bit_count()
    around = 0
    for other in bits_of(neighbours):
        around |= adjacent[other]
        adjacent[other] = (adjacent[other] | neighbours) & ~(1 << other) & ~(1 << at)
    if fills[at]:
        for other in changed:
            fills[other] = _fill(other, adjacent)
        for other in bits_of(around & left & ~neighbours):
            less = sum((new[each] & adjacent[other]).bit_count() for each in bits_of(neighbours & adjacent[other]))
            if less:
                fills[other] -= less
                changed.append(other)
    return changed


def _fill(at: int, adjacent: Sequence[int]) -> int:
    """Return the number of arcs (times two) that the neighbours of a variable lack."""
    neighbours = adjacent[at]
    return sum((neighbours & ~adjacent[other]).bit_count() - 1 for other in bits_of(neighbours))


def _cells(at: int, neighbours: int, sizes: Sequence[int]) -> int:
    """Return the cells of the factor over a variable and its neighbours."""
    return sizes[at] * prod(sizes[other] for other in bits_of(neighbours))
